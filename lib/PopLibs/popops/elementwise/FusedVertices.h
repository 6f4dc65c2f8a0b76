// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds the vertices of an expression that is computed at once.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_ELEMENTWISE_FUSEDVERTICES_H
#define POPULUS_LIB_POPLIBS_POPOPS_ELEMENTWISE_FUSEDVERTICES_H

#include "lib/PopLibs/popops/elementwise/FusedExpression.h"

namespace popops {

/// Returns true if the expression can be fused for a result of the shape and
/// layout of \p like. Vertices for runs of elements with the same operand must
/// not be too small.
bool canAddFusedOp(const poplar::Graph &graph, const FusedExpression &fused,
                   const poplar::Tensor &like);

/// out = the expression. \p out has its shape and type; it may be the tensor of
/// one of the operands itself, but not overlap them otherwise.
void addFusedOp(poplar::Graph &graph, const FusedExpression &fused,
                const poplar::Tensor &out, poplar::ComputeSet cs);

/// The source of the vertex type for a result of its own, operands of which
/// none repeats its elements for long runs.
std::string fusedSource(const FusedExpression &fused);

} // namespace popops

#endif
