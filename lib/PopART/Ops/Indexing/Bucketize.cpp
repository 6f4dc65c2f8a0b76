// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bucketize of Graphcore's domain: for each element x, the number of boundaries
// b < x or, with `right`, b <= x. Boundaries are in ascending order.

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Elementwise/Elementwise.h"
#include "lib/PopART/Ops/Reduction/Reduction.h"

#include <popops/ElementWise.hpp>

namespace populus::popir {

namespace {

class Bucketize final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    if (inputShape(1).size() != 1 || input(0).info.type != input(1).info.type)
      failInput("its boundaries are not a vector of the type of its input");
    return {{DataType::Int32, inputShape(0)}};
  }

  void lower(Lowering &lowering) const override {
    const poplar::Tensor x = lowering.input(*this, 0);
    std::vector<std::size_t> column = x.shape();
    column.push_back(1);
    const bool right = attributes().getInt("right", 0) != 0;
    const expr::Any isPassed = right ? expr::Any(expr::Gte(expr::_1, expr::_2))
                                     : expr::Any(expr::Gt(expr::_1, expr::_2));
    poplar::Tensor passed =
        popops::map(lowering.graph(), expr::Cast(isPassed, poplar::INT),
                    {x.reshape(column), lowering.input(*this, 1)},
                    lowering.program(), lowering.debug(*this));
    lowering.setOutput(*this,
                       reduceKeepingDims(lowering, *this, passed, {x.rank()},
                                         popops::Operation::ADD)
                           .reshape(x.shape()));
  }
};

const RegisterOp<Bucketize> registration("Bucketize", {1}, "ai.graphcore", 2);

} // namespace

} // namespace populus::popir
