// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Construction and conversion of tensors with known values.

#include "lib/PopART/IR/HostTensor.h"

#include <algorithm>
#include <limits>

namespace popart {

namespace {

/// Out of range is the nearest value, which C++ leaves undefined.
template <class To, class From> To convert(From value) {
  if constexpr (isFloatElement<From> && std::is_integral_v<To> &&
                !std::is_same_v<To, bool>) {
    double wide = value;
    if (std::isnan(wide))
      return 0;
    if (wide <= static_cast<double>(std::numeric_limits<To>::min()))
      return std::numeric_limits<To>::min();
    if (wide >= static_cast<double>(std::numeric_limits<To>::max()))
      return std::numeric_limits<To>::max();
    return static_cast<To>(wide);
  } else if constexpr (isFloatElement<From> && std::is_same_v<To, bool>) {
    return static_cast<float>(value) != 0;
  } else {
    return static_cast<To>(value);
  }
}

template <class To> std::vector<To> converted(const HostTensor &tensor) {
  std::vector<To> result;
  result.reserve(tensor.numElements());
  withElementType(tensor.type(), [&](auto sample) {
    for (auto element : tensor.as<decltype(sample)>())
      result.push_back(convert<To>(element));
  });
  return result;
}

} // namespace

HostTensor::HostTensor(TensorInfo info) : tensorInfo(std::move(info)) {
  storage.resize(tensorInfo.numElements() * sizeOf(tensorInfo.type));
}

HostTensor::HostTensor(TensorInfo info, std::vector<std::byte> bytes)
    : tensorInfo(std::move(info)), storage(std::move(bytes)) {
  assert(storage.size() == tensorInfo.numElements() * sizeOf(tensorInfo.type));
}

HostTensor HostTensor::ofInts(const std::vector<std::int64_t> &values) {
  HostTensor result({DataType::Int64, {std::int64_t(values.size())}});
  std::copy(values.begin(), values.end(), result.as<std::int64_t>().begin());
  return result;
}

HostTensor HostTensor::ofFloats(Shape shape, const std::vector<float> &values) {
  HostTensor result({DataType::Float, std::move(shape)});
  assert(result.numElements() == std::int64_t(values.size()));
  std::copy(values.begin(), values.end(), result.as<float>().begin());
  return result;
}

HostTensor HostTensor::scalar(DataType type, double value) {
  HostTensor result({type, {}});
  withElementType(type, [&](auto sample) {
    using T = decltype(sample);
    result.as<T>()[0] = convert<T>(value);
  });
  return result;
}

HostTensor HostTensor::convertedTo(DataType type) const {
  if (type == this->type())
    return *this;
  HostTensor result({type, shape()});
  withElementType(this->type(), [&](auto from) {
    withElementType(type, [&](auto to) {
      std::ranges::transform(
          as<decltype(from)>(), result.as<decltype(to)>().begin(),
          [](auto element) { return convert<decltype(to)>(element); });
    });
  });
  return result;
}

std::vector<std::int64_t> HostTensor::toInts() const {
  return converted<std::int64_t>(*this);
}

std::vector<double> HostTensor::toDoubles() const {
  return converted<double>(*this);
}

HostTensor HostTensor::reshaped(Shape shape) const {
  assert(popart::numElements(shape) == numElements());
  return HostTensor({type(), std::move(shape)}, storage);
}

} // namespace popart
