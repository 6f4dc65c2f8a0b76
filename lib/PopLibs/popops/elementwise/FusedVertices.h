// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds the vertices of a fused expression.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_ELEMENTWISE_FUSEDVERTICES_H
#define POPULUS_LIB_POPLIBS_POPOPS_ELEMENTWISE_FUSEDVERTICES_H

#include "lib/PopLibs/popops/elementwise/FusedExpression.h"

namespace popops {

/// Returns true if the expression can be fused for a result of the shape and
/// layout of \p like. Vertices for runs of elements with the same operand must
/// not be too small.
bool canAddFusedOp(const poplar::Graph &graph, const FusedExpression &fused,
                   const poplar::Tensor &like);

/// Writes the expression to \p out, which has its shape and type. \p out may
/// equal an operand's tensor, but not overlap the operands otherwise.
void addFusedOp(poplar::Graph &graph, const FusedExpression &fused,
                const poplar::Tensor &out, poplar::ComputeSet cs);

/// Returns the source of the vertex type for a separate output and operands
/// without long runs of repeated elements.
std::string fusedSource(const FusedExpression &fused);

} // namespace popops

#endif
