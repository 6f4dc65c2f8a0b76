// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradients of pools. SumPoolGrad(dy) adds the gradient of each window to
// all of its elements; MaxPoolGrad(x, y, dy) to its elements equal to y, as
// PopART and popnn do, or to the first of them, as PyTorch does. Equal elements
// are common: those that a ReLU set to 0, or a bias on an empty background.
// Windows that popnn lacks are processed tap by tap on the padded field.

#include "lib/PopART/IR/Annotations.h"
#include "lib/PopART/Ops/Elementwise/Elementwise.h"
#include "lib/PopART/Ops/Reduction/Reduction.h"
#include "lib/PopART/Ops/Windows/PoolOp.h"

#include <popnn/Pooling.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Zero.hpp>
#include <poputil/Util.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

namespace populus::popir {

namespace {

constexpr const char *ShapeName = "input_shape";

class PoolGradient : public PoolOp {
public:
  using PoolOp::PoolOp;

  std::vector<TensorInfo> infer() const final {
    return {{input(0).info.type, pooledShape()}};
  }

protected:
  Shape pooledShape() const final { return attributes().getInts(ShapeName); }

  /// Accumulates a field: calls `addTap` for each tap, with the elements of the
  /// padded field at the tap; then crops the padding.
  template <class AddTap>
  poplar::Tensor byTaps(Lowering &lowering, const poplar::Type &type,
                        AddTap &&addTap) const {
    poplar::Graph &graph = lowering.graph();
    const Window w = window();
    const Shape field = fieldOf(*this, pooledShape());
    std::vector<std::size_t> shape = toPoplar(pooledShape());
    for (std::size_t i = 0; i != w.rank(); ++i)
      shape[i + 2] = static_cast<std::size_t>(
          field[i] + w.padLower[i] +
          std::max<std::int64_t>(w.exactPadUpper(i, field[i]), 0));
    poplar::Tensor sum =
        graph.addVariable(type, shape, poplar::VariableMappingMethod::LINEAR,
                          lowering.debug(*this));
    popops::zero(graph, sum, lowering.program(), lowering.debug(*this));
    for (std::int64_t tap = 0; tap != numElements(w.kernel); ++tap)
      addTap(elementsAt(sum, tap), tap);
    for (std::size_t i = 0; i != w.rank(); ++i) {
      const auto begin = static_cast<std::size_t>(w.padLower[i]);
      sum = sum.slice(begin, begin + static_cast<std::size_t>(field[i]),
                      static_cast<unsigned>(i + 2));
    }
    return sum;
  }
};

class SumPoolGradient final : public PoolGradient {
public:
  using PoolGradient::PoolGradient;

  void lower(Lowering &lowering) const override {
    const poplar::Tensor dy = lowering.input(*this, 0);
    if (!poolsByTaps())
      return lowering.setOutput(
          *this, popnn::pooling::poolInputGradient(
                     lowering.graph(),
                     params(popnn::PoolingType::SUM, dy.elementType()), 1, dy,
                     lowering.program(), lowering.debug(*this)));
    lowering.setOutput(*this,
                       byTaps(lowering, dy.elementType(),
                              [&](const poplar::Tensor &places, auto) {
                                popops::addInPlace(lowering.graph(), places, dy,
                                                   lowering.program(),
                                                   lowering.debug(*this));
                              }));
  }
};

class MaxPoolGradient final : public PoolGradient {
public:
  using PoolGradient::PoolGradient;

  void lower(Lowering &lowering) const override {
    const poplar::Tensor x = lowering.input(*this, 0);
    const poplar::Tensor y = lowering.input(*this, 1);
    const poplar::Tensor dy = lowering.input(*this, 2);
    if (attributes().getInt(annotations::TorchTies, 0) == 0)
      return lowering.setOutput(*this, ofAll(lowering, x, y, dy));
    poplar::Tensor dx =
        coversField() ? ofField(lowering, x, y, dy)
                      : ofWindows(lowering, x, y,
                                  poputil::duplicate(lowering.graph(), dy,
                                                     lowering.program(),
                                                     lowering.debug(*this)));
    if (dx.elementType() != dy.elementType())
      dx = popops::cast(lowering.graph(), dx, dy.elementType(),
                        lowering.program(), lowering.debug(*this));
    lowering.setOutput(*this, dx);
  }

private:
  /// The whole gradient of a window for each of its largest elements.
  poplar::Tensor ofAll(Lowering &lowering, const poplar::Tensor &x,
                       const poplar::Tensor &y,
                       const poplar::Tensor &dy) const {
    if (!poolsByTaps())
      return popnn::pooling::poolInputGradient(
          lowering.graph(), params(popnn::PoolingType::MAX, dy.elementType()),
          x, y, dy, false, lowering.program(), lowering.debug(*this));
    const poplar::Tensor field =
        padded(lowering, x, -std::numeric_limits<double>::infinity());
    const expr::Any sum =
        expr::_1 + expr::Select(expr::_2, expr::Const(0, dy.elementType()),
                                expr::Equal(expr::_3, expr::_4));
    return byTaps(lowering, dy.elementType(),
                  [&](const poplar::Tensor &places, std::int64_t tap) {
                    popops::mapInPlace(lowering.graph(), sum,
                                       {places, dy, elementsAt(field, tap), y},
                                       lowering.program(),
                                       lowering.debug(*this));
                  });
  }

  bool coversField() const {
    return window().kernel == fieldOf(*this, pooledShape()) &&
           numElements(window().output) == 1;
  }

  /// One window for each channel: the first place of the result is the smallest
  /// one where the field has its value.
  poplar::Tensor ofField(Lowering &lowering, const poplar::Tensor &x,
                         const poplar::Tensor &y,
                         const poplar::Tensor &dy) const {
    const std::int64_t extent = numElements(window().kernel);
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(extent));
    std::iota(numbers.begin(), numbers.end(), 0);
    const poplar::Tensor places =
        lowering
            .addConstant(
                HostTensor::ofInts(numbers).convertedTo(DataType::Int32),
                {lowering.debug(*this), "places"})
            .reshape(toPoplar(fieldOf(*this, pooledShape())))
            .expand({0, 0});
    const poplar::Tensor hits = popops::map(
        lowering.graph(),
        expr::Select(expr::_1, expr::Const(static_cast<int>(extent)),
                     expr::Equal(expr::_2, expr::_3)),
        {places, x, y}, lowering.program(), lowering.debug(*this));
    std::vector<std::size_t> dims(window().rank());
    std::iota(dims.begin(), dims.end(), 2);
    const poplar::Tensor first =
        reduceKeepingDims(lowering, *this, hits, dims, popops::Operation::MIN);
    return popops::map(lowering.graph(),
                       expr::Select(expr::_1, expr::Const(0, dy.elementType()),
                                    expr::Equal(expr::_2, expr::_3)),
                       {dy, places, first}, lowering.program(),
                       lowering.debug(*this));
  }

  /// Tap by tap, so that a window's gradient goes to the first of its largest
  /// elements; `rest` has those of the windows that have met none so far. Sums
  /// are kept in float.
  poplar::Tensor ofWindows(Lowering &lowering, const poplar::Tensor &x,
                           const poplar::Tensor &y,
                           const poplar::Tensor &rest) const {
    const poplar::Tensor field =
        padded(lowering, x, -std::numeric_limits<double>::infinity());
    const expr::Const zero(0, rest.elementType());
    const expr::Any sum =
        expr::_1 + expr::Cast(expr::Select(expr::_2, zero,
                                           expr::Equal(expr::_3, expr::_4)),
                              poplar::FLOAT);
    const expr::Any others =
        expr::Select(zero, expr::_1, expr::Equal(expr::_2, expr::_3));
    const std::int64_t last = numElements(window().kernel) - 1;
    return byTaps(
        lowering, poplar::FLOAT,
        [&](const poplar::Tensor &places, std::int64_t tap) {
          const poplar::Tensor elements = elementsAt(field, tap);
          popops::mapInPlace(lowering.graph(), sum, {places, rest, elements, y},
                             lowering.program(), lowering.debug(*this));
          if (tap != last)
            popops::mapInPlace(lowering.graph(), others, {rest, elements, y},
                               lowering.program(), lowering.debug(*this));
        });
  }
};

const RegisterInternalOp<SumPoolGradient> sum("SumPoolGrad");
const RegisterInternalOp<MaxPoolGradient> max("MaxPoolGrad");

/// The attributes of a pool, and the shape of its input.
Attributes gradientAttributes(const Op &pool) {
  Attributes attributes = pool.attributes();
  attributes.set(ShapeName, pool.inputShape(0));
  return attributes;
}

} // namespace

Value &sumPoolGradient(Gradients &g, const Op &pool, Value &dy) {
  return g.opLike("SumPoolGrad", {&dy}, gradientAttributes(pool),
                  "ai.graphcore");
}

Value &maxPoolGradient(Gradients &g) {
  return g.opLike("MaxPoolGrad", {&g.x(), &g.y(), &g.dy()},
                  gradientAttributes(g.forward()), "ai.graphcore");
}

} // namespace populus::popir
