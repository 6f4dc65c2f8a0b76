// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluation of elementwise expressions. The largest subtrees that fit one
// vertex become one compute set each (FusedExpression.h); any other node
// becomes its own.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_ELEMENTWISE_EVALUATION_H
#define POPULUS_LIB_POPLIBS_POPOPS_ELEMENTWISE_EVALUATION_H

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popops/Expr.hpp>

#include <vector>

namespace popops {

/// Returns the value of the expression as a new tensor.
poplar::Tensor evaluate(poplar::Graph &graph, const expr::Expr &expr,
                        const std::vector<poplar::Tensor> &tensors,
                        poplar::program::Sequence &prog,
                        const poplar::DebugContext &debugContext,
                        const poplar::OptionFlags &options);

/// Writes the value to \p out.
void evaluateTo(poplar::Graph &graph, const expr::Expr &expr,
                const std::vector<poplar::Tensor> &tensors,
                const poplar::Tensor &out, poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext,
                const poplar::OptionFlags &options);

/// Returns true if several operations are fused into one generated vertex.
bool generatesCodelets(const poplar::OptionFlags &options);

/// Throws if a tensor has 8-bit floats, which have no arithmetic.
void refuseQuarters(const std::vector<poplar::Tensor> &tensors);

} // namespace popops

#endif
