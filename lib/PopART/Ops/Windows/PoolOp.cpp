// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base of pools: attributes, the shape of the result, and the call of popnn.

#include "lib/PopART/Ops/Windows/PoolOp.h"

#include <fmt/format.h>
#include <popops/ElementWise.hpp>
#include <popops/Pad.hpp>

#include <algorithm>
#include <limits>

#include "lib/PopART/Ops/Shape/Shapes.h"

namespace populus::popir {

PoolOp::PoolOp(OpSpec spec) : DeviceOp(std::move(spec)) {
  if (!attributes().has("kernel_shape"))
    failInput("it has no kernel_shape");
}

Window PoolOp::window() const {
  return makeWindow(*this, fieldOf(*this, pooledShape()),
                    attributes().getInts("kernel_shape"));
}

std::vector<TensorInfo> PoolOp::infer() const {
  if (!worksOnIntegers())
    checkFloat(*this);
  const Shape &x = inputShape(0);
  Window w = window();
  Shape result = {x[0], x[1]};
  result.insert(result.end(), w.output.begin(), w.output.end());
  return {{input(0).info.type, result}};
}

bool PoolOp::poolsByTaps() const {
  Window w = window();
  return w.rank() > 2 || !isFloatingPoint(input(0).info.type) ||
         std::ranges::any_of(w.dilations,
                             [](auto dilation) { return dilation != 1; });
}

poplar::Tensor PoolOp::padded(Lowering &lowering, const poplar::Tensor &x,
                              double value) const {
  Window w = window();
  Shape field = fieldOf(*this, pooledShape());
  constexpr std::int64_t MostTaps = 8192;
  if (numElements(w.kernel) > MostTaps)
    failUnsupported(fmt::format("a window of {} elements with gaps, over three "
                                "and more dimensions, of integers, or with "
                                "indices is not supported",
                                numElements(w.kernel)));
  std::vector<std::ptrdiff_t> lower(2), upper(2);
  for (std::size_t i = 0; i != w.rank(); ++i) {
    lower.push_back(w.padLower[i]);
    upper.push_back(w.exactPadUpper(i, field[i]));
  }
  return popops::pad(lowering.graph(), x, lower, upper,
                     lowering.addScalar(*this, value),
                     popops::padding::MappingMethod::EDGE);
}

poplar::Tensor PoolOp::elementsAt(const poplar::Tensor &padded,
                                  std::int64_t tap) const {
  Window w = window();
  poplar::Tensor elements = padded;
  for (std::size_t i = w.rank(); i-- > 0;) {
    std::int64_t first = tap % w.kernel[i] * w.dilations[i];
    tap /= w.kernel[i];
    auto dim = static_cast<unsigned>(i + 2);
    std::int64_t last = first + (w.output[i] - 1) * w.strides[i];
    elements = elements.slice(first, last + 1, dim);
    if (w.strides[i] != 1)
      elements = elements.subSample(static_cast<unsigned>(w.strides[i]), dim);
  }
  return elements;
}

poplar::Tensor PoolOp::poolByTaps(Lowering &lowering, popnn::PoolingType type,
                                  const poplar::Tensor &x) const {
  bool isMax = type == popnn::PoolingType::MAX;
  poplar::Tensor field =
      padded(lowering, x, isMax ? -std::numeric_limits<double>::infinity() : 0);
  poplar::Tensor first = elementsAt(field, 0);
  poplar::Tensor result = lowering.graph().clone(first, lowering.debug(*this));
  lowering.program().add(
      poplar::program::Copy(first, result, false, lowering.debug(*this)));
  for (std::int64_t tap = 1; tap != numElements(window().kernel); ++tap)
    popops::mapInPlace(lowering.graph(),
                       isMax ? popops::expr::BinaryOpType::MAXIMUM
                             : popops::expr::BinaryOpType::ADD,
                       result, elementsAt(field, tap), lowering.program(),
                       lowering.debug(*this));
  return result;
}

popnn::pooling::PoolParams
PoolOp::params(popnn::PoolingType type, const poplar::Type &elementType) const {
  const Shape x = pooledShape(), field = fieldOf(*this, x);
  const Window w = window();
  std::vector<int> padLower, padUpper;
  for (std::size_t i = 0; i != w.rank(); ++i) {
    padLower.push_back(static_cast<int>(w.padLower[i]));
    padUpper.push_back(static_cast<int>(w.exactPadUpper(i, field[i])));
  }
  return {type,
          toPoplar(field),
          toPoplar(w.kernel),
          std::vector<unsigned>(w.strides.begin(), w.strides.end()),
          padLower,
          padUpper,
          static_cast<std::size_t>(x[1]),
          static_cast<std::size_t>(x[0]),
          elementType};
}

poplar::Tensor PoolOp::pool(Lowering &lowering, popnn::PoolingType type,
                            const poplar::Tensor &input) const {
  if (poolsByTaps())
    return poolByTaps(lowering, type, input);
  return popnn::pooling::pool(lowering.graph(),
                              params(type, input.elementType()), input,
                              lowering.program(), lowering.debug(*this));
}

} // namespace populus::popir
