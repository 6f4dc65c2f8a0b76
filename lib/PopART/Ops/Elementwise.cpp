// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inference, constant evaluation and lowering of elementwise operators.

#include "lib/PopART/Ops/Elementwise.h"

#include "lib/PopART/Ops/Shapes.h"

#include <fmt/format.h>

#include <type_traits>

namespace popart {

std::vector<TensorInfo> UnaryOp::infer() const {
  checkFloat(*this);
  return {input(0).info};
}

void UnaryOp::lower(Lowering &lowering) const {
  lowering.setOutput(*this, apply(lowering, lowering.input(*this, 0)));
}

Shape BinaryOp::rightShape() const {
  Shape shape = inputShape(1);
  if (version() >= 7 || !attributes().has("axis"))
    return shape;
  std::int64_t rank = input(0).info.rank();
  std::int64_t axis = normalAxis(*this, attributes().getInt("axis", 0), rank);
  while (axis + static_cast<std::int64_t>(shape.size()) < rank)
    shape.push_back(1);
  return shape;
}

std::vector<TensorInfo> BinaryOp::infer() const {
  if (input(0).info.type != input(1).info.type)
    failInput(fmt::format("its operands have different types, {} and {}",
                          popart::name(input(0).info.type),
                          popart::name(input(1).info.type)));
  return {
      {input(0).info.type, broadcastShape(*this, inputShape(0), rightShape())}};
}

void BinaryOp::lower(Lowering &lowering) const {
  poplar::Tensor a = lowering.input(*this, 0);
  poplar::Tensor b = lowering.input(*this, 1).reshape(toPoplar(rightShape()));
  lowering.setOutput(*this, apply(lowering, a, b));
}

namespace {

/// For each element of `result`, the index of the element of a smaller shape
/// that is broadcast to it.
class BroadcastIndex {
public:
  BroadcastIndex(const Shape &from, const Shape &result)
      : extents(result), steps(result.size(), 0) {
    std::vector<std::int64_t> fromSteps = strides(from);
    std::size_t shift = result.size() - from.size();
    for (std::size_t i = 0; i != from.size(); ++i)
      steps[shift + i] = from[i] == 1 ? 0 : fromSteps[i];
  }

  std::int64_t operator()(std::int64_t flat) const {
    std::int64_t index = 0;
    for (std::size_t i = extents.size(); i-- > 0;) {
      index += flat % extents[i] * steps[i];
      flat /= extents[i];
    }
    return index;
  }

private:
  Shape extents;
  std::vector<std::int64_t> steps;
};

} // namespace

std::optional<std::vector<HostTensor>> BinaryOp::evaluate() const {
  const HostTensor &a = *input(0).value, &b = *input(1).value;
  if (a.type() == DataType::UInt64) // wider than what we compute in
    return std::nullopt;
  HostTensor result(infer()[0]);
  BroadcastIndex indexA(a.shape(), result.shape());
  BroadcastIndex indexB(rightShape(), result.shape());
  bool known = withElementType(result.type(), [&](auto sample) {
    using T = decltype(sample);
    using Wide =
        std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;
    auto from = a.as<T>(), with = b.as<T>();
    std::span<T> to = result.as<T>();
    for (std::size_t i = 0; i != to.size(); ++i)
      to[i] = static_cast<T>(compute(static_cast<Wide>(from[indexA(i)]),
                                     static_cast<Wide>(with[indexB(i)])));
  });
  if (!known)
    return std::nullopt;
  return std::vector{std::move(result)};
}

} // namespace popart
