// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bits that stand for a region in vertex state and field data: where its
// address is, where its number of elements. include/poplar/FieldTypes.hpp,
// which codelets read them with, must agree.

#ifndef POPULUS_LIB_POPLAR_LOWERING_VECTORFORM_H
#define POPULUS_LIB_POPLAR_LOWERING_VECTORFORM_H

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

  /// The first address that is too high; the largest number where none is.
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

/// The form of a vector of this layout on a tile or, with 8-byte pointers, in
/// the memory of a native device, which packs nothing. NotAVector is a pointer
/// to one element; DeltaN and DeltaNElements are an entry of the list's table.
VectorForm vectorForm(populus::archive::Layout layout,
                      const populus::runtime::TargetInfo &target, bool isNative,
                      std::uint32_t elementBytes);

} // namespace poplar::core

#endif
