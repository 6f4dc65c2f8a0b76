// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compress by a condition that is computed when the model runs: the slices that
// it selects, and zeros behind them.

#include "lib/PopART/Ops/Bounded/BoundedOp.h"
#include "lib/PopART/Ops/Elementwise/Expressions.h"
#include "lib/PopART/Ops/Indexing/Indexing.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>
#include <popops/Cast.hpp>

#include <algorithm>

namespace populus::popir {

namespace {

class BoundedCompress final : public BoundedOp {
public:
  using BoundedOp::BoundedOp;

  std::vector<Result> bounded() const override {
    Shape shape = data();
    shape[axis()] = bound();
    return {{{input(0).info.type, shape}, axis()}};
  }

  std::int64_t mostRows() const override {
    if (input(1).info.rank() != 1)
      failInput("its condition is not a list");
    const std::int64_t flags = input(1).info.numElements();
    if (flags > data()[axis()])
      failInput(fmt::format("its condition has {} elements for {} slices",
                            flags, data()[axis()]));
    return flags;
  }

protected:
  void lowerRows(Lowering &lowering) const override {
    const auto dim = static_cast<unsigned>(axis());
    const auto extent = static_cast<std::size_t>(data()[dim]);
    const Rows rows =
        chosen(lowering, castInput(lowering, *this, 1, poplar::BOOL).flatten());
    // A row outside of the table reads as zeros.
    const poplar::Tensor places = mapped(
        lowering, *this,
        expr::Cast(expr::Select(expr::_1, expr::Const(static_cast<int>(extent)),
                                expr::Lt(expr::_1, expr::Const(rows.none))),
                   poplar::UNSIGNED_INT),
        {rows.places});
    const poplar::Tensor table =
        lowering.input(*this, 0).reshape(toPoplar(data())).dimRoll(dim, 0);
    std::vector<std::size_t> shape = table.shape();
    shape[0] = static_cast<std::size_t>(bound());
    if (table.numElements() == 0)
      return setResult(lowering, 0,
                       filled(lowering, *this, bounded()[0].info.shape,
                              deviceDataType(input(0).info.type), 0));
    setResult(lowering, 0,
              takeRows(lowering, *this,
                       asRows(table, table.numElements() / extent), places)
                  .reshape(shape)
                  .dimRoll(0, dim));
  }
};

const RegisterBoundedOp<BoundedCompress>
    registration({"Compress", "BoundedCompress", {1}});

} // namespace

} // namespace populus::popir
