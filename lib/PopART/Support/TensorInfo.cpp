// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of element types, and the queries of TensorInfo.

#include "lib/PopART/Support/OnnxTypes.h"

#include <popart/error.hpp>
#include <popart/tensorinfo.hpp>

#include <array>
#include <sstream>

namespace popart {

namespace {

struct TypeRow {
  DataType type;
  const char *name, *lowerCase;
  std::size_t size;
  int onnxType;
};

// In the order of DataType.
constexpr std::array<TypeRow, 19> Types = {{
    {DataType::UINT8, "UINT8", "uint8", 1, 2},
    {DataType::INT8, "INT8", "int8", 1, 3},
    {DataType::UINT16, "UINT16", "uint16", 2, 4},
    {DataType::INT16, "INT16", "int16", 2, 5},
    {DataType::INT32, "INT32", "int32", 4, 6},
    {DataType::INT64, "INT64", "int64", 8, 7},
    {DataType::UINT32, "UINT32", "uint32", 4, 12},
    {DataType::UINT64, "UINT64", "uint64", 8, 13},
    {DataType::BOOL, "BOOL", "bool", 1, 9},
    {DataType::FLOAT, "FLOAT", "float32", 4, 1},
    {DataType::FLOAT16, "FLOAT16", "float16", 2, 10},
    {DataType::BFLOAT16, "BFLOAT16", "bfloat16", 2, 16},
    {DataType::FLOAT8_143, "FLOAT8_143", "float8_143", 1, 18},
    {DataType::FLOAT8_152, "FLOAT8_152", "float8_152", 1, 20},
    {DataType::DOUBLE, "DOUBLE", "float64", 8, 11},
    {DataType::COMPLEX64, "COMPLEX64", "complex64", 8, 14},
    {DataType::COMPLEX128, "COMPLEX128", "complex128", 16, 15},
    {DataType::STRING, "STRING", "string", 0, 8},
    {DataType::UNDEFINED, "UNDEFINED", "undefined", 0, 0},
}};

const TypeRow &rowOf(DataType type) {
  return Types[static_cast<std::size_t>(type)];
}

/// "(1,3,224,224)", "()" for a scalar.
Shape parseShape(const std::string &text) {
  std::istringstream in(text);
  Shape shape;
  char mark = 0;
  std::int64_t extent = 0;
  bool isValid = static_cast<bool>(in >> mark) && mark == '(';
  while (isValid && in >> extent) {
    shape.push_back(extent);
    isValid = static_cast<bool>(in >> mark) && (mark == ',' || mark == ')');
    if (mark == ')')
      return shape;
  }
  in.clear();
  if (!isValid || !shape.empty() || !(in >> mark) || mark != ')')
    throw error("'{}' is not a shape; one looks like (1,3,224,224)", text);
  return shape;
}

} // namespace

namespace session {

int toOnnx(DataType type) { return rowOf(type).onnxType; }

DataType fromOnnx(int onnxType) {
  for (const TypeRow &row : Types)
    if (row.onnxType == onnxType)
      return row.type;
  return DataType::UNDEFINED;
}

} // namespace session

std::string getDataTypeName(DataType type) { return rowOf(type).name; }

DataType dataTypeFromString(const std::string &name) {
  for (const TypeRow &row : Types)
    if (name == row.name)
      return row.type;
  throw error("there is no element type '{}'", name);
}

std::size_t getDataTypeSize(DataType type) { return rowOf(type).size; }

TensorInfo::TensorInfo(const std::string &type, const Shape &shape)
    : TensorInfo(dataTypeFromString(type), shape) {}

TensorInfo::TensorInfo(const std::string &type, const std::string &shape)
    : TensorInfo(dataTypeFromString(type), parseShape(shape)) {}

std::int64_t TensorInfo::nelms() const {
  std::int64_t count = 1;
  for (std::int64_t extent : extents)
    count *= extent;
  return count;
}

std::int64_t TensorInfo::nbytes() const {
  return nelms() * static_cast<std::int64_t>(getDataTypeSize(elementType));
}

std::string TensorInfo::data_type_lcase() const {
  return rowOf(elementType).lowerCase;
}

void TensorInfo::append(std::ostream &out) const {
  out << data_type() << " (";
  for (std::size_t i = 0; i != extents.size(); ++i)
    out << (i ? "," : "") << extents[i];
  out << ")";
}

std::ostream &operator<<(std::ostream &out, const TensorInfo &info) {
  info.append(out);
  return out;
}

template <> DataType getDataType<std::uint8_t>() { return DataType::UINT8; }
template <> DataType getDataType<std::int8_t>() { return DataType::INT8; }
template <> DataType getDataType<std::uint16_t>() { return DataType::UINT16; }
template <> DataType getDataType<std::int16_t>() { return DataType::INT16; }
template <> DataType getDataType<std::int32_t>() { return DataType::INT32; }
template <> DataType getDataType<std::int64_t>() { return DataType::INT64; }
template <> DataType getDataType<std::uint32_t>() { return DataType::UINT32; }
template <> DataType getDataType<std::uint64_t>() { return DataType::UINT64; }
template <> DataType getDataType<bool>() { return DataType::BOOL; }
template <> DataType getDataType<float>() { return DataType::FLOAT; }
template <> DataType getDataType<double>() { return DataType::DOUBLE; }

} // namespace popart
