// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradients of pools. SumPoolGrad(dy) adds the gradient of each window to
// all of its elements; MaxPoolGrad(x, y, dy) to its elements equal to y.
// Windows that popnn lacks are processed tap by tap on the padded field.

#include "lib/PopART/Ops/Elementwise/Elementwise.h"
#include "lib/PopART/Ops/Windows/PoolOp.h"

#include <popnn/Pooling.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Zero.hpp>

#include <algorithm>
#include <limits>

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
  poplar::Tensor byTaps(Lowering &lowering, const poplar::Tensor &like,
                        AddTap &&addTap) const {
    poplar::Graph &graph = lowering.graph();
    const Window w = window();
    const Shape field = fieldOf(*this, pooledShape());
    std::vector<std::size_t> shape = toPoplar(pooledShape());
    for (std::size_t i = 0; i != w.rank(); ++i)
      shape[i + 2] = static_cast<std::size_t>(
          field[i] + w.padLower[i] +
          std::max<std::int64_t>(w.exactPadUpper(i, field[i]), 0));
    poplar::Tensor sum = graph.addVariable(
        like.elementType(), shape, poplar::VariableMappingMethod::LINEAR,
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
    lowering.setOutput(
        *this, byTaps(lowering, dy, [&](const poplar::Tensor &places, auto) {
          popops::addInPlace(lowering.graph(), places, dy, lowering.program(),
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
    if (!poolsByTaps())
      return lowering.setOutput(
          *this, popnn::pooling::poolInputGradient(
                     lowering.graph(),
                     params(popnn::PoolingType::MAX, dy.elementType()), x, y,
                     dy, false, lowering.program(), lowering.debug(*this)));
    const poplar::Tensor field =
        padded(lowering, x, -std::numeric_limits<double>::infinity());
    const expr::Any sum =
        expr::_1 + expr::Select(expr::_2, expr::Const(0, dy.elementType()),
                                expr::Equal(expr::_3, expr::_4));
    lowering.setOutput(
        *this,
        byTaps(lowering, dy,
               [&](const poplar::Tensor &places, std::int64_t tap) {
                 popops::mapInPlace(lowering.graph(), sum,
                                    {places, dy, elementsAt(field, tap), y},
                                    lowering.program(), lowering.debug(*this));
               }));
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
