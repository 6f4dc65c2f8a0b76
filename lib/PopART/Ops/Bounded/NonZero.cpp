// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NonZero of a run-time tensor: the indices of non-zero elements, a row for
// each dimension, padded with -1.

#include "lib/PopART/Ops/Bounded/BoundedOp.h"
#include "lib/PopART/Ops/Elementwise/Expressions.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

namespace populus::popir {

namespace {

class BoundedNonZero final : public BoundedOp {
public:
  using BoundedOp::BoundedOp;

  std::vector<Result> bounded() const override {
    return {{{DataType::Int64, {input(0).info.rank(), bound()}}, 1}};
  }
  std::int64_t mostRows() const override { return input(0).info.numElements(); }
  /// In float16 a small number would become zero.
  bool needsFloat32(std::size_t) const override { return true; }

protected:
  void lowerRows(Lowering &lowering) const override {
    const poplar::Tensor x = lowering.input(*this, 0).flatten();
    const Rows rows = chosen(
        lowering,
        mapped(lowering, *this,
               expr::NotEqual(expr::_1, expr::Const(0, x.elementType())), {x}));
    const Shape &shape = inputShape(0);
    const std::vector<std::int64_t> steps = strides(shape);
    std::vector<poplar::Tensor> indices;
    for (std::size_t i = 0; i != shape.size(); ++i) {
      const expr::Any index = expr::Rem(
          expr::Divide(expr::_1, expr::Const(static_cast<int>(steps[i]))),
          expr::Const(static_cast<int>(shape[i])));
      indices.push_back(
          mapped(lowering, *this,
                 expr::Select(index, expr::Const(-1),
                              expr::Lt(expr::_1, expr::Const(rows.none))),
                 {rows.places})
              .expand({0}));
    }
    setResult(lowering, 0,
              indices.empty() ? rows.places.slice(0, 0)
                              : poplar::concat(indices, 0));
  }
};

const RegisterBoundedOp<BoundedNonZero>
    registration({"NonZero", "BoundedNonZero", {0}});

} // namespace

} // namespace populus::popir
