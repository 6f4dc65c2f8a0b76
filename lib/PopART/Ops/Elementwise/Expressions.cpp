// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of operators: calls of PopLibs with the name of the operator.

#include "lib/PopART/Ops/Elementwise/Expressions.h"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>

namespace populus::popir {

expr::Any logSum(const expr::Expr &a, const expr::Expr &b) {
  return expr::Max(a, b) + expr::Log1p(expr::Exp(-expr::Abs(a - b)));
}

poplar::Tensor mapped(Lowering &lowering, const Op &op, const expr::Expr &value,
                      const std::vector<poplar::Tensor> &operands) {
  return popops::map(lowering.graph(), value, operands, lowering.program(),
                     lowering.debug(op));
}

poplar::Tensor filled(Lowering &lowering, const Op &op, const Shape &shape,
                      DataType type, double value) {
  poplar::Tensor scalar = lowering.addConstant(HostTensor::scalar(type, value),
                                               {lowering.debug(op), "fill"});
  for (std::size_t i = 0; i != shape.size(); ++i)
    scalar = scalar.expand({0});
  for (unsigned i = 0; i != shape.size(); ++i)
    scalar = scalar.broadcast(static_cast<unsigned>(shape[i]), i);
  return scalar;
}

poplar::Tensor castInput(Lowering &lowering, const Op &op, std::size_t index,
                         const poplar::Type &type) {
  return popops::cast(lowering.graph(), lowering.input(op, index), type,
                      lowering.program(), lowering.debug(op));
}

} // namespace populus::popir
