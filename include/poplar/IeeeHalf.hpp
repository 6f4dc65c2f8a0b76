// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A half as bits, for host code and codelets that store or convert halves but
// do not compute with them.

#ifndef POPLAR_IEEEHALF_HPP
#define POPLAR_IEEEHALF_HPP

#ifdef __POPC__

#include <poplar/HalfFloat.hpp>

namespace poplar {
namespace core {
inline unsigned short halfFromFloat(float value) {
  return __builtin_bit_cast(unsigned short, static_cast<half>(value));
}
inline float halfToFloat(unsigned short bits) {
  return __builtin_bit_cast(half, bits);
}
} // namespace core
} // namespace poplar

#else

namespace poplar {
namespace core {
/// Defined in libpoplar.
unsigned short halfFromFloat(float value);
float halfToFloat(unsigned short bits);
} // namespace core
} // namespace poplar

#endif

namespace poplar {

/// IEEE 754 binary16: converts from and to float, compares, and shows its bits.
class IeeeHalf {
public:
  IeeeHalf() = default;
  IeeeHalf(float value) : bits(core::halfFromFloat(value)) {}
#ifdef __POPC__
  IeeeHalf(half value) : bits(__builtin_bit_cast(unsigned short, value)) {}
#endif

  static IeeeHalf fromBits(unsigned short bits) {
    IeeeHalf result;
    result.bits = bits;
    return result;
  }

  unsigned short bit16() const { return bits; }
  operator float() const { return core::halfToFloat(bits); }

private:
  unsigned short bits;
};

} // namespace poplar

#endif
