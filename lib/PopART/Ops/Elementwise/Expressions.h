// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that operators are put together from, where one expression of popops
// is not all of an operator.

#ifndef POPULUS_LIB_POPART_OPS_ELEMENTWISE_EXPRESSIONS_H
#define POPULUS_LIB_POPART_OPS_ELEMENTWISE_EXPRESSIONS_H

#include "lib/PopART/Lowering/Lowering.h"

#include <popops/Expr.hpp>

namespace populus::popir {

namespace expr = popops::expr;

/// The logarithm of zero; finite, so that sums of it are.
constexpr float LogOfZero = -1e30F;
/// log(e^a + e^b)
expr::Any logSum(const expr::Expr &a, const expr::Expr &b);

/// `value` of the operands, which are broadcast to each other.
poplar::Tensor mapped(Lowering &lowering, const Op &op, const expr::Expr &value,
                      const std::vector<poplar::Tensor> &operands);

/// A constant that is the same everywhere; its elements are one.
poplar::Tensor filled(Lowering &lowering, const Op &op, const Shape &shape,
                      DataType type, double value);

/// An input as another type.
poplar::Tensor castInput(Lowering &lowering, const Op &op, std::size_t index,
                         const poplar::Type &type);

} // namespace populus::popir

#endif
