// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A half by its bits, for codelets that handle halves as data on targets where
// they do not want to compute with them.

#ifndef POPLAR_IEEEHALF_HPP
#define POPLAR_IEEEHALF_HPP

#ifndef __POPC__
#error "poplar/IeeeHalf.hpp is for codelets, which popc compiles"
#endif

#include <poplar/HalfFloat.hpp>

namespace poplar {

/// IEEE 754 binary16: converts from and to float, compares, and shows its bits.
class IeeeHalf {
public:
  IeeeHalf() = default;
  IeeeHalf(float value) : value(static_cast<half>(value)) {}
  IeeeHalf(half value) : value(value) {}

  static IeeeHalf fromBits(unsigned short bits) {
    IeeeHalf result;
    result.value = __builtin_bit_cast(half, bits);
    return result;
  }

  unsigned short bit16() const {
    return __builtin_bit_cast(unsigned short, value);
  }
  operator float() const { return value; }

private:
  half value;
};

} // namespace poplar

#endif
