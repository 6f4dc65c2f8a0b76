// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cell of an LSTM; the rest is RecurrentLayer.

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

/// One step: the new output and cell state.
std::vector<Tensor> step(Graph &graph, const LstmParams &params,
                         const RecurrentLayer &layer, const LstmState &state,
                         const Tensor &weights, const Tensor &projection,
                         Sequence &prog, const DebugContext &dc) {
  namespace pe = popops::expr;
  popops::addInPlace(graph, projection,
                     layer.multiplyState(state.output, weights, prog), prog,
                     {dc, "Add"});
  const auto unit = [&](BasicLstmCellUnit u) {
    return projection[placeOf(params, u)];
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
  popops::mapInPlace(graph, pe::_1 * pe::_2 + pe::_3 * pe::_4,
                     {forget, state.cellState, input, candidate}, prog,
                     {dc, "Cell"});
  const Tensor active =
      nonLinearity(graph, params.activation, forget, prog, dc);
  popops::mulInPlace(graph, active, output, prog, {dc, "Output"});
  return {active, forget};
}

} // namespace

std::vector<BasicLstmCellUnit> getDefaultBasicLstmCellOrder() {
  return {BASIC_LSTM_CELL_FORGET_GATE, BASIC_LSTM_CELL_INPUT_GATE,
          BASIC_LSTM_CELL_CANDIDATE, BASIC_LSTM_CELL_OUTPUT_GATE};
}

LstmParams::LstmParams(Type dataType, std::size_t batchSize,
                       std::size_t timeSteps,
                       std::vector<std::size_t> layerSizes,
                       NonLinearityType activation,
                       NonLinearityType recurrentActivation)
    : rnn(dataType, batchSize, timeSteps, layerSizes),
      layerSizes(std::move(layerSizes)), activation(activation),
      recurrentActivation(recurrentActivation) {}

LstmParams::LstmParams(Type dataType, std::size_t batchSize,
                       std::size_t maxTimeSteps, const Tensor &timeSteps,
                       std::vector<std::size_t> layerSizes,
                       NonLinearityType activation,
                       NonLinearityType recurrentActivation)
    : rnn(dataType, batchSize, maxTimeSteps, timeSteps, layerSizes),
      layerSizes(std::move(layerSizes)), activation(activation),
      recurrentActivation(recurrentActivation) {}

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
  if (intermediates)
    throw poplibs_error("popnn::lstmFwd: intermediates for gradients are not "
                        "supported; pass a null pointer");
  const Layer l(graph, params, options, planningCache, debugContext);
  Tensor projection;
  if (params.doInputWeightCalc) {
    l.layer.checkOperands(in, weights.inputWeights, weights.outputWeights);
    projection =
        l.layer.projectInput(in, weights.inputWeights, weights.biases, fwdProg);
  } else {
    // [steps, batch, units * output size]
    projection = l.layer.sliceable(
        in.reshapePartial(2, 3, {Units, params.rnn.getOutputSize()})
            .dimRoll(2, 1),
        weights.biases, fwdProg);
  }
  const Tensor outputWeights =
      l.layer.arrangeWeights(weights.outputWeights, fwdProg);
  const LstmState state{l.layer.copyState(stateInit.output, fwdProg),
                        l.layer.copyState(stateInit.cellState, fwdProg)};
  const Tensor output = l.layer.run(
      projection, {state.output, state.cellState}, params.outputFullSequence,
      [&](const Tensor &slice, Sequence &prog) {
        return step(graph, params, l.layer, state, outputWeights, slice, prog,
                    l.dc);
      },
      fwdProg);
  return {output, state.cellState};
}

} // namespace lstm
} // namespace popnn
