// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of small types, and what their codes stand for.

#include "SmallElements.h"

#include "lib/PopART/IR/SmallTypes.h"

#include <cstring>

namespace populus::run {

namespace {

/// The float of a code.
template <class Small> float floatOf(std::uint8_t code) {
  Small element;
  element.bits = code;
  return element;
}

struct SmallType {
  std::uint64_t number;
  unsigned bits;
  /// The type of the result: a float, or an int of 8 bits.
  ElementType type;
  /// Decodes a float; integers follow from `type` and `bits`.
  float (*value)(std::uint8_t code);
};

constexpr SmallType Types[] = {
    {17, 8, ElementType::Float, floatOf<popir::Float8E4M3FN>},
    {18, 8, ElementType::Float, floatOf<popir::Float8E4M3FNUZ>},
    {19, 8, ElementType::Float, floatOf<popir::Float8E5M2>},
    {20, 8, ElementType::Float, floatOf<popir::Float8E5M2FNUZ>},
    {21, 4, ElementType::UnsignedChar, nullptr},
    {22, 4, ElementType::Char, nullptr},
    {23, 4, ElementType::Float, floatOf<popir::Float4E2M1>},
    {24, 8, ElementType::Float, floatOf<popir::Float8E8M0>},
    {25, 2, ElementType::UnsignedChar, nullptr},
    {26, 2, ElementType::Char, nullptr},
};

const SmallType *findType(std::uint64_t onnxType) {
  for (const SmallType &type : Types)
    if (type.number == onnxType)
      return &type;
  return nullptr;
}

/// The bits of a signed integer, with its sign in all bits above.
std::uint8_t extended(unsigned code, unsigned bits) {
  const unsigned sign = 1U << (bits - 1);
  return static_cast<std::uint8_t>((code ^ sign) - sign);
}

} // namespace

bool isSmallType(std::uint64_t onnxType) {
  return findType(onnxType) != nullptr;
}

bool unpackSmall(HostTensor &tensor, std::uint64_t onnxType) {
  const SmallType &type = *findType(onnxType);
  const unsigned perByte = 8 / type.bits;
  std::uint64_t count = 1;
  for (std::uint64_t extent : tensor.shape)
    if (__builtin_mul_overflow(count, extent, &count))
      return false;
  const std::uint64_t bytes = count / perByte + (count % perByte != 0);
  if (tensor.data.size() != bytes)
    return false;
  tensor.type = type.type;
  std::vector<std::uint8_t> elements(count * tensor.elementBytes());
  for (std::uint64_t i = 0; i != count; ++i) {
    const unsigned code = tensor.data[i / perByte] >> i % perByte * type.bits &
                          ((1U << type.bits) - 1);
    if (type.value) {
      const float value = type.value(static_cast<std::uint8_t>(code));
      std::memcpy(&elements[i * sizeof(value)], &value, sizeof(value));
    } else {
      elements[i] = type.type == ElementType::Char
                        ? extended(code, type.bits)
                        : static_cast<std::uint8_t>(code);
    }
  }
  tensor.data = std::move(elements);
  return true;
}

} // namespace populus::run
