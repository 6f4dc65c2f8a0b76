// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Public functions of gated recurrent units: tensors, costs, and the forms of
// the passes (GruLayer.h).

#include "lib/PopLibs/popnn/GruLayer.h"

#include <popops/ElementWise.hpp>

using namespace poplar;
using namespace poplar::program;

namespace popnn::gru {

using namespace layer;

std::vector<BasicGruCellUnit> getDefaultBasicGruCellOrder() {
  return {BASIC_GRU_CELL_RESET_GATE, BASIC_GRU_CELL_UPDATE_GATE,
          BASIC_GRU_CELL_CANDIDATE};
}

std::uint64_t getBasicGruCellFwdFlops(const GruParams &params) {
  // Two additions for each unit; the reset, and the update's three.
  return inputProductFlops(params.rnn, Units) +
         stateProductFlops(params.rnn, Units) +
         (2 * Units + 4) * elementwiseFlops(params.rnn);
}

std::uint64_t getBasicGruCellBwdFlops(const GruParams &params) {
  // The sum of gradients, ten products and sums, a slope for each unit.
  return (params.calcInputGradients ? inputProductFlops(params.rnn, Units)
                                    : 0) +
         stateProductFlops(params.rnn, Units) +
         (11 + 2 * Units) * elementwiseFlops(params.rnn);
}

std::uint64_t getBasicGruCellWuFlops(const GruParams &params) {
  return inputProductFlops(params.rnn, Units) +
         stateProductFlops(params.rnn, Units) +
         Units * elementwiseFlops(params.rnn);
}

Tensor createInput(Graph &graph, const GruParams &params,
                   const DebugContext &debugContext, const OptionFlags &options,
                   poplin::PlanningCache *planningCache) {
  return Layer(graph, params, options, planningCache, debugContext)
      .layer.createInput();
}

Tensor createInitialState(Graph &graph, const GruParams &params,
                          const DebugContext &debugContext,
                          const OptionFlags &options,
                          poplin::PlanningCache *planningCache) {
  return Layer(graph, params, options, planningCache, debugContext)
      .layer.createState("initialState");
}

std::pair<Tensor, Tensor> createWeightsKernel(
    Graph &graph, const GruParams &params, const DebugContext &debugContext,
    const OptionFlags &options, poplin::PlanningCache *planningCache) {
  const Layer l(graph, params, options, planningCache, debugContext);
  return {l.layer.createInputWeights(), l.layer.createOutputWeights()};
}

Tensor createWeightsBiases(Graph &graph, const GruParams &params,
                           const DebugContext &debugContext,
                           const OptionFlags &options,
                           poplin::PlanningCache *planningCache) {
  const Layer l(graph, params, options, planningCache, debugContext);
  std::vector<std::size_t> shape{Units, params.rnn.getOutputSize()};
  if (params.resetAfter)
    shape.insert(shape.begin() + 1, 2);
  return graph.addVariable(params.rnn.dataType, shape,
                           VariableMappingMethod::LINEAR, {l.dc, "biases"});
}

GruWeights createWeights(Graph &graph, const GruParams &params,
                         const DebugContext &debugContext,
                         const OptionFlags &options,
                         poplin::PlanningCache *planningCache) {
  const auto kernel =
      createWeightsKernel(graph, params, debugContext, options, planningCache);
  return {
      kernel.first, kernel.second,
      createWeightsBiases(graph, params, debugContext, options, planningCache)};
}

Tensor gruFwd(Graph &graph, const GruParams &params, const Tensor &stateInit,
              const Tensor &in, const GruWeights &weights,
              Tensor *intermediates, Sequence &fwdProg,
              const DebugContext &debugContext, const OptionFlags &options,
              poplin::PlanningCache *planningCache) {
  return forward(graph, params, stateInit, in, weights, intermediates, Tensor(),
                 fwdProg, debugContext, options, planningCache);
}

Tensor gruFwd(Graph &graph, const GruParams &params, const Tensor &stateInit,
              const Tensor &in, const Tensor &realTimeSteps,
              const GruWeights &weights, Tensor *intermediates,
              Sequence &fwdProg, const DebugContext &debugContext,
              const OptionFlags &options,
              poplin::PlanningCache *planningCache) {
  return gruFwd(graph, withTimeSteps(params, realTimeSteps), stateInit, in,
                weights, intermediates, fwdProg, debugContext, options,
                planningCache);
}

Tensor gruBwd(Graph &graph, const GruParams &params, Sequence &prog,
              const Tensor &, const Tensor &fwdIntermediatesSeq,
              const GruWeights &weights, const Tensor &, const Tensor &,
              const Tensor &gradLayerNext, Tensor *inputGrad,
              Tensor *bwdIntermediates, const DebugContext &debugContext,
              const OptionFlags &options,
              poplin::PlanningCache *planningCache) {
  return backward(graph, params, prog, fwdIntermediatesSeq, weights,
                  gradLayerNext, inputGrad, bwdIntermediates, Tensor(), nullptr,
                  debugContext, options, planningCache);
}

Tensor gruBwd(Graph &graph, const GruParams &params, Sequence &prog,
              const Tensor &fwdOutputInit, const Tensor &fwdIntermediatesSeq,
              const GruWeights &weights, const Tensor &fwdInputSeq,
              const Tensor &realTimeSteps, const Tensor &fwdOutput,
              const Tensor &gradLayerNext, Tensor *inputGrad,
              Tensor *bwdIntermediates, const DebugContext &debugContext,
              const OptionFlags &options,
              poplin::PlanningCache *planningCache) {
  return gruBwd(graph, withTimeSteps(params, realTimeSteps), prog,
                fwdOutputInit, fwdIntermediatesSeq, weights, fwdInputSeq,
                fwdOutput, gradLayerNext, inputGrad, bwdIntermediates,
                debugContext, options, planningCache);
}

GruWeights gruWU(Graph &graph, const GruParams &params, Sequence &prog,
                 const Tensor &, const Tensor &fwdIntermediates,
                 const Tensor &bwdIntermediates, const GruWeights &,
                 const Tensor &input, const Tensor &,
                 const DebugContext &debugContext, const OptionFlags &options,
                 poplin::PlanningCache *planningCache) {
  const Layer l(graph, params, options, planningCache, debugContext);
  checkRecurrentShape(fwdIntermediates, savedShape(params),
                      "intermediates of the forward pass");
  checkRecurrentShape(bwdIntermediates, deltasShape(params),
                      "intermediates of the backward pass");
  checkRecurrentShape(input,
                      {params.rnn.maxTimeSteps, params.rnn.batchSize,
                       params.rnn.getInputSize()},
                      "an input");
  const auto saved = [&](unsigned which) {
    return fwdIntermediates.slice(which, which + 1, 1).squeeze({1});
  };
  const Tensor reset = saved(BASIC_GRU_CELL_RESET_GATE);
  const Tensor before = saved(PreviousOutput);
  const Tensor ofGates = bwdIntermediates.slice(0, 2, 1);
  const Tensor ofCandidate = bwdIntermediates.slice(2, 3, 1);
  GruWeights gradient;
  gradient.inputWeights = inCellOrder(
      params, l.layer.weightGradient(input, bwdIntermediates, prog));
  Tensor biases = l.layer.biasGradient(bwdIntermediates, prog);
  if (params.resetAfter) {
    const Tensor ofProduct =
        popops::mul(graph, ofCandidate, reset.expand({1}), prog, l.dc);
    const Tensor deltas = concat(ofGates, ofProduct, 1);
    gradient.outputWeights =
        inCellOrder(params, l.layer.weightGradient(before, deltas, prog));
    const Tensor ofState = l.layer.biasGradient(deltas, prog);
    biases = concat(biases.expand({1}), ofState.expand({1}), 1);
  } else {
    const Tensor left = popops::mul(graph, reset, before, prog, l.dc);
    gradient.outputWeights = inCellOrder(
        params, concat(l.layer.weightGradient(before, ofGates, prog),
                       l.layer.weightGradient(left, ofCandidate, prog)));
  }
  gradient.biases = inCellOrder(params, biases);
  return gradient;
}

Tensor gruBwdWithWU(Graph &graph, const GruParams &params, Sequence &prog,
                    const Tensor &fwdOutputInit, const Tensor &fwdIntermediates,
                    const GruWeights &weights, const Tensor &input,
                    const Tensor &output, const Tensor &outputGrad,
                    Tensor *inputGrad, GruWeights &weightsGrad,
                    const DebugContext &debugContext,
                    const OptionFlags &options,
                    poplin::PlanningCache *planningCache) {
  Tensor deltas;
  const Tensor gradient =
      gruBwd(graph, params, prog, fwdOutputInit, fwdIntermediates, weights,
             input, output, outputGrad, inputGrad, &deltas, debugContext,
             options, planningCache);
  weightsGrad =
      gruWU(graph, params, prog, fwdOutputInit, fwdIntermediates, deltas,
            weights, input, output, debugContext, options, planningCache);
  return gradient;
}

Tensor gruBwdWithWU(Graph &graph, const GruParams &params, Sequence &prog,
                    const Tensor &fwdOutputInit, const Tensor &fwdIntermediates,
                    const GruWeights &weights, const Tensor &input,
                    const Tensor &realTimeSteps, const Tensor &output,
                    const Tensor &outputGrad, Tensor *inputGrad,
                    GruWeights &weightsGrad, const DebugContext &debugContext,
                    const OptionFlags &options,
                    poplin::PlanningCache *planningCache) {
  return gruBwdWithWU(graph, withTimeSteps(params, realTimeSteps), prog,
                      fwdOutputInit, fwdIntermediates, weights, input, output,
                      outputGrad, inputGrad, weightsGrad, debugContext, options,
                      planningCache);
}

} // namespace popnn::gru
