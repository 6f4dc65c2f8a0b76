// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax along the innermost dimension, in place.

#ifndef POPULUS_LIB_POPLIBS_POPNN_SOFTMAX_H
#define POPULUS_LIB_POPLIBS_POPNN_SOFTMAX_H

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popnn {

/// A copy of t to compute the softmax in: short rows are on a tile each.
poplar::Tensor copyForSoftmax(poplar::Graph &graph, const poplar::Tensor &t,
                              poplar::program::Sequence &prog,
                              const poplar::DebugContext &debugContext);

/// t = scale * exp(t - max) / sum(exp(t - max)), row by row.
void addSoftmax(poplar::Graph &graph, const poplar::Tensor &t, float scale,
                poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext);

} // namespace popnn

#endif
