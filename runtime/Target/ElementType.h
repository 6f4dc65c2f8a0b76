// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The element types of tensors, vertex fields and streams, with the spelling
// that reaches users (vertex names such as "ns::Add<float>" are built from it)
// and the size on a tile. poplar::Type, the codelet metadata and the executable
// all use this list.

#ifndef POPULUS_RUNTIME_TARGET_ELEMENTTYPE_H
#define POPULUS_RUNTIME_TARGET_ELEMENTTYPE_H

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace populus::runtime {

/// The numbers are stored in files: append, never renumber.
enum class ElementType : std::uint8_t {
  Bool = 0,
  Char = 1,
  SignedChar = 2,
  UnsignedChar = 3,
  Short = 4,
  UnsignedShort = 5,
  Int = 6,
  UnsignedInt = 7,
  Long = 8,
  UnsignedLong = 9,
  LongLong = 10,
  UnsignedLongLong = 11,
  Half = 12,
  Float = 13,
  Quarter = 14,         // include/poplar/QuarterConversion.hpp
  QuarterMetadata = 15, // format and scale of quarters
};

struct ElementTypeInfo {
  std::string_view name;
  std::uint8_t bytes;
  bool isFloatingPoint;
  bool isSigned;
};

inline constexpr std::array<ElementTypeInfo, 16> ElementTypes = {{
    {"bool", 1, false, false},
    {"char", 1, false, true},
    {"signed char", 1, false, true},
    {"unsigned char", 1, false, false},
    {"short", 2, false, true},
    {"unsigned short", 2, false, false},
    {"int", 4, false, true},
    {"unsigned int", 4, false, false},
    {"long", 4, false, true},
    {"unsigned long", 4, false, false},
    {"long long", 8, false, true},
    {"unsigned long long", 8, false, false},
    {"half", 2, true, true},
    {"float", 4, true, true},
    {"quarter", 1, false, false}, // bits: numbers only by metadata
    {"quarter_metadata", 1, false, false},
}};

constexpr const ElementTypeInfo &info(ElementType type) {
  return ElementTypes[static_cast<std::size_t>(type)];
}
constexpr std::string_view name(ElementType type) { return info(type).name; }
constexpr unsigned sizeOf(ElementType type) { return info(type).bytes; }

constexpr std::optional<ElementType> findElementType(std::string_view text) {
  for (std::size_t i = 0; i != ElementTypes.size(); ++i)
    if (ElementTypes[i].name == text)
      return static_cast<ElementType>(i);
  return std::nullopt;
}

} // namespace populus::runtime

#endif
