// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types that NumPy and tensors have in common are known by NumPy's kind
// and size. 16-bit floats of other kinds have none in NumPy; they come out as
// the bits.

#include "lib/Bindings/Python/popart/Arrays.h"

#include "lib/Bindings/Python/Numpy.h"

#include <popart/error.hpp>

#include <algorithm>
#include <cctype>
#include <optional>

namespace py = pybind11;
using popart::DataType;

namespace populus::python {

namespace {

struct Row {
  DataType type;
  char kind;
  std::size_t size;
  const char *name;
};

constexpr Row Rows[] = {
    {DataType::FLOAT, 'f', 4, "float32"},
    {DataType::FLOAT16, 'f', 2, "float16"},
    {DataType::DOUBLE, 'f', 8, "float64"},
    {DataType::INT32, 'i', 4, "int32"},
    {DataType::INT64, 'i', 8, "int64"},
    {DataType::INT16, 'i', 2, "int16"},
    {DataType::INT8, 'i', 1, "int8"},
    {DataType::UINT32, 'u', 4, "uint32"},
    {DataType::UINT64, 'u', 8, "uint64"},
    {DataType::UINT16, 'u', 2, "uint16"},
    {DataType::UINT8, 'u', 1, "uint8"},
    {DataType::BOOL, 'b', 1, "bool"},
    {DataType::COMPLEX64, 'c', 8, "complex64"},
    {DataType::COMPLEX128, 'c', 16, "complex128"},
    {DataType::BFLOAT16, 'V', 2, "uint16"},
};

constexpr DataType Float8[] = {DataType::FLOAT8_143, DataType::FLOAT8_152};

} // namespace

bool isArray(py::handle object) {
  // Never freed: the interpreter may be gone when statics are.
  static const py::handle generic =
      py::object(py::module_::import("numpy").attr("generic")).release();
  return object &&
         (py::isinstance<py::array>(object) || py::isinstance(object, generic));
}

py::array contiguous(py::handle object) {
  py::array array = py::array::ensure(object, py::array::c_style);
  if (!array)
    throw py::error_already_set();
  if (!array.dtype().attr("isnative").cast<bool>())
    array = array.attr("astype")(array.dtype().attr("newbyteorder")("="));
  return array;
}

/// Type of 8-bit floats: NumPy sees one field with the name of the type.
static std::optional<DataType> float8Of(const py::dtype &type) {
  if (!hasFields(type) || itemSizeOf(type) != 1)
    return std::nullopt;
  for (const DataType known : Float8)
    if (type.equal(dtypeOf(known)))
      return known;
  return std::nullopt;
}

DataType typeOf(const py::dtype &type) {
  if (std::optional<DataType> found = float8Of(type))
    return *found;
  const bool isRecord = hasFields(type);
  for (const Row &row : Rows)
    if (!isRecord && row.kind == type.kind() && row.size == itemSizeOf(type))
      return row.type;
  throw popart::error("tensors cannot be of NumPy's type {}",
                      std::string(py::str(py::handle(type))));
}

popart::TensorInfo infoOf(const py::array &array) {
  return {typeOf(array.dtype()),
          popart::Shape(array.shape(), array.shape() + array.ndim())};
}

py::dtype dtypeOf(DataType type) {
  if (std::ranges::find(Float8, type) != std::end(Float8)) {
    std::string field = popart::getDataTypeName(type);
    std::ranges::transform(field, field.begin(), [](unsigned char c) {
      return static_cast<char>(std::tolower(c));
    });
    py::list fields;
    fields.append(py::make_tuple(field, "u1"));
    return py::dtype::from_args(fields);
  }
  for (const Row &row : Rows)
    if (row.type == type)
      return py::dtype(row.name);
  throw popart::error("NumPy has no type {}", popart::getDataTypeName(type));
}

} // namespace populus::python
