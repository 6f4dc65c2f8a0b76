// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cell of a gated recurrent unit; the rest is RecurrentLayer.

#include "lib/PopLibs/popnn/RecurrentLayer.h"

#include <popnn/Gru.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popnn {
namespace gru {
namespace {

namespace pe = popops::expr;

constexpr std::size_t Units = BASIC_GRU_CELL_NUM_UNITS;

class Layer {
public:
  Layer(Graph &graph, const GruParams &params, const OptionFlags &options,
        poplin::PlanningCache *cache, const DebugContext &debugContext)
      : dc(debugContext, "Gru"),
        layer(graph, params.rnn, Units, parseRecurrentOptions(options), cache,
              dc) {
    checkRecurrentParams(params.rnn, "popnn::gru");
  }

  const DebugContext dc;
  const RecurrentLayer layer;
};

/// Weights or biases with the units in the default order.
Tensor inDefaultOrder(const GruParams &params, const Tensor &t) {
  std::vector<Tensor> units;
  for (BasicGruCellUnit unit : getDefaultBasicGruCellOrder()) {
    const auto &order = params.cellOrder;
    const auto at = std::find(order.begin(), order.end(), unit);
    if (order.size() != Units || at == order.end() || t.dim(0) != Units)
      throw poplibs_error("popnn::gru: the order of units must name each of "
                          "the 3 units once, and weights must have them");
    const std::size_t place = at - order.begin();
    units.push_back(t.slice(place, place + 1));
  }
  return concat(units);
}

void checkBiases(const GruParams &params, const Tensor &biases) {
  const std::size_t size = params.rnn.getOutputSize();
  const std::vector<std::size_t> wanted =
      params.resetAfter ? std::vector<std::size_t>{Units, 2, size}
                        : std::vector<std::size_t>{Units, size};
  if (biases.shape() != wanted)
    throw poplibs_error("popnn::gru: biases of shape " +
                        biases.shapeToString() + " do not fit the parameters");
}

/// Weights in the default order; those of the candidate are multiplied by
/// themselves unless the reset gate comes after.
struct StateWeights {
  Tensor gates, candidate, all, candidateBias;
};

class Cell {
public:
  Cell(Graph &graph, const GruParams &params, const RecurrentLayer &layer,
       const Tensor &state, const StateWeights &weights, const DebugContext &dc)
      : graph(graph), params(params), layer(layer), state(state),
        weights(weights), dc(dc) {}

  /// The new state.
  Tensor step(const Tensor &projection, Sequence &prog) const {
    const Tensor gates = projection.slice(0, 2);
    const Tensor candidate = projection[BASIC_GRU_CELL_CANDIDATE];
    if (params.resetAfter)
      resetAfter(gates, candidate, prog);
    else
      resetBefore(gates, candidate, prog);
    nonLinearityInPlace(graph, params.activation, candidate, prog, dc);
    // u h + (1 - u) c
    popops::mapInPlace(graph, pe::_1 + pe::_2 * (pe::_3 - pe::_1),
                       {candidate, gates[BASIC_GRU_CELL_UPDATE_GATE], state},
                       prog, {dc, "Output"});
    return candidate;
  }

private:
  Graph &graph;
  const GruParams &params;
  const RecurrentLayer &layer;
  const Tensor state;
  const StateWeights &weights;
  const DebugContext &dc;

  void activateGates(const Tensor &gates, const Tensor &products,
                     Sequence &prog) const {
    popops::addInPlace(graph, gates, products, prog, {dc, "Add"});
    nonLinearityInPlace(graph, params.recurrentActivation, gates, prog, dc);
  }

  void resetBefore(const Tensor &gates, const Tensor &candidate,
                   Sequence &prog) const {
    activateGates(gates, layer.multiplyState(state, weights.gates, prog), prog);
    const Tensor left = popops::mul(graph, gates[BASIC_GRU_CELL_RESET_GATE],
                                    state, prog, {dc, "Reset"});
    popops::addInPlace(graph, candidate,
                       layer.multiplyState(left, weights.candidate, prog)[0],
                       prog, {dc, "Add"});
  }

  void resetAfter(const Tensor &gates, const Tensor &candidate,
                  Sequence &prog) const {
    const Tensor products = layer.multiplyState(state, weights.all, prog);
    activateGates(gates, products.slice(0, 2), prog);
    popops::mapInPlace(graph, pe::_1 + pe::_2 * (pe::_3 + pe::_4),
                       {candidate, gates[BASIC_GRU_CELL_RESET_GATE],
                        products[BASIC_GRU_CELL_CANDIDATE],
                        weights.candidateBias},
                       prog, {dc, "Reset"});
  }
};

/// The biases that are added to the projection: with resetAfter both of the
/// gates, but only one of the candidate.
Tensor projectionBiases(Graph &graph, const GruParams &params,
                        const Tensor &biases, Sequence &prog,
                        const DebugContext &dc) {
  if (!params.resetAfter)
    return biases;
  const Tensor sum =
      poputil::duplicate(graph, biases.slice(0, 1, 1).squeeze({1}), prog, dc);
  popops::addInPlace(graph, sum.slice(0, 2),
                     biases.slice(0, 2).slice(1, 2, 1).squeeze({1}), prog, dc);
  return sum;
}

} // namespace

std::vector<BasicGruCellUnit> getDefaultBasicGruCellOrder() {
  return {BASIC_GRU_CELL_RESET_GATE, BASIC_GRU_CELL_UPDATE_GATE,
          BASIC_GRU_CELL_CANDIDATE};
}

GruParams::GruParams(Type dataType, std::size_t batchSize,
                     std::size_t timeSteps, std::vector<std::size_t> layerSizes,
                     NonLinearityType activation,
                     NonLinearityType recurrentActivation)
    : rnn(dataType, batchSize, timeSteps, layerSizes),
      layerSizes(std::move(layerSizes)), activation(activation),
      recurrentActivation(recurrentActivation) {}

GruParams::GruParams(Type dataType, std::size_t batchSize,
                     std::size_t maxTimeSteps, const Tensor &timeSteps,
                     std::vector<std::size_t> layerSizes,
                     NonLinearityType activation,
                     NonLinearityType recurrentActivation)
    : rnn(dataType, batchSize, maxTimeSteps, timeSteps, layerSizes),
      layerSizes(std::move(layerSizes)), activation(activation),
      recurrentActivation(recurrentActivation) {}

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
  if (intermediates)
    throw poplibs_error("popnn::gruFwd: intermediates for gradients are not "
                        "supported; pass a null pointer");
  const Layer l(graph, params, options, planningCache, debugContext);
  l.layer.checkOperands(in, weights.inputWeights, weights.outputWeights);
  checkBiases(params, weights.biases);
  const Tensor biases = inDefaultOrder(params, weights.biases);
  const Tensor projection = l.layer.projectInput(
      in, inDefaultOrder(params, weights.inputWeights),
      projectionBiases(graph, params, biases, fwdProg, l.dc), fwdProg);
  const Tensor arranged = l.layer.arrangeWeights(
      inDefaultOrder(params, weights.outputWeights), fwdProg);
  StateWeights stateWeights{
      arranged.slice(0, 2), arranged.slice(2, 3), arranged, {}};
  if (params.resetAfter)
    stateWeights.candidateBias = biases[BASIC_GRU_CELL_CANDIDATE][1];
  const Tensor state = l.layer.copyState(stateInit, fwdProg);
  const Cell cell(graph, params, l.layer, state, stateWeights, l.dc);
  return l.layer.run(
      projection, {state}, params.outputFullSequence,
      [&](const Tensor &slice, Sequence &prog) {
        return std::vector<Tensor>{cell.step(slice, prog)};
      },
      fwdProg);
}

Tensor gruFwd(Graph &graph, const GruParams &params, const Tensor &stateInit,
              const Tensor &in, const Tensor &realTimeSteps,
              const GruWeights &weights, Tensor *intermediates,
              Sequence &fwdProg, const DebugContext &debugContext,
              const OptionFlags &options,
              poplin::PlanningCache *planningCache) {
  GruParams variable = params;
  variable.rnn.varTimeSteps = realTimeSteps;
  return gruFwd(graph, variable, stateInit, in, weights, intermediates, fwdProg,
                debugContext, options, planningCache);
}

} // namespace gru
} // namespace popnn
