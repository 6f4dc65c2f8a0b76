// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Encoding of a region in vertex state and field data: the bits of its address
// and of its number of elements. It must agree with
// include/poplar/FieldTypes.hpp, with which codelets read it.

#ifndef POPULUS_LIB_POPLAR_DEVICE_VECTORFORM_H
#define POPULUS_LIB_POPLAR_DEVICE_VECTORFORM_H

#include "lib/Archive/Archive.h"
#include "runtime/Target/TargetInfo.h"

#include <cstdint>

namespace poplar::core {

struct VectorForm {
  /// Size of address and count together.
  std::uint8_t bytes = 0;
  /// The low bits, which hold (address - bias) / scale.
  std::uint8_t addressBits = 0;
  std::uint8_t scale = 1;
  /// The bits above hold the number of elements; 0: there is no count.
  std::uint8_t countBits = 0;
  std::uint32_t bias = 0;

  /// First address that is out of reach; the largest number if none is.
  std::uint64_t addressEnd() const {
    return addressBits == 64 ? ~std::uint64_t(0)
                             : bias + (std::uint64_t(scale) << addressBits);
  }
  std::uint64_t maxCount() const {
    return countBits == 64 ? ~std::uint64_t(0)
                           : (std::uint64_t(1) << countBits) - 1;
  }
  /// Offset of the count from the address, in bits.
  unsigned countShift() const { return addressBits; }
};

/// Returns the encoding of a vector of this layout on a tile or, with 8-byte
/// pointers and no packing, in a native device. NotAVector is a pointer to one
/// element; DeltaN and DeltaNElements are entries of the list's table.
VectorForm vectorForm(populus::archive::Layout layout,
                      const populus::runtime::TargetInfo &target, bool isNative,
                      std::uint32_t elementBytes);

} // namespace poplar::core

#endif
