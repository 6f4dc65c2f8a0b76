// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The logarithm of softmax along the innermost dimension, without the overflow
// and loss of precision of taking them one after the other.

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
