// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between poplar::Type and the runtime's list of element types: the codes are
// the same numbers.

#ifndef POPULUS_LIB_POPLAR_SUPPORT_TYPES_H
#define POPULUS_LIB_POPLAR_SUPPORT_TYPES_H

#include "runtime/Target/ElementType.h"

#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>

#include <cstdint>
#include <vector>

namespace poplar::core {

inline populus::runtime::ElementType elementType(Type type) {
  return static_cast<populus::runtime::ElementType>(type.getCode());
}
inline Type typeOf(populus::runtime::ElementType type) {
  return Type(static_cast<unsigned char>(type));
}
inline unsigned sizeOf(Type type) {
  return populus::runtime::sizeOf(elementType(type));
}
/// Throws type_error for a Type that was never assigned.
void requireValid(Type type, const char *what);

/// Converts `count` host values to the device's representation of `type`.
std::vector<std::uint8_t> convertToDevice(Type type, const void *values,
                                          std::size_t count,
                                          const TypeTraits &traits);
/// Converts one host value to a number, and back.
double hostNumber(const void *value, const TypeTraits &traits);
void storeHostNumber(double value, const TypeTraits &traits, void *place);
/// Converts one value in the device's representation to a number.
long double deviceNumber(Type type, const void *value);

} // namespace poplar::core

#endif
