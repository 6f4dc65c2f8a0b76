// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise expressions as vertices of the caller's compute set, for
// functions that take a compute set instead of a program.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_ELEMENTWISE_MAPINTO_H
#define POPULUS_LIB_POPLIBS_POPOPS_ELEMENTWISE_MAPINTO_H

#include <poplar/Graph.hpp>
#include <popops/Expr.hpp>

#include <vector>

namespace popops {

/// Writes the expression to \p out, which may equal the first tensor but not
/// overlap the tensors otherwise. Throws poplibs_error if several steps are
/// needed.
void mapInto(poplar::Graph &graph, const expr::Expr &expr,
             const std::vector<poplar::Tensor> &ts, const poplar::Tensor &out,
             poplar::ComputeSet cs, const poplar::DebugContext &debugContext);

} // namespace popops

#endif
