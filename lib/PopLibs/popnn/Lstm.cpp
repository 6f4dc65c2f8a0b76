// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cell of an LSTM, forwards and backwards; the rest is RecurrentLayer.

#include "lib/PopLibs/popnn/RecurrentLayer.h"

#include <popnn/Lstm.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Zero.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popnn {
namespace lstm {
namespace {

constexpr std::size_t Units = BASIC_LSTM_CELL_NUM_UNITS;

/// The place of a unit in weights and biases.
std::size_t placeOf(const LstmParams &params, BasicLstmCellUnit unit) {
  const auto &order = params.cellOrder;
  const auto at = std::find(order.begin(), order.end(), unit);
  if (order.size() != Units || at == order.end())
    throw poplibs_error("popnn::lstm: the order of units must name each of the "
                        "4 units once");
  return at - order.begin();
}

class Layer {
public:
  Layer(Graph &graph, const LstmParams &params, const OptionFlags &options,
        poplin::PlanningCache *cache, const DebugContext &debugContext)
      : dc(debugContext, "Lstm"),
        layer(graph, params.rnn, Units, parseRecurrentOptions(options), cache,
              dc) {
    checkRecurrentParams(params.rnn, "popnn::lstm");
  }

  const DebugContext dc;
  const RecurrentLayer layer;
};

/// Tensors that a step saves for the backward pass: the units in their order,
/// then these.
enum Saved { ActiveCell = Units, PreviousCell, PreviousOutput, NumSaved };

/// One step: the new output and cell state; and as outputs the output, and with
/// `training` what the backward pass needs.
RecurrentLayer::StepResult step(Graph &graph, const LstmParams &params,
                                const RecurrentLayer &layer,
                                const LstmState &state, const Tensor &weights,
                                const Tensor &units, bool training,
                                Sequence &prog, const DebugContext &dc) {
  namespace pe = popops::expr;
  popops::addInPlace(graph, units,
                     layer.multiplyState(state.output, weights, prog), prog,
                     {dc, "Add"});
  const auto unit = [&](BasicLstmCellUnit u) {
    return units[placeOf(params, u)];
  };
  const Tensor forget = unit(BASIC_LSTM_CELL_FORGET_GATE);
  const Tensor input = unit(BASIC_LSTM_CELL_INPUT_GATE);
  const Tensor candidate = unit(BASIC_LSTM_CELL_CANDIDATE);
  const Tensor output = unit(BASIC_LSTM_CELL_OUTPUT_GATE);
  nonLinearityInPlace(
      graph, params.recurrentActivation,
      concat({forget.expand({0}), input.expand({0}), output.expand({0})}), prog,
      dc);
  nonLinearityInPlace(graph, params.activation, candidate, prog, dc);
  const Tensor cell = popops::map(graph, pe::_1 * pe::_2 + pe::_3 * pe::_4,
                                  {forget, state.cellState, input, candidate},
                                  prog, {dc, "Cell"});
  const Tensor active = nonLinearity(graph, params.activation, cell, prog, dc);
  const Tensor result =
      popops::mul(graph, active, output, prog, {dc, "Output"});
  RecurrentLayer::StepResult next{{result, cell}, {result}};
  if (training)
    next.outputs.push_back(
        concat({units, active.expand({0}), state.cellState.expand({0}),
                state.output.expand({0})}));
  return next;
}

/// One step of the backward pass, from gradients of output and cell state to
/// those before the step; its output is the gradient of what goes into the
/// units' nonlinearities.
RecurrentLayer::StepResult backStep(Graph &graph, const LstmParams &params,
                                    const RecurrentLayer &layer,
                                    const LstmState &gradient,
                                    const Tensor &transposedWeights,
                                    const std::vector<Tensor> &slices,
                                    Sequence &prog, const DebugContext &dc) {
  const Tensor &saved = slices[0];
  const auto unit = [&](BasicLstmCellUnit u) {
    return saved[placeOf(params, u)];
  };
  const Tensor forget = unit(BASIC_LSTM_CELL_FORGET_GATE);
  const Tensor input = unit(BASIC_LSTM_CELL_INPUT_GATE);
  const Tensor candidate = unit(BASIC_LSTM_CELL_CANDIDATE);
  const Tensor output = unit(BASIC_LSTM_CELL_OUTPUT_GATE);
  const auto product = [&](const Tensor &a, const Tensor &b) {
    return popops::mul(graph, a, b, prog, {dc, "Grad"});
  };
  const Tensor ofOutput =
      slices.size() == 1
          ? gradient.output
          : popops::add(graph, gradient.output, slices[1], prog, dc);
  const Tensor ofCell =
      nonLinearityInputGradient(graph, params.activation, saved[ActiveCell],
                                product(ofOutput, output), prog, dc);
  popops::addInPlace(graph, ofCell, gradient.cellState, prog, dc);
  const Tensor gates = nonLinearityInputGradient(
      graph, params.recurrentActivation,
      concat({forget.expand({0}), input.expand({0}), output.expand({0})}),
      concat({product(ofCell, saved[PreviousCell]).expand({0}),
              product(ofCell, candidate).expand({0}),
              product(ofOutput, saved[ActiveCell]).expand({0})}),
      prog, dc);
  std::vector<Tensor> places(Units);
  const auto place = [&](BasicLstmCellUnit u, const Tensor &delta) {
    places[placeOf(params, u)] = delta.expand({0});
  };
  place(BASIC_LSTM_CELL_FORGET_GATE, gates[0]);
  place(BASIC_LSTM_CELL_INPUT_GATE, gates[1]);
  place(BASIC_LSTM_CELL_OUTPUT_GATE, gates[2]);
  place(BASIC_LSTM_CELL_CANDIDATE,
        nonLinearityInputGradient(graph, params.activation, candidate,
                                  product(ofCell, input), prog, dc));
  const Tensor deltas = concat(places);
  return {{layer.backThrough(deltas, transposedWeights, prog),
           product(ofCell, forget)},
          {deltas}};
}

/// [steps, batch, units * size] as [steps, units, batch, size], and back.
Tensor splitUnits(const Tensor &t) {
  return t.reshapePartial(2, 3, {Units, t.dim(2) / Units}).dimRoll(2, 1);
}
Tensor joinUnits(const Tensor &t) { return t.dimRoll(1, 2).flatten(2, 4); }

} // namespace

std::vector<BasicLstmCellUnit> getDefaultBasicLstmCellOrder() {
  return {BASIC_LSTM_CELL_FORGET_GATE, BASIC_LSTM_CELL_INPUT_GATE,
          BASIC_LSTM_CELL_CANDIDATE, BASIC_LSTM_CELL_OUTPUT_GATE};
}

std::uint64_t getBasicLstmCellFwdFlops(const LstmParams &params) {
  const std::uint64_t input =
      params.doInputWeightCalc ? inputProductFlops(params.rnn, Units) : 0;
  // Two additions for each unit; two products, a sum and a product.
  return input + stateProductFlops(params.rnn, Units) +
         (2 * Units + 4) * elementwiseFlops(params.rnn);
}

std::uint64_t getBasicLstmCellBwdFlops(const LstmParams &params) {
  const bool input = params.doInputWeightCalc && params.calcInputGradients;
  // Sums of two gradients each, six products, a slope for each nonlinearity.
  return (input ? inputProductFlops(params.rnn, Units) : 0) +
         stateProductFlops(params.rnn, Units) +
         (8 + 2 * (Units + 1)) * elementwiseFlops(params.rnn);
}

std::uint64_t getBasicLstmCellWuFlops(const LstmParams &params) {
  const std::uint64_t input =
      params.doInputWeightCalc ? inputProductFlops(params.rnn, Units) : 0;
  return input + stateProductFlops(params.rnn, Units) +
         Units * elementwiseFlops(params.rnn);
}

Tensor LstmState::getAsTensor() const {
  return concat({output.expand({0}), cellState.expand({0})});
}

Tensor createInput(Graph &graph, const LstmParams &params,
                   const DebugContext &debugContext, const OptionFlags &options,
                   poplin::PlanningCache *planningCache) {
  return Layer(graph, params, options, planningCache, debugContext)
      .layer.createInput();
}

Tensor createInitialOutput(Graph &graph, const LstmParams &params,
                           const DebugContext &debugContext,
                           const OptionFlags &options,
                           poplin::PlanningCache *planningCache) {
  return Layer(graph, params, options, planningCache, debugContext)
      .layer.createState("initialOutput");
}

Tensor createInitialCellState(Graph &graph, const LstmParams &params,
                              const DebugContext &debugContext,
                              const OptionFlags &options,
                              poplin::PlanningCache *planningCache) {
  return Layer(graph, params, options, planningCache, debugContext)
      .layer.createState("initialCellState");
}

LstmState createInitialState(Graph &graph, const LstmParams &params,
                             const DebugContext &debugContext,
                             const OptionFlags &options,
                             poplin::PlanningCache *planningCache) {
  return {
      createInitialOutput(graph, params, debugContext, options, planningCache),
      createInitialCellState(graph, params, debugContext, options,
                             planningCache)};
}

void zeroInitialState(Graph &graph, const LstmState &initialState,
                      Sequence &prog, const DebugContext &debugContext) {
  popops::zero(graph, initialState.getAsTensor(), prog, debugContext);
}

std::pair<Tensor, Tensor> createWeightsKernel(
    Graph &graph, const LstmParams &params, const DebugContext &debugContext,
    const OptionFlags &options, poplin::PlanningCache *planningCache) {
  const Layer l(graph, params, options, planningCache, debugContext);
  Tensor inputWeights;
  if (params.doInputWeightCalc)
    inputWeights = l.layer.createInputWeights();
  return {inputWeights, l.layer.createOutputWeights()};
}

Tensor createWeightsBiases(Graph &graph, const LstmParams &params,
                           const DebugContext &debugContext,
                           const OptionFlags &options,
                           poplin::PlanningCache *planningCache) {
  const Layer l(graph, params, options, planningCache, debugContext);
  return graph.addVariable(params.rnn.dataType,
                           {Units, params.rnn.getOutputSize()},
                           VariableMappingMethod::LINEAR, {l.dc, "biases"});
}

LstmWeights createWeights(Graph &graph, const LstmParams &params,
                          const DebugContext &debugContext,
                          const OptionFlags &options,
                          poplin::PlanningCache *planningCache) {
  const auto kernel =
      createWeightsKernel(graph, params, debugContext, options, planningCache);
  return {
      kernel.first, kernel.second,
      createWeightsBiases(graph, params, debugContext, options, planningCache)};
}

std::pair<Tensor, Tensor>
lstmFwd(Graph &graph, const LstmParams &params, const LstmState &stateInit,
        const Tensor &in, const LstmWeights &weights, Tensor *intermediates,
        Sequence &fwdProg, const DebugContext &debugContext,
        const OptionFlags &options, poplin::PlanningCache *planningCache) {
  const Layer l(graph, params, options, planningCache, debugContext);
  Tensor projection;
  if (params.doInputWeightCalc) {
    l.layer.checkOperands(in, weights.inputWeights, weights.outputWeights);
    projection =
        l.layer.projectInput(in, weights.inputWeights, weights.biases, fwdProg);
  } else {
    checkRecurrentShape(in,
                        {params.rnn.maxTimeSteps, params.rnn.batchSize,
                         Units * params.rnn.getOutputSize()},
                        "products of input and weights");
    projection = l.layer.sliceable(splitUnits(in), weights.biases, fwdProg);
  }
  const Tensor outputWeights =
      l.layer.arrangeWeights(weights.outputWeights, fwdProg);
  const LstmState state{l.layer.copyState(stateInit.output, fwdProg),
                        l.layer.copyState(stateInit.cellState, fwdProg)};
  const auto outputs = l.layer.run(
      {{projection}, {state.output, state.cellState}},
      [&](const std::vector<Tensor> &slices, Sequence &prog) {
        auto next = step(graph, params, l.layer, state, outputWeights,
                         slices[0], intermediates, prog, l.dc);
        if (!params.outputFullSequence)
          next.outputs.erase(next.outputs.begin());
        return next;
      },
      fwdProg);
  if (intermediates)
    *intermediates = outputs.back();
  return {params.outputFullSequence ? outputs.front() : state.output,
          state.cellState};
}

LstmState lstmBwd(Graph &graph, const LstmParams &params, Sequence &prog,
                  const LstmState &, const Tensor &fwdIntermediates,
                  const LstmWeights &weights, const Tensor &, const Tensor &,
                  const Tensor &outputGrad, const LstmState *lastStateGrad,
                  Tensor *inputGrad, Tensor *bwdIntermediates,
                  const DebugContext &debugContext, const OptionFlags &options,
                  poplin::PlanningCache *planningCache) {
  const Layer l(graph, params, options, planningCache, debugContext);
  const std::size_t size = params.rnn.getOutputSize();
  checkRecurrentShape(
      fwdIntermediates,
      {params.rnn.maxTimeSteps, NumSaved, params.rnn.batchSize, size},
      "intermediates of the forward pass");
  checkRecurrentShape(weights.outputWeights, {Units, size, size},
                      "output weights");
  const auto outputGradient =
      l.layer.splitOutputGradient(outputGrad, params.outputFullSequence, prog);
  const LstmState gradient{
      outputGradient.last,
      l.layer.copyOrZero(lastStateGrad ? &lastStateGrad->cellState : nullptr,
                         prog)};
  if (lastStateGrad && lastStateGrad->output.valid())
    popops::addInPlace(graph, gradient.output, lastStateGrad->output, prog,
                       l.dc);
  const Tensor transposed =
      l.layer.arrangeTransposed(weights.outputWeights, prog);
  RecurrentLayer::Loop loop{
      {fwdIntermediates}, {gradient.output, gradient.cellState}, true};
  loop.inputs.insert(loop.inputs.end(), outputGradient.steps.begin(),
                     outputGradient.steps.end());
  const Tensor deltas = l.layer.run(
      loop,
      [&](const std::vector<Tensor> &slices, Sequence &round) {
        return backStep(graph, params, l.layer, gradient, transposed, slices,
                        round, l.dc);
      },
      prog)[0];
  if (inputGrad && params.calcInputGradients) {
    if (params.doInputWeightCalc)
      checkRecurrentShape(weights.inputWeights,
                          {Units, params.rnn.getInputSize(), size},
                          "input weights");
    *inputGrad = params.doInputWeightCalc
                     ? l.layer.inputGradient(deltas, weights.inputWeights, prog)
                     : joinUnits(deltas);
  }
  if (bwdIntermediates)
    *bwdIntermediates = deltas;
  return gradient;
}

LstmState lstmBwd(Graph &graph, const LstmParams &params, Sequence &prog,
                  const LstmState &fwdStateInit, const Tensor &fwdIntermediates,
                  const LstmWeights &weights, const Tensor &input,
                  const Tensor &output, const Tensor &outputGrad,
                  const Tensor *lastCellStateGrad, Tensor *inputGrad,
                  Tensor *bwdIntermediates, const DebugContext &debugContext,
                  const OptionFlags &options,
                  poplin::PlanningCache *planningCache) {
  const LstmState last{{}, lastCellStateGrad ? *lastCellStateGrad : Tensor()};
  return lstmBwd(graph, params, prog, fwdStateInit, fwdIntermediates, weights,
                 input, output, outputGrad, &last, inputGrad, bwdIntermediates,
                 debugContext, options, planningCache);
}

LstmWeights lstmWU(Graph &graph, const LstmParams &params, Sequence &prog,
                   const LstmState &, const Tensor &fwdIntermediates,
                   const Tensor &bwdIntermediates, const LstmWeights &,
                   const Tensor &input, const Tensor &,
                   const DebugContext &debugContext, const OptionFlags &options,
                   poplin::PlanningCache *planningCache) {
  const Layer l(graph, params, options, planningCache, debugContext);
  const std::size_t steps = params.rnn.maxTimeSteps;
  const std::size_t batch = params.rnn.batchSize;
  const std::size_t size = params.rnn.getOutputSize();
  checkRecurrentShape(fwdIntermediates, {steps, NumSaved, batch, size},
                      "intermediates of the forward pass");
  checkRecurrentShape(bwdIntermediates, {steps, Units, batch, size},
                      "intermediates of the backward pass");
  LstmWeights gradient;
  if (params.doInputWeightCalc) {
    checkRecurrentShape(input, {steps, batch, params.rnn.getInputSize()},
                        "an input");
    gradient.inputWeights =
        l.layer.weightGradient(input, bwdIntermediates, prog);
  }
  const Tensor before =
      fwdIntermediates.slice(PreviousOutput, PreviousOutput + 1, 1)
          .squeeze({1});
  gradient.outputWeights =
      l.layer.weightGradient(before, bwdIntermediates, prog);
  gradient.biases = l.layer.biasGradient(bwdIntermediates, prog);
  return gradient;
}

LstmState lstmBwdWithWU(
    Graph &graph, const LstmParams &params, Sequence &prog,
    const LstmState &fwdStateInit, const Tensor &fwdIntermediates,
    const LstmWeights &weights, const Tensor &input, const Tensor &output,
    const Tensor &outputGrad, const LstmState *lastStateGrad, Tensor *inputGrad,
    LstmWeights &weightsGrad, const DebugContext &debugContext,
    const OptionFlags &options, poplin::PlanningCache *planningCache) {
  Tensor deltas;
  const LstmState gradient =
      lstmBwd(graph, params, prog, fwdStateInit, fwdIntermediates, weights,
              input, output, outputGrad, lastStateGrad, inputGrad, &deltas,
              debugContext, options, planningCache);
  weightsGrad =
      lstmWU(graph, params, prog, fwdStateInit, fwdIntermediates, deltas,
             weights, input, output, debugContext, options, planningCache);
  return gradient;
}

LstmState lstmBwdWithWU(Graph &graph, const LstmParams &params, Sequence &prog,
                        const LstmState &fwdStateInit,
                        const Tensor &fwdIntermediates,
                        const LstmWeights &weights, const Tensor &input,
                        const Tensor &output, const Tensor &outputGrad,
                        const Tensor *lastCellStateGrad, Tensor *inputGrad,
                        LstmWeights &weightsGrad,
                        const DebugContext &debugContext,
                        const OptionFlags &options,
                        poplin::PlanningCache *planningCache) {
  const LstmState last{{}, lastCellStateGrad ? *lastCellStateGrad : Tensor()};
  return lstmBwdWithWU(graph, params, prog, fwdStateInit, fwdIntermediates,
                       weights, input, output, outputGrad, &last, inputGrad,
                       weightsGrad, debugContext, options, planningCache);
}

} // namespace lstm
} // namespace popnn
