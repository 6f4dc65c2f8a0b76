// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loss of connectionist temporal classification and its gradient. For each
// sequence of a batch it is minus the logarithm of the probability of all ways
// in which the classes over time, without repetitions and blanks, are the
// label.
//
// Options of plan: "partialsType" ("float"), "enableReducedClassesInLabel",
// "availableMemoryProportion", checked and without effect. Options of the
// calculations: "includeSoftmaxGradient" (true: the gradient is that of what a
// softmax made the probabilities of, else of the logarithms of probabilities
// themselves), "zeroInfinity" (true: a loss that is infinite, and its gradient,
// become 0).

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

/// The loss, [batch], and its gradient, shaped as \p logProbs. \p dataLengths
/// and \p labelLengths, [batch], say how much of each sequence counts;
/// gradients of what does not are 0.
std::pair<poplar::Tensor, poplar::Tensor> calcLossAndGradientLogProbabilities(
    poplar::Graph &graph, const poplar::Type &outType,
    const poplar::Tensor &logProbs, const poplar::Tensor &labels,
    const poplar::Tensor &dataLengths, const poplar::Tensor &labelLengths,
    poplar::program::Sequence &prog, unsigned blankClass, const Plan &plan,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {});
/// The same of what a softmax over the classes is still to be applied to.
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
