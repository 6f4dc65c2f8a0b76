// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of constants in elementwise expressions: what is made of constants
// is computed in the type of what it is combined with, as a single constant is.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_ELEMENTWISE_CONSTANTTYPES_H
#define POPULUS_LIB_POPLIBS_POPOPS_ELEMENTWISE_CONSTANTTYPES_H

#include <poplar/Graph.hpp>
#include <popops/Expr.hpp>

#include <vector>

namespace popops {

/// The expression with constants of these types: in _1 * Sqrt(Const(2.0f)) of a
/// half tensor the constant is a half. What is inside a Cast keeps its type.
/// Errors in the expression are for others to report.
expr::Any withConstantTypes(const expr::Expr &expr,
                            const std::vector<poplar::Tensor> &tensors);

} // namespace popops

#endif
