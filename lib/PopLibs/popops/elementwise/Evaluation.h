// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The value of an elementwise expression: the largest parts of the tree that go
// into one vertex become a compute set each (FusedExpression.h), else every
// node does.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_ELEMENTWISE_EVALUATION_H
#define POPULUS_LIB_POPLIBS_POPOPS_ELEMENTWISE_EVALUATION_H

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popops/Expr.hpp>

#include <vector>

namespace popops {

/// The value of the whole expression as a tensor of its own.
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

/// Throws where a tensor has 8-bit floats, for there is no arithmetic of them.
void refuseQuarters(const std::vector<poplar::Tensor> &tensors);

} // namespace popops

#endif
