// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bits of non-negative floats, read as integers, grow with the value; those
// of negative floats fall with it. Inverting all bits except the sign of
// negative floats makes the integers grow throughout.

#include "lib/PopART/Ops/Bounded/FloatOrder.h"

#include "lib/PopART/Ops/Elementwise/Expressions.h"

#include <limits>

namespace populus::popir {

namespace {

constexpr int AllButSign = std::numeric_limits<int>::max();

/// Its own inverse.
expr::Any turned(const expr::Expr &bits) {
  return expr::Select(bits, expr::BitwiseXor(bits, expr::Const(AllButSign)),
                      expr::Gte(bits, expr::Const(0)));
}

} // namespace

poplar::Tensor orderedIntegers(Lowering &lowering, const Op &op,
                               const poplar::Tensor &floats) {
  const poplar::Tensor numbers = // no zero is negative then
      mapped(lowering, op, expr::_1 + expr::Const(0.0F), {floats});
  return mapped(lowering, op,
                expr::Select(turned(expr::_1), expr::Const(AllButSign),
                             expr::Equal(expr::_2, expr::_2)),
                {numbers.reinterpret(poplar::INT), numbers});
}

poplar::Tensor floatsOfOrder(Lowering &lowering, const Op &op,
                             const poplar::Tensor &integers) {
  return mapped(lowering, op, turned(expr::_1), {integers})
      .reinterpret(poplar::FLOAT);
}

} // namespace populus::popir
