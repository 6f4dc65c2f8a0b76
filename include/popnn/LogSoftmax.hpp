// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Logarithm of the softmax along the innermost dimension. It does not overflow,
// and it is more precise than a softmax followed by a logarithm.

#ifndef POPULUS_POPNN_LOGSOFTMAX_HPP
#define POPULUS_POPNN_LOGSOFTMAX_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popnn {

poplar::Tensor logSoftmax(poplar::Graph &graph, const poplar::Tensor &t,
                          poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {});
void logSoftmaxInPlace(poplar::Graph &graph, poplar::Tensor t,
                       poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});

} // namespace popnn

#endif
