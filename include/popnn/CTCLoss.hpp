// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loss of connectionist temporal classification, and its gradient. The loss of
// a sequence is the negative logarithm of the probability of its label: the sum
// over all paths of classes that give the label once repetitions and blanks are
// removed.
//
// Options of plan: "partialsType" ("float"), "enableReducedClassesInLabel",
// "availableMemoryProportion"; checked, without effect. Options of the
// calculations: "includeSoftmaxGradient" (true: return the gradient of the
// logits, the input of the softmax; false: of the log probabilities) and
// "zeroInfinity" (true: an infinite loss and its gradient become 0).

#ifndef POPULUS_POPNN_CTCLOSS_HPP
#define POPULUS_POPNN_CTCLOSS_HPP

#include <popnn/CTCPlan.hpp>

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

#include <cstddef>
#include <utility>

namespace popnn {
namespace ctc {

Plan plan(const poplar::Graph &graph, const poplar::Type &inType,
          const poplar::Type &outType, std::size_t batchSize,
          std::size_t maxTime, std::size_t maxLabelLength,
          std::size_t numClasses, const poplar::OptionFlags &options = {});

/// [time, batch, classes]
poplar::Tensor createDataInput(poplar::Graph &graph, const poplar::Type &type,
                               std::size_t batchSize, std::size_t maxTime,
                               std::size_t numClasses, const Plan &plan,
                               const poplar::DebugContext &debugContext = {});
/// [batch, label]
poplar::Tensor createLabelsInput(poplar::Graph &graph, const poplar::Type &type,
                                 std::size_t batchSize,
                                 std::size_t maxLabelLength, const Plan &plan,
                                 const poplar::DebugContext &debugContext = {});

/// Returns the loss, [batch], and its gradient, which is shaped like \p
/// logProbs. \p dataLengths and \p labelLengths, [batch], are the lengths of
/// the sequences; gradients beyond them are 0.
std::pair<poplar::Tensor, poplar::Tensor> calcLossAndGradientLogProbabilities(
    poplar::Graph &graph, const poplar::Type &outType,
    const poplar::Tensor &logProbs, const poplar::Tensor &labels,
    const poplar::Tensor &dataLengths, const poplar::Tensor &labelLengths,
    poplar::program::Sequence &prog, unsigned blankClass, const Plan &plan,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {});
/// The same for logits, to which a softmax over the classes is applied first.
std::pair<poplar::Tensor, poplar::Tensor> calcLossAndGradientLogits(
    poplar::Graph &graph, const poplar::Type &outType,
    const poplar::Tensor &logits, const poplar::Tensor &labels,
    const poplar::Tensor &dataLengths, const poplar::Tensor &labelLengths,
    poplar::program::Sequence &prog, unsigned blankClass, const Plan &plan,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {});
/// The loss alone.
poplar::Tensor calcCTCLossLogProbabilities(
    poplar::Graph &graph, const poplar::Type &outType,
    const poplar::Tensor &logProbs, const poplar::Tensor &labels,
    const poplar::Tensor &dataLengths, const poplar::Tensor &labelLengths,
    poplar::program::Sequence &prog, unsigned blankClass, const Plan &plan,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {});
poplar::Tensor calcCTCLossLogits(
    poplar::Graph &graph, const poplar::Type &outType,
    const poplar::Tensor &logits, const poplar::Tensor &labels,
    const poplar::Tensor &dataLengths, const poplar::Tensor &labelLengths,
    poplar::program::Sequence &prog, unsigned blankClass, const Plan &plan,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {});

} // namespace ctc
} // namespace popnn

#endif
