// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses with their gradients, accuracy, and the indices of the largest and
// smallest elements of rows.

#ifndef POPULUS_POPNN_LOSS_HPP
#define POPULUS_POPNN_LOSS_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

#include <utility>

namespace popnn {

enum LossType {
  /// Half the sum of squared differences; deltas = outputs - expected.
  SUM_SQUARED_LOSS,
  /// -sum(expected * log(outputs)). The outputs are those of a softmax, and the
  /// deltas are the gradient of its input.
  CROSS_ENTROPY_LOSS
};

/// For outputs [batch, classes] of type FLOAT or HALF writes loss [batch] and
/// deltas [batch, classes], of the same type. \p expected is either one class
/// for each row, of type INT or UNSIGNED_INT (MASKED_LABEL_CODE leaves the row
/// out), or a distribution [batch, classes]. Outputs that were multiplied by
/// \p modelOutputScaling count as if they were not; the deltas are multiplied
/// by
/// \p deltasScale. The number of rows whose largest output is the expected
/// class is added to \p numCorrect, one element of type UNSIGNED_INT.
poplar::program::Program
calcLoss(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
         const poplar::Tensor &expected, const poplar::Tensor &loss,
         const poplar::Tensor &deltas, const poplar::Tensor &deltasScale,
         const poplar::Tensor &modelOutputScaling, LossType lossType,
         const poplar::DebugContext &debugContext = {});
poplar::program::Program
calcLoss(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
         const poplar::Tensor &expected, const poplar::Tensor &loss,
         const poplar::Tensor &deltas, LossType lossType,
         const poplar::DebugContext &debugContext = {});
poplar::program::Program
calcLoss(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
         const poplar::Tensor &expected, const poplar::Tensor &loss,
         const poplar::Tensor &deltas, const poplar::Tensor &deltasScale,
         const poplar::Tensor &modelOutputScaling,
         const poplar::Tensor &numCorrect, LossType lossType,
         const poplar::DebugContext &debugContext = {});
poplar::program::Program
calcLoss(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
         const poplar::Tensor &expected, const poplar::Tensor &loss,
         const poplar::Tensor &deltas, const poplar::Tensor &numCorrect,
         LossType lossType, const poplar::DebugContext &debugContext = {});

/// Adds the number of correct rows to \p numCorrect, like calcLoss.
poplar::program::Program
calcAccuracy(poplar::Graph &graph, const poplar::Tensor &modelOutputs,
             const poplar::Tensor &expected, const poplar::Tensor &numCorrect,
             const poplar::DebugContext &debugContext = {});

/// Returns the index of the largest or smallest element of each row of \p
/// input, [rows, n] (FLOAT, HALF, INT or UNSIGNED_INT). The first one counts if
/// there are several. The result has type UNSIGNED_INT.
poplar::Tensor argMax(poplar::Graph &graph, const poplar::Tensor &input,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});
poplar::Tensor argMin(poplar::Graph &graph, const poplar::Tensor &input,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});
/// Returns the elements and their indices.
std::pair<poplar::Tensor, poplar::Tensor>
maxAndArgMax(poplar::Graph &graph, const poplar::Tensor &input,
             poplar::program::Sequence &prog,
             const poplar::DebugContext &debugContext = {});
std::pair<poplar::Tensor, poplar::Tensor>
minAndArgMin(poplar::Graph &graph, const poplar::Tensor &input,
             poplar::program::Sequence &prog,
             const poplar::DebugContext &debugContext = {});

/// Returns the \p K largest elements of each row, the largest first if \p sort.
/// \p indices is set to their indices.
poplar::Tensor topK(poplar::Graph &graph, const poplar::Tensor &input,
                    poplar::Tensor &indices, unsigned K, bool sort,
                    poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext = {});

} // namespace popnn

#endif
