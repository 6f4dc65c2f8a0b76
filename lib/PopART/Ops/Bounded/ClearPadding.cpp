// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ClearPadding: zeros behind as many rows of a padded tensor as are there. The
// import puts it before results that were computed of padding, too
// (Import/Bounds.h).

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Elementwise/Expressions.h"
#include "lib/PopART/Ops/Indexing/Indexing.h"

namespace populus::popir {

namespace {

class ClearPadding final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override { return {input(0).info}; }

  void lower(Lowering &lowering) const override {
    const poplar::Tensor x = lowering.input(*this, 0);
    const auto axis = static_cast<std::size_t>(attributes().getInt("axis", 0));
    std::vector<std::size_t> shape(x.rank(), 1);
    shape[axis] = x.dim(axis);
    lowering.setOutput(
        *this,
        mapped(lowering, *this,
               expr::Select(expr::_1, expr::Const(0, x.elementType()),
                            expr::Lt(expr::_2, expr::_3)),
               {x, countingRow(lowering, *this, x.dim(axis)).reshape(shape),
                lowering.input(*this, 1)}));
  }
};

const RegisterInternalOp<ClearPadding> registration("ClearPadding");

} // namespace

} // namespace populus::popir
