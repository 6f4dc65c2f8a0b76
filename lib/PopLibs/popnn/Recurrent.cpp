// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain recurrent layers: RecurrentLayer with one unit, whose weights are
// transposed.

#include "lib/PopLibs/popnn/RecurrentLayer.h"

#include <popnn/Recurrent.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popnn {
namespace rnn {
namespace {

/// A layer of one unit and what it refers to.
struct Layer {
  Layer(Graph &graph, const Type &dType, std::size_t steps, std::size_t batch,
        std::size_t inputSize, std::size_t outputSize, const Type &partialsType,
        poplin::PlanningCache *cache, const DebugContext &debugContext)
      : dc(debugContext, "Rnn"),
        params(dType, batch, steps, {inputSize, outputSize}),
        layer(graph, params, 1, {{"partialsType", partialsType.toString()}},
              cache, dc) {
    checkRecurrentParams(params, "popnn::rnn");
  }

  const DebugContext dc;
  const RnnParams params;
  const RecurrentLayer layer;
};

/// Layer for outputs [steps, batch, size].
Layer layerOf(Graph &graph, const Tensor &outputs, std::size_t inputSize,
              const Type &partialsType, poplin::PlanningCache *cache,
              const DebugContext &debugContext) {
  if (outputs.rank() != 3)
    throw poplibs_error("popnn::rnn: a tensor of shape " +
                        outputs.shapeToString() +
                        " for all steps; it must be [steps, batch, size]");
  return Layer(graph, outputs.elementType(), outputs.dim(0), outputs.dim(1),
               inputSize, outputs.dim(2), partialsType, cache, debugContext);
}

/// Weights as the layer has them, [1, rows, output size].
Tensor unitWeights(const Tensor &weights, const char *what) {
  if (weights.rank() != 2)
    throw poplibs_error(std::string("popnn::rnn: ") + what + " of shape " +
                        weights.shapeToString() +
                        "; they must be [output size, rows]");
  return weights.transpose().expand({0});
}

Tensor product(Graph &graph, const Tensor &a, const Tensor &b, Sequence &prog,
               const Type &partialsType, const DebugContext &dc,
               poplin::PlanningCache *cache) {
  return poplin::matMul(graph, a, b, prog, dc,
                        {{"partialsType", partialsType.toString()}}, cache);
}

std::uint64_t flops(std::uint64_t steps, std::uint64_t batch,
                    std::uint64_t rows, std::uint64_t columns) {
  return 2 * steps * batch * rows * columns;
}

} // namespace

std::vector<std::pair<poplin::MatMulParams, OptionFlags>>
getMatMulPrePlanParameters(std::size_t numSteps, std::size_t batchSize,
                           std::size_t inputSize, std::size_t outputSize,
                           const Type &dType, const Type &partialsType,
                           bool inferenceOnly, bool hasFeedforwardWeights) {
  const OptionFlags options{{"partialsType", partialsType.toString()}};
  std::vector<std::pair<poplin::MatMulParams, OptionFlags>> products;
  const auto add = [&](std::size_t rows, std::size_t depth,
                       std::size_t columns) {
    products.emplace_back(
        poplin::MatMulParams{
            dType, dType, {1, rows, depth}, {1, depth, columns}},
        options);
  };
  const std::size_t rows = numSteps * batchSize;
  add(batchSize, outputSize, outputSize);
  if (hasFeedforwardWeights)
    add(rows, inputSize, outputSize);
  if (inferenceOnly)
    return products;
  add(outputSize, rows, outputSize);
  if (hasFeedforwardWeights) {
    add(rows, outputSize, inputSize);
    add(inputSize, rows, outputSize);
  }
  return products;
}

std::uint64_t getFwdFlops(unsigned sequenceSize, unsigned batchSize,
                          unsigned inputSize, unsigned outputSize,
                          bool weightInput) {
  // Each product with the state and the biases are added.
  return (weightInput ? flops(sequenceSize, batchSize, inputSize, outputSize)
                      : 0) +
         flops(sequenceSize, batchSize, outputSize, outputSize) +
         flops(sequenceSize, batchSize, 1, outputSize);
}

std::uint64_t getBwdFlops(unsigned sequenceSize, unsigned batchSize,
                          unsigned inputSize, unsigned outputSize,
                          bool calcInputGrad) {
  // The gradients by both ways are added, and multiplied by the slope.
  return (calcInputGrad ? flops(sequenceSize, batchSize, inputSize, outputSize)
                        : 0) +
         flops(sequenceSize, batchSize, outputSize, outputSize) +
         flops(sequenceSize, batchSize, 1, outputSize);
}

std::uint64_t getWuFlops(unsigned sequenceSize, unsigned batchSize,
                         unsigned inputSize, unsigned outputSize) {
  return flops(sequenceSize, batchSize, inputSize, outputSize) +
         flops(sequenceSize, batchSize, outputSize, outputSize) +
         flops(sequenceSize, batchSize, 1, outputSize) / 2;
}

Tensor createInput(Graph &graph, unsigned numSteps, unsigned batchSize,
                   unsigned inputSize, unsigned outputSize, const Type &dType,
                   const Type &partialsType, bool,
                   const DebugContext &debugContext,
                   poplin::PlanningCache *planningCache) {
  return Layer(graph, dType, numSteps, batchSize, inputSize, outputSize,
               partialsType, planningCache, debugContext)
      .layer.createInput();
}

Tensor createFwdState(Graph &graph, const Type &dType, unsigned batchSize,
                      unsigned outputSize, Sequence &prog, bool initState, bool,
                      const DebugContext &debugContext,
                      poplin::PlanningCache *) {
  const DebugContext dc(debugContext, "fwdState");
  const Tensor state = graph.addVariable(dType, {1, batchSize, outputSize},
                                         VariableMappingMethod::LINEAR, dc);
  if (initState)
    popops::zero(graph, state, prog, dc);
  return state;
}

Tensor getOutputFromFwdState(const Tensor &fwdState) {
  if (fwdState.rank() != 3 || fwdState.dim(0) == 0)
    throw poplibs_error("popnn::rnn: a state of shape " +
                        fwdState.shapeToString() +
                        " is none of createFwdState");
  return fwdState[0];
}

Tensor createWeightsInput(Graph &graph, unsigned sequenceSize,
                          unsigned batchSize, unsigned inputSize,
                          unsigned outputSize, const Type &dType,
                          const Type &partialsType, bool,
                          const DebugContext &debugContext,
                          poplin::PlanningCache *planningCache) {
  return Layer(graph, dType, sequenceSize, batchSize, inputSize, outputSize,
               partialsType, planningCache, debugContext)
      .layer.createInputWeights()[0]
      .transpose();
}

Tensor createWeightsFeedback(Graph &graph, unsigned batchSize,
                             unsigned outputSize, const Type &dType,
                             const Type &partialsType, bool,
                             const DebugContext &debugContext,
                             poplin::PlanningCache *planningCache) {
  return Layer(graph, dType, 1, batchSize, outputSize, outputSize, partialsType,
               planningCache, debugContext)
      .layer.createOutputWeights()[0]
      .transpose();
}

Tensor forwardWeightInput(Graph &graph, const Tensor &actIn,
                          const Tensor &weights, Sequence &prog,
                          const Type &partialsType,
                          const DebugContext &debugContext,
                          poplin::PlanningCache *planningCache) {
  if (actIn.rank() != 3 || weights.rank() != 2 ||
      weights.dim(1) != actIn.dim(2))
    throw poplibs_error("popnn::rnn: an input of shape " +
                        actIn.shapeToString() + " for weights of shape " +
                        weights.shapeToString());
  return product(graph, actIn.flatten(0, 2), weights.transpose(), prog,
                 partialsType, {debugContext, "WeightInput"}, planningCache)
      .reshape({actIn.dim(0), actIn.dim(1), weights.dim(0)});
}

Tensor forwardIterate(Graph &graph, const Tensor &feedFwdIn,
                      const Tensor &initState, const Tensor &feedbackWeights,
                      const Tensor &biases, Sequence &prog,
                      NonLinearityType nonLinearityType,
                      const Type &partialsType,
                      const DebugContext &debugContext,
                      poplin::PlanningCache *planningCache) {
  const Layer l = layerOf(graph, feedFwdIn, feedFwdIn.dim(2), partialsType,
                          planningCache, debugContext);
  const std::size_t size = l.params.getOutputSize();
  checkRecurrentShape(biases, {size}, "biases");
  checkRecurrentShape(feedbackWeights, {size, size}, "feedback weights");
  const Tensor projection =
      l.layer.sliceable(feedFwdIn.expand({1}), biases.expand({0}), prog);
  const Tensor weights = l.layer.arrangeWeights(
      unitWeights(feedbackWeights, "feedback weights"), prog);
  const Tensor state =
      l.layer.copyState(getOutputFromFwdState(initState), prog);
  return l.layer.run(
      {{projection}, {state}},
      [&](const std::vector<Tensor> &slices, Sequence &round) {
        const Tensor next = popops::add(
            graph, slices[0][0],
            l.layer.multiplyState(state, weights, round)[0], round, l.dc);
        nonLinearityInPlace(graph, nonLinearityType, next, round, l.dc);
        return RecurrentLayer::StepResult{{next}, {next}};
      },
      prog)[0];
}

Tensor createBwdState(Graph &graph, const Type &dType, unsigned batchSize,
                      unsigned outputSize, Sequence &prog,
                      const DebugContext &debugContext,
                      poplin::PlanningCache *) {
  const DebugContext dc(debugContext, "bwdState");
  const Tensor state = graph.addVariable(dType, {batchSize, outputSize},
                                         VariableMappingMethod::LINEAR, dc);
  popops::zero(graph, state, prog, dc);
  return state;
}

std::pair<Tensor, Tensor>
backwardGradientStep(Graph &graph, const Tensor &nextLayerGrad,
                     const Tensor &bwdState, const Tensor &actOut,
                     const Tensor &weightsInput, const Tensor &weightsFeedback,
                     Sequence &prog, NonLinearityType nonLinearityType,
                     const Type &partialsType, const DebugContext &debugContext,
                     poplin::PlanningCache *planningCache) {
  const Tensor state = backwardGradientStep(
      graph, nextLayerGrad, bwdState, actOut, weightsFeedback, prog,
      nonLinearityType, partialsType, debugContext, planningCache);
  return {product(graph, state, weightsInput, prog, partialsType,
                  {debugContext, "InputGrad"}, planningCache),
          state};
}

Tensor backwardGradientStep(Graph &graph, const Tensor &nextLayerGrad,
                            const Tensor &bwdState, const Tensor &actOut,
                            const Tensor &weightsFeedback, Sequence &prog,
                            NonLinearityType nonLinearityType,
                            const Type &partialsType,
                            const DebugContext &debugContext,
                            poplin::PlanningCache *planningCache) {
  const DebugContext dc(debugContext, "RnnBwdStep");
  const Tensor through = product(graph, bwdState, weightsFeedback, prog,
                                 partialsType, dc, planningCache);
  const Tensor gradient = popops::add(graph, nextLayerGrad, through, prog, dc);
  return nonLinearityInputGradient(graph, nonLinearityType, actOut, gradient,
                                   prog, dc);
}

void paramDeltaUpdate(Graph &graph, const Tensor &bwdState, const Tensor &actIn,
                      const Tensor &prevOut, Tensor &weightsInputDeltasAcc,
                      Tensor &weightsFeedbackDeltasAcc, Tensor &biasDeltasAcc,
                      Sequence &prog, const Type &partialsType,
                      const DebugContext &debugContext,
                      poplin::PlanningCache *planningCache) {
  const DebugContext dc(debugContext, "RnnDeltas");
  const OptionFlags options{{"partialsType", partialsType.toString()}};
  const Tensor columns = bwdState.transpose();
  poplin::matMulAcc(graph, weightsInputDeltasAcc, 1.0f, columns, actIn, prog,
                    dc, options, planningCache);
  poplin::matMulAcc(graph, weightsFeedbackDeltasAcc, 1.0f, columns, prevOut,
                    prog, dc, options, planningCache);
  popops::reduceWithOutput(graph, bwdState, biasDeltasAcc, {0},
                           {popops::Operation::ADD, true}, prog, dc);
}

Tensor rnnFwdSequence(Graph &graph, Sequence &prog, const Tensor &fwdStateInit,
                      const Tensor *weightedIn, const Tensor &biases,
                      const Tensor &feedFwdWeights,
                      const Tensor &feedbackWeights,
                      const Tensor &prevLayerActs,
                      const NonLinearityType &nonLinearityType,
                      const Type &partialsType,
                      const DebugContext &debugContext,
                      poplin::PlanningCache *planningCache) {
  const Tensor weighted =
      weightedIn
          ? *weightedIn
          : forwardWeightInput(graph, prevLayerActs, feedFwdWeights, prog,
                               partialsType, debugContext, planningCache);
  return forwardIterate(graph, weighted, fwdStateInit, feedbackWeights, biases,
                        prog, nonLinearityType, partialsType, debugContext,
                        planningCache);
}

std::tuple<Tensor, Tensor, Tensor, Tensor> rnnBwdSequence(
    Graph &graph, bool doWU, bool ignoreInputGradientCalc, Sequence &prog,
    const Tensor &fwdStateInit, const Tensor &fwdState, const Tensor &,
    const Tensor &feedFwdWeights, const Tensor &feedbackWeights,
    const Tensor &outGradient, const Tensor &actIn,
    const NonLinearityType &nonLinearityType, const Type &partialsType,
    const DebugContext &debugContext, poplin::PlanningCache *planningCache) {
  const Layer l = layerOf(graph, fwdState, actIn.dim(actIn.rank() - 1),
                          partialsType, planningCache, debugContext);
  const RnnParams &params = l.params;
  const std::size_t size = params.getOutputSize();
  checkRecurrentShape(outGradient, fwdState.shape(), "output gradients");
  checkRecurrentShape(
      actIn, {params.maxTimeSteps, params.batchSize, params.getInputSize()},
      "an input");
  checkRecurrentShape(feedbackWeights, {size, size}, "feedback weights");
  checkRecurrentShape(feedFwdWeights, {size, params.getInputSize()},
                      "input weights");
  const Tensor weights = l.layer.arrangeTransposed(
      unitWeights(feedbackWeights, "feedback weights"), prog);
  const Tensor state = l.layer.copyOrZero(nullptr, prog);
  const Tensor deltas = l.layer.run(
      {{outGradient, fwdState}, {state}, true},
      [&](const std::vector<Tensor> &slices, Sequence &round) {
        const Tensor through =
            l.layer.backThrough(state.expand({0}), weights, round);
        const Tensor gradient =
            popops::add(graph, slices[0], through, round, l.dc);
        const Tensor delta = nonLinearityInputGradient(
            graph, nonLinearityType, slices[1], gradient, round, l.dc);
        return RecurrentLayer::StepResult{{delta}, {delta.expand({0})}};
      },
      prog)[0];
  Tensor ofInput, ofInputWeights, ofFeedbackWeights, ofBiases;
  if (!ignoreInputGradientCalc)
    ofInput = l.layer.inputGradient(
        deltas, unitWeights(feedFwdWeights, "input weights"), prog);
  if (doWU) {
    const Tensor before = concat(fwdStateInit.slice(0, 1),
                                 fwdState.slice(0, params.maxTimeSteps - 1));
    ofInputWeights = l.layer.weightGradient(actIn, deltas, prog)[0].transpose();
    ofFeedbackWeights =
        l.layer.weightGradient(before, deltas, prog)[0].transpose();
    ofBiases = l.layer.biasGradient(deltas, prog)[0];
  }
  return std::make_tuple(ofInput, ofInputWeights, ofFeedbackWeights, ofBiases);
}

} // namespace rnn
} // namespace popnn
