// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types and shapes of tensors in the PopART IR. The IR has all numeric
// types of ONNX, more than a tile has: 64-bit integers, for example, exist only
// in constants, for the arithmetic on shapes.

#ifndef POPULUS_LIB_POPART_IR_DATATYPE_H
#define POPULUS_LIB_POPART_IR_DATATYPE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace populus::popir {

using Shape = std::vector<std::int64_t>;

enum class DataType {
  Float,
  Float16,
  BFloat16,
  Double,
  Int8,
  UInt8,
  Int16,
  UInt16,
  Int32,
  UInt32,
  Int64,
  UInt64,
  Bool,
  // Storage types of weights. In memory each element occupies a whole byte.
  Float8E4M3FN,
  Float8E4M3FNUZ,
  Float8E5M2,
  Float8E5M2FNUZ,
  Float8E8M0,
  Float4E2M1,
  Int4,
  UInt4,
  Int2,
  UInt2,
};

/// The name that users write: "float", "int64".
std::string_view name(DataType type);
/// The type of that name, or nothing.
std::optional<DataType> dataTypeOf(std::string_view name);
std::size_t sizeOf(DataType type);
bool isFloatingPoint(DataType type);
/// Bits per element in an ONNX file.
unsigned storedBits(DataType type);

/// The type of an enumerator of ONNX's TensorProto.DataType; none for strings,
/// complex numbers and unknown enumerators.
std::optional<DataType> fromOnnx(int onnxType);
int toOnnx(DataType type);

/// "1x3x224x224"; "scalar" for rank 0.
std::string toString(const Shape &shape);

std::int64_t numElements(const Shape &shape);

/// The product of the extents, or nothing where an extent is negative or the
/// product of the extents with `elementBytes` does not fit.
std::optional<std::int64_t> checkedNumElements(const Shape &shape,
                                               std::size_t elementBytes);

struct TensorInfo {
  DataType type = DataType::Float;
  Shape shape;

  std::int64_t numElements() const { return popir::numElements(shape); }
  int rank() const { return static_cast<int>(shape.size()); }
  bool operator==(const TensorInfo &) const = default;
};

/// "float 1x3x224x224".
std::string toString(const TensorInfo &info);

} // namespace populus::popir

#endif
