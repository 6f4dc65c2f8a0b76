// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GlobalAveragePool, GlobalMaxPool and GlobalLpPool: one element for each
// channel. LpPool: a p-norm for each window.

#include "lib/PopART/Ops/Elementwise/Elementwise.h"
#include "lib/PopART/Ops/Reduction/Reduction.h"
#include "lib/PopART/Ops/Shape/Shapes.h"
#include "lib/PopART/Ops/Windows/PoolOp.h"

#include <popops/ElementWise.hpp>

#include <numeric>

namespace populus::popir {

namespace {

/// |x|^p and the p-th root. Powers of halves are floats, for they and their sum
/// can be beyond the range of the result.
poplar::Tensor power(Lowering &lowering, const Op &op, const poplar::Tensor &x,
                     double exponent, const poplar::Type &type) {
  const bool widens = x.elementType() != poplar::FLOAT;
  const expr::Any base =
      widens ? expr::Any(expr::Cast(expr::_1, poplar::FLOAT)) : expr::_1;
  expr::Any result =
      expr::Pow(expr::Abs(base), expr::Const(exponent, poplar::FLOAT));
  if (type != poplar::FLOAT)
    result = expr::Cast(result, type);
  return popops::map(lowering.graph(), result, {x}, lowering.program(),
                     lowering.debug(op));
}

// The gradient of (sum |x|^p)^(1/p) is sign(x) |x|^(p - 1) times y^(1 - p).
double exponentOf(Gradients &g) {
  return static_cast<double>(g.attributes().getInt("p", 2));
}
Value &powerOf(Gradients &g, Value &x, double exponent) {
  return g.op("Pow", {&x, &g.scalar(x.info.type, exponent)});
}
Value &normSlope(Gradients &g) {
  Value &size = powerOf(g, g.op("Abs", {&g.x()}), exponentOf(g) - 1);
  return g.mul(g.op("Sign", {&g.x()}), size);
}
Value &normDy(Gradients &g) {
  return g.mul(g.dy(), powerOf(g, g.y(), 1 - exponentOf(g)));
}

class GlobalPool final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    checkFloat(*this);
    const Shape &x = inputShape(0);
    const std::size_t fieldRank = fieldOf(*this, x).size(); // checks x's rank
    Shape result = {x[0], x[1]};
    result.resize(2 + fieldRank, 1);
    return {{input(0).info.type, result}};
  }

  void lower(Lowering &lowering) const override {
    using popops::Operation;
    std::vector<std::size_t> dims(inputShape(0).size() - 2);
    std::iota(dims.begin(), dims.end(), 2);
    poplar::Tensor x = lowering.input(*this, 0);
    if (id().type == "GlobalMaxPool")
      x = reduceKeepingDims(lowering, *this, x, dims, Operation::MAX);
    else if (id().type == "GlobalAveragePool")
      x = reduceKeepingDims(lowering, *this, x, dims, Operation::ADD,
                            1 / reducedCount(x, dims));
    else if (attributes().getInt("p", 2) == 2)
      x = euclideanNorm(lowering, *this, x, dims);
    else {
      auto p = static_cast<double>(attributes().getInt("p", 2));
      const poplar::Type type = x.elementType();
      x = power(lowering, *this, x, p, poplar::FLOAT);
      x = reduceKeepingDims(lowering, *this, x, dims, Operation::ADD);
      x = power(lowering, *this, x, 1 / p, type);
    }
    lowering.setOutput(*this, x);
  }

  void differentiate(Gradients &g) const override {
    const auto count =
        static_cast<double>(product(inputShape(0), 2, inputShape(0).size()));
    if (id().type == "GlobalAveragePool")
      g.set(0, g.expand(g.mul(g.dy(), 1 / count), inputShape(0)));
    else if (id().type == "GlobalMaxPool") // all that have the value
      g.set(0, g.where(g.op("Equal", {&g.x(), &g.y()}), g.dy()));
    else
      g.set(0, g.mul(normSlope(g), normDy(g)));
  }
};

const RegisterOp<GlobalPool> globalAveragePool("GlobalAveragePool", {1, 22});
const RegisterOp<GlobalPool> globalMaxPool("GlobalMaxPool", {1, 22});
const RegisterOp<GlobalPool> globalLpPool("GlobalLpPool", {2, 22});

class LpPool final : public PoolOp {
public:
  using PoolOp::PoolOp;

  void lower(Lowering &lowering) const override {
    auto p = static_cast<double>(attributes().getInt("p", 2));
    const poplar::Tensor x = lowering.input(*this, 0);
    const poplar::Tensor powers = power(lowering, *this, x, p, poplar::FLOAT);
    lowering.setOutput(*this,
                       power(lowering, *this,
                             pool(lowering, popnn::PoolingType::SUM, powers),
                             1 / p, x.elementType()));
  }

  void differentiate(Gradients &g) const override {
    g.set(0, g.mul(normSlope(g), sumPoolGradient(g, *this, normDy(g))));
  }
};

const RegisterOp<LpPool> lpPool("LpPool", {2, 11, 18, 22});

} // namespace

} // namespace populus::popir
