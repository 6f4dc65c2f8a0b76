// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of constants in elementwise expressions. A subexpression of constants
// is computed in the type of its other operand, like a single constant.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_ELEMENTWISE_CONSTANTTYPES_H
#define POPULUS_LIB_POPLIBS_POPOPS_ELEMENTWISE_CONSTANTTYPES_H

#include <poplar/Graph.hpp>
#include <popops/Expr.hpp>

#include <vector>

namespace popops {

/// Returns the expression with typed constants: in _1 * Sqrt(Const(2.0f)) with
/// a half tensor the constant is a half. Constants inside a Cast keep their
/// type. Errors in the expression are reported elsewhere.
expr::Any withConstantTypes(const expr::Expr &expr,
                            const std::vector<poplar::Tensor> &tensors);

} // namespace popops

#endif
