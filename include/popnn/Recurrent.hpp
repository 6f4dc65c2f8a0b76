// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain recurrent layers: a step's output is f(W x + U h + b), where x is its
// input and h the output of the step before, and f a nonlinearity. Weights are
// W [output size, input size] and U [output size, output size].
//
// The layer may be computed a part at a time (forwardWeightInput, then
// forwardIterate; backwardGradientStep and paramDeltaUpdate for each step, from
// the last to the first), or as a whole (rnnFwdSequence, rnnBwdSequence).

#ifndef POPULUS_POPNN_RECURRENT_HPP
#define POPULUS_POPNN_RECURRENT_HPP

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/NonLinearity.hpp>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace popnn {
namespace rnn {

/// The matrix products of a layer, for preplanMatMuls.
std::vector<std::pair<poplin::MatMulParams, poplar::OptionFlags>>
getMatMulPrePlanParameters(std::size_t numSteps, std::size_t batchSize,
                           std::size_t inputSize, std::size_t outputSize,
                           const poplar::Type &dType,
                           const poplar::Type &partialsType = poplar::FLOAT,
                           bool inferenceOnly = false,
                           bool hasFeedforwardWeights = true);

/// Floating-point operations of all steps of a pass; a product and its sum are
/// two.
std::uint64_t getFwdFlops(unsigned sequenceSize, unsigned batchSize,
                          unsigned inputSize, unsigned outputSize,
                          bool weightInput = true);
std::uint64_t getBwdFlops(unsigned sequenceSize, unsigned batchSize,
                          unsigned inputSize, unsigned outputSize,
                          bool calcInputGrad = true);
std::uint64_t getWuFlops(unsigned sequenceSize, unsigned batchSize,
                         unsigned inputSize, unsigned outputSize);

/// [steps, batch, input size]
poplar::Tensor createInput(poplar::Graph &graph, unsigned numSteps,
                           unsigned batchSize, unsigned inputSize,
                           unsigned outputSize, const poplar::Type &dType,
                           const poplar::Type &partialsType = poplar::FLOAT,
                           bool inferenceOnly = false,
                           const poplar::DebugContext &debugContext = {},
                           poplin::PlanningCache *planningCache = nullptr);
/// Creates the initial state of a forward pass. \p initState sets it to zeros.
poplar::Tensor createFwdState(poplar::Graph &graph, const poplar::Type &dType,
                              unsigned batchSize, unsigned outputSize,
                              poplar::program::Sequence &prog, bool initState,
                              bool inferenceOnly,
                              const poplar::DebugContext &debugContext = {},
                              poplin::PlanningCache *planningCache = nullptr);
/// The output that a state has, [batch, output size].
poplar::Tensor getOutputFromFwdState(const poplar::Tensor &fwdState);
poplar::Tensor createWeightsInput(
    poplar::Graph &graph, unsigned sequenceSize, unsigned batchSize,
    unsigned inputSize, unsigned outputSize, const poplar::Type &dType,
    const poplar::Type &partialsType = poplar::FLOAT,
    bool inferenceOnly = false, const poplar::DebugContext &debugContext = {},
    poplin::PlanningCache *planningCache = nullptr);
poplar::Tensor createWeightsFeedback(
    poplar::Graph &graph, unsigned batchSize, unsigned outputSize,
    const poplar::Type &dType, const poplar::Type &partialsType = poplar::FLOAT,
    bool inferenceOnly = false, const poplar::DebugContext &debugContext = {},
    poplin::PlanningCache *planningCache = nullptr);

/// W x of all steps, [steps, batch, output size].
poplar::Tensor
forwardWeightInput(poplar::Graph &graph, const poplar::Tensor &actIn,
                   const poplar::Tensor &weights,
                   poplar::program::Sequence &prog,
                   const poplar::Type &partialsType = poplar::FLOAT,
                   const poplar::DebugContext &debugContext = {},
                   poplin::PlanningCache *planningCache = nullptr);
/// The outputs of all steps, [steps, batch, output size], from
/// forwardWeightInput's result and biases [output size].
poplar::Tensor forwardIterate(poplar::Graph &graph,
                              const poplar::Tensor &feedFwdIn,
                              const poplar::Tensor &initState,
                              const poplar::Tensor &feedbackWeights,
                              const poplar::Tensor &biases,
                              poplar::program::Sequence &prog,
                              NonLinearityType nonLinearityType,
                              const poplar::Type &partialsType = poplar::FLOAT,
                              const poplar::DebugContext &debugContext = {},
                              poplin::PlanningCache *planningCache = nullptr);

/// Creates the initial state of a backward pass: zeros, [batch, output size].
/// The state of a step is the gradient of the input of its nonlinearity.
poplar::Tensor createBwdState(poplar::Graph &graph, const poplar::Type &dType,
                              unsigned batchSize, unsigned outputSize,
                              poplar::program::Sequence &prog,
                              const poplar::DebugContext &debugContext = {},
                              poplin::PlanningCache *planningCache = nullptr);
/// Returns the gradient of a step's input, [batch, input size], and the state
/// of the step. Takes the gradient of the step's output from the next layer,
/// the state of the following step, and the step's output.
std::pair<poplar::Tensor, poplar::Tensor> backwardGradientStep(
    poplar::Graph &graph, const poplar::Tensor &nextLayerGrad,
    const poplar::Tensor &bwdState, const poplar::Tensor &actOut,
    const poplar::Tensor &weightsInput, const poplar::Tensor &weightsFeedback,
    poplar::program::Sequence &prog, NonLinearityType nonLinearityType,
    const poplar::Type &partialsType = poplar::FLOAT,
    const poplar::DebugContext &debugContext = {},
    poplin::PlanningCache *planningCache = nullptr);
/// The same without the gradient of the input.
poplar::Tensor backwardGradientStep(
    poplar::Graph &graph, const poplar::Tensor &nextLayerGrad,
    const poplar::Tensor &bwdState, const poplar::Tensor &actOut,
    const poplar::Tensor &weightsFeedback, poplar::program::Sequence &prog,
    NonLinearityType nonLinearityType,
    const poplar::Type &partialsType = poplar::FLOAT,
    const poplar::DebugContext &debugContext = {},
    poplin::PlanningCache *planningCache = nullptr);
/// Adds a step's share to the gradients of weights and biases; \p prevOut is
/// the output of the step before.
void paramDeltaUpdate(poplar::Graph &graph, const poplar::Tensor &bwdState,
                      const poplar::Tensor &actIn,
                      const poplar::Tensor &prevOut,
                      poplar::Tensor &weightsInputDeltasAcc,
                      poplar::Tensor &weightsFeedbackDeltasAcc,
                      poplar::Tensor &biasDeltasAcc,
                      poplar::program::Sequence &prog,
                      const poplar::Type &partialsType = poplar::FLOAT,
                      const poplar::DebugContext &debugContext = {},
                      poplin::PlanningCache *planningCache = nullptr);

/// Returns the outputs of all steps, [steps, batch, output size]. If \p
/// weightedIn is not null, it is the result of forwardWeightInput, and \p
/// feedFwdWeights and \p prevLayerActs are not used.
poplar::Tensor rnnFwdSequence(
    poplar::Graph &graph, poplar::program::Sequence &prog,
    const poplar::Tensor &fwdStateInit, const poplar::Tensor *weightedIn,
    const poplar::Tensor &biases, const poplar::Tensor &feedFwdWeights,
    const poplar::Tensor &feedbackWeights, const poplar::Tensor &prevLayerActs,
    const NonLinearityType &nonLinearityType, const poplar::Type &partialsType,
    const poplar::DebugContext &debugContext = {},
    poplin::PlanningCache *planningCache = nullptr);

/// Takes the outputs of all steps, \p fwdState, and their gradients. Returns
/// the gradients of the input (invalid with \p ignoreInputGradientCalc) and of
/// W, U and b (invalid without \p doWU).
std::tuple<poplar::Tensor, poplar::Tensor, poplar::Tensor, poplar::Tensor>
rnnBwdSequence(poplar::Graph &graph, bool doWU, bool ignoreInputGradientCalc,
               poplar::program::Sequence &prog,
               const poplar::Tensor &fwdStateInit,
               const poplar::Tensor &fwdState, const poplar::Tensor &biases,
               const poplar::Tensor &feedFwdWeights,
               const poplar::Tensor &feedbackWeights,
               const poplar::Tensor &outGradient, const poplar::Tensor &actIn,
               const NonLinearityType &nonLinearityType,
               const poplar::Type &partialsType,
               const poplar::DebugContext &debugContext = {},
               poplin::PlanningCache *planningCache = nullptr);

} // namespace rnn
} // namespace popnn

#endif
