// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise expressions as vertices of a compute set that the caller has, for
// functions that take one instead of a program.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_ELEMENTWISE_MAPINTO_H
#define POPULUS_LIB_POPLIBS_POPOPS_ELEMENTWISE_MAPINTO_H

#include <poplar/Graph.hpp>
#include <popops/Expr.hpp>

#include <vector>

namespace popops {

/// out = the expression. \p out may be the first tensor itself, but not overlap
/// the tensors otherwise. Throws poplibs_error where that takes several steps.
void mapInto(poplar::Graph &graph, const expr::Expr &expr,
             const std::vector<poplar::Tensor> &ts, const poplar::Tensor &out,
             poplar::ComputeSet cs, const poplar::DebugContext &debugContext);

} // namespace popops

#endif
