// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Construction and conversion of tensors with known values.

#include "lib/PopART/IR/HostTensor.h"

#include "lib/PopART/Support/Error.h"

namespace popart {

namespace {

template <class To> std::vector<To> converted(const HostTensor &tensor) {
  std::vector<To> result;
  result.reserve(tensor.numElements());
  bool known = withElementType(tensor.type(), [&](auto sample) {
    for (auto element : tensor.as<decltype(sample)>())
      result.push_back(static_cast<To>(element));
  });
  if (!known)
    failUnsupported("constants of type {} are not supported yet; export the "
                    "model in float32",
                    name(tensor.type()));
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
