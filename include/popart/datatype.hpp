// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of elements of tensors.

#ifndef POPULUS_INCLUDE_POPART_DATATYPE_HPP
#define POPULUS_INCLUDE_POPART_DATATYPE_HPP

#include <cstddef>
#include <string>

namespace popart {

enum class DataType {
  UINT8 = 0,
  INT8,
  UINT16,
  INT16,
  INT32,
  INT64,
  UINT32,
  UINT64,
  BOOL,
  FLOAT,
  FLOAT16,
  BFLOAT16,
  FLOAT8_143,
  FLOAT8_152,
  DOUBLE,
  COMPLEX64,
  COMPLEX128,
  STRING,
  UNDEFINED,
};

/// Converts a type to its name, such as "FLOAT", and back. An unknown name is
/// an error.
std::string getDataTypeName(DataType type);
DataType dataTypeFromString(const std::string &name);
/// Bytes of one element; 0 for STRING and UNDEFINED.
std::size_t getDataTypeSize(DataType type);

} // namespace popart

#endif
