// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor known at compile time: weights, constants of the model, and results
// of constant folding. Elements are packed in row-major order.

#ifndef POPULUS_LIB_POPART_IR_HOSTTENSOR_H
#define POPULUS_LIB_POPART_IR_HOSTTENSOR_H

#include "lib/PopART/IR/DataType.h"
#include "lib/PopART/IR/SmallTypes.h"

#include <cassert>
#include <cstring>
#include <span>

namespace populus::popir {

class HostTensor {
public:
  HostTensor() = default;
  /// All elements zero.
  explicit HostTensor(TensorInfo info);
  HostTensor(TensorInfo info, std::vector<std::byte> bytes);

  static HostTensor ofInts(const std::vector<std::int64_t> &values);
  /// A scalar of any type.
  static HostTensor scalar(DataType type, double value);
  static HostTensor ofFloats(Shape shape, const std::vector<float> &values);

  const TensorInfo &info() const { return tensorInfo; }
  DataType type() const { return tensorInfo.type; }
  const Shape &shape() const { return tensorInfo.shape; }
  std::int64_t numElements() const { return tensorInfo.numElements(); }
  std::span<const std::byte> bytes() const { return storage; }
  std::span<std::byte> bytes() { return storage; }

  /// The elements as T, which must have the size of the element type.
  template <class T> std::span<const T> as() const {
    assert(sizeof(T) == sizeOf(type()));
    return {reinterpret_cast<const T *>(storage.data()),
            storage.size() / sizeof(T)};
  }
  template <class T> std::span<T> as() {
    assert(sizeof(T) == sizeOf(type()));
    return {reinterpret_cast<T *>(storage.data()), storage.size() / sizeof(T)};
  }

  /// The elements converted.
  std::vector<std::int64_t> toInts() const;
  std::vector<double> toDoubles() const;

  /// Converts the elements like Cast: rounds to the nearest float, or truncates
  /// to an integer and saturates.
  HostTensor convertedTo(DataType type) const;

  /// The same elements with another shape of equal size.
  HostTensor reshaped(Shape shape) const;

private:
  TensorInfo tensorInfo;
  std::vector<std::byte> storage;
};

/// Calls `function` with a value of the C++ type of `type`.
template <class Function> void withElementType(DataType type, Function &&f) {
  switch (type) {
  case DataType::Float:
    return f(float{});
  case DataType::Float16:
    return f(Float16{});
  case DataType::BFloat16:
    return f(BFloat16{});
  case DataType::Double:
    return f(double{});
  case DataType::Int8:
    return f(std::int8_t{});
  case DataType::UInt8:
    return f(std::uint8_t{});
  case DataType::Int16:
    return f(std::int16_t{});
  case DataType::UInt16:
    return f(std::uint16_t{});
  case DataType::Int32:
    return f(std::int32_t{});
  case DataType::UInt32:
    return f(std::uint32_t{});
  case DataType::Int64:
    return f(std::int64_t{});
  case DataType::UInt64:
    return f(std::uint64_t{});
  case DataType::Bool:
    return f(bool{});
  case DataType::Float8E4M3FN:
    return f(Float8E4M3FN{});
  case DataType::Float8E4M3FNUZ:
    return f(Float8E4M3FNUZ{});
  case DataType::Float8E5M2:
    return f(Float8E5M2{});
  case DataType::Float8E5M2FNUZ:
    return f(Float8E5M2FNUZ{});
  case DataType::Float8E8M0:
    return f(Float8E8M0{});
  case DataType::Float4E2M1:
    return f(Float4E2M1{});
  case DataType::Int4:
    return f(Int4{});
  case DataType::UInt4:
    return f(UInt4{});
  case DataType::Int2:
    return f(Int2{});
  case DataType::UInt2:
    return f(UInt2{});
  }
}

} // namespace populus::popir

#endif
