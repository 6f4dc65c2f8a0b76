// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of element types, and the arithmetic of shapes.

#include "lib/PopART/IR/DataType.h"

#include <fmt/format.h>

#include <array>
#include <limits>

namespace populus::popir {

namespace {

struct TypeInfo {
  std::string_view name;
  std::size_t bytes;
  int onnx; // TensorProto.DataType
  bool isFloatingPoint;
};

// In the order of the enumeration.
constexpr std::array<TypeInfo, 13> Types = {{
    {"float", 4, 1, true},
    {"float16", 2, 10, true},
    {"bfloat16", 2, 16, true},
    {"double", 8, 11, true},
    {"int8", 1, 3, false},
    {"uint8", 1, 2, false},
    {"int16", 2, 5, false},
    {"uint16", 2, 4, false},
    {"int32", 4, 6, false},
    {"uint32", 4, 12, false},
    {"int64", 8, 7, false},
    {"uint64", 8, 13, false},
    {"bool", 1, 9, false},
}};

const TypeInfo &info(DataType type) {
  return Types[static_cast<std::size_t>(type)];
}

} // namespace

std::string_view name(DataType type) { return info(type).name; }

std::optional<DataType> dataTypeOf(std::string_view name) {
  for (std::size_t i = 0; i != Types.size(); ++i)
    if (Types[i].name == name)
      return static_cast<DataType>(i);
  return std::nullopt;
}

std::size_t sizeOf(DataType type) { return info(type).bytes; }
bool isFloatingPoint(DataType type) { return info(type).isFloatingPoint; }

std::optional<DataType> fromOnnx(int onnxType) {
  for (std::size_t i = 0; i != Types.size(); ++i)
    if (Types[i].onnx == onnxType)
      return static_cast<DataType>(i);
  return std::nullopt;
}

int toOnnx(DataType type) { return info(type).onnx; }

std::string toString(const Shape &shape) {
  if (shape.empty())
    return "scalar";
  return fmt::format("{}", fmt::join(shape, "x"));
}

std::int64_t numElements(const Shape &shape) {
  std::int64_t product = 1;
  for (std::int64_t extent : shape)
    product *= extent;
  return product;
}

std::optional<std::int64_t> checkedNumElements(const Shape &shape,
                                               std::size_t elementBytes) {
  bool isEmpty = false;
  std::int64_t product = static_cast<std::int64_t>(elementBytes);
  for (std::int64_t extent : shape) {
    if (extent < 0)
      return std::nullopt;
    if (extent == 0)
      isEmpty = true;
    else if (__builtin_mul_overflow(product, extent, &product))
      return std::nullopt;
  }
  return isEmpty ? 0 : product / static_cast<std::int64_t>(elementBytes);
}

std::string toString(const TensorInfo &info) {
  return fmt::format("{} {}", name(info.type), toString(info.shape));
}

} // namespace populus::popir
