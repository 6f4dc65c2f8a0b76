// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element access and conversion.

#include "HostTensor.h"

#include "runtime/Target/Half.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace populus::run {

namespace {

template <typename T>
T at(const std::vector<std::uint8_t> &data, std::uint64_t index) {
  T value;
  std::memcpy(&value, data.data() + index * sizeof(T), sizeof(T));
  return value;
}

/// Calls visit with a value of the C++ type that holds the element type.
template <typename Visit> auto withType(ElementType type, Visit visit) {
  switch (type) {
  case ElementType::Bool:
  case ElementType::UnsignedChar:
  case ElementType::Quarter: // its bits
  case ElementType::QuarterMetadata:
    return visit(std::uint8_t());
  case ElementType::Char:
  case ElementType::SignedChar:
    return visit(std::int8_t());
  case ElementType::Short:
    return visit(std::int16_t());
  case ElementType::UnsignedShort:
  case ElementType::Half: // its bits
    return visit(std::uint16_t());
  case ElementType::Int:
  case ElementType::Long:
    return visit(std::int32_t());
  case ElementType::UnsignedInt:
  case ElementType::UnsignedLong:
    return visit(std::uint32_t());
  case ElementType::LongLong:
    return visit(std::int64_t());
  case ElementType::UnsignedLongLong:
    return visit(std::uint64_t());
  case ElementType::Float:
    break;
  }
  return visit(float());
}

bool isInteger(const HostTensor &tensor) {
  return !tensor.isDouble && !runtime::info(tensor.type).isFloatingPoint;
}

template <typename T> T fromDouble(double value, const std::string &what) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    // The limits of 64-bit types are not doubles; the next ones outside are.
    const double low = static_cast<double>(std::numeric_limits<T>::min());
    const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
    if (!(value >= low && value < end) || value != std::trunc(value))
      throw InputError(what + ": the value " + std::to_string(value) +
                       " is not in the range of the program's type");
    return static_cast<T>(value);
  }
}

void setElement(HostTensor &tensor, std::uint64_t index, double value,
                const std::string &what) {
  withType(tensor.type, [&]<typename T>(T) {
    T element;
    if (tensor.type == ElementType::Half)
      element = static_cast<T>(runtime::floatToHalf(static_cast<float>(value)));
    else
      element = fromDouble<T>(value, what);
    std::memcpy(tensor.data.data() + index * sizeof(T), &element, sizeof(T));
  });
}

} // namespace

std::uint64_t HostTensor::numElements() const {
  return data.size() / elementBytes();
}

std::string describe(ElementType type,
                     const std::vector<std::uint64_t> &shape) {
  std::string text(runtime::name(type));
  for (std::size_t i = 0; i != shape.size(); ++i)
    text.append(i == 0 ? " " : "x").append(std::to_string(shape[i]));
  if (shape.empty())
    text += " scalar";
  return text;
}

double elementAsDouble(const HostTensor &tensor, std::uint64_t index) {
  if (tensor.isDouble)
    return at<double>(tensor.data, index);
  if (tensor.type == ElementType::Half)
    return runtime::halfToFloat(at<std::uint16_t>(tensor.data, index));
  return withType(tensor.type, [&]<typename T>(T) {
    return static_cast<double>(at<T>(tensor.data, index));
  });
}

HostTensor convert(const HostTensor &tensor, ElementType type,
                   const std::string &what) {
  if (!tensor.isDouble && tensor.type == type)
    return tensor;
  if (!isInteger(tensor) && !runtime::info(type).isFloatingPoint)
    throw InputError(what +
                     ": the file has floating point values, the program "
                     "takes " +
                     std::string(runtime::name(type)));
  HostTensor result;
  result.type = type;
  result.shape = tensor.shape;
  result.name = tensor.name;
  const std::uint64_t count = tensor.numElements();
  result.data.resize(count * runtime::sizeOf(type));
  for (std::uint64_t i = 0; i != count; ++i)
    setElement(result, i, elementAsDouble(tensor, i), what);
  return result;
}

} // namespace populus::run
