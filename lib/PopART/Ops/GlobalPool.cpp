// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GlobalAveragePool, GlobalMaxPool and GlobalLpPool: one element for each
// channel. LpPool: a p-norm for each window.

#include "lib/PopART/Ops/Elementwise.h"
#include "lib/PopART/Ops/PoolOp.h"
#include "lib/PopART/Ops/Reduction.h"
#include "lib/PopART/Ops/Shapes.h"

#include <popops/ElementWise.hpp>

#include <numeric>

namespace populus::popir {

namespace {

/// |x|^p and the p-th root.
poplar::Tensor power(Lowering &lowering, const Op &op, const poplar::Tensor &x,
                     double exponent) {
  return popops::map(
      lowering.graph(),
      expr::Pow(expr::Abs(expr::_1), expr::Const(exponent, x.elementType())),
      {x}, lowering.program(), lowering.debug(op));
}

class GlobalPool final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    checkFloat(*this);
    const Shape &x = inputShape(0);
    Shape result = {x[0], x[1]};
    result.resize(2 + fieldOf(*this, x).size(), 1);
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
    else {
      auto p = static_cast<double>(attributes().getInt("p", 2));
      x = power(lowering, *this, x, p);
      x = reduceKeepingDims(lowering, *this, x, dims, Operation::ADD);
      x = power(lowering, *this, x, 1 / p);
    }
    lowering.setOutput(*this, x);
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
    poplar::Tensor powers = power(lowering, *this, lowering.input(*this, 0), p);
    lowering.setOutput(
        *this, power(lowering, *this,
                     pool(lowering, popnn::PoolingType::SUM, powers), 1 / p));
  }
};

const RegisterOp<LpPool> lpPool("LpPool", {2, 11, 18, 22});

} // namespace

} // namespace populus::popir
