// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Type and shape of a tensor.

#ifndef POPULUS_INCLUDE_POPART_TENSORINFO_HPP
#define POPULUS_INCLUDE_POPART_TENSORINFO_HPP

#include <popart/datatype.hpp>
#include <popart/names.hpp>

#include <ostream>
#include <string>

namespace popart {

class TensorInfo {
public:
  TensorInfo() : elementType(DataType::UNDEFINED) {}
  TensorInfo(DataType type, const Shape &shape)
      : elementType(type), extents(shape) {}
  TensorInfo(const std::string &type, const Shape &shape);
  /// The shape as text: "(1,3,224,224)".
  TensorInfo(const std::string &type, const std::string &shape);

  void set(DataType type) { elementType = type; }
  void set(DataType type, const Shape &shape) {
    elementType = type;
    extents = shape;
  }

  DataType dataType() const { return elementType; }
  const Shape &shape() const { return extents; }
  Rank rank() const { return static_cast<Rank>(extents.size()); }
  std::int64_t dim(int i) const {
    return extents.at(static_cast<std::size_t>(i));
  }
  std::int64_t nelms() const;
  std::int64_t nbytes() const;
  bool isSet() const { return elementType != DataType::UNDEFINED; }

  /// "FLOAT" and "float32".
  std::string data_type() const { return getDataTypeName(elementType); }
  std::string data_type_lcase() const;
  void append(std::ostream &out) const;

  bool operator==(const TensorInfo &other) const {
    return elementType == other.elementType && extents == other.extents;
  }
  bool operator!=(const TensorInfo &other) const { return !(*this == other); }

private:
  DataType elementType;
  Shape extents;
};

std::ostream &operator<<(std::ostream &out, const TensorInfo &info);

/// The DataType of a C++ type.
template <class T> DataType getDataType();

} // namespace popart

#endif
