// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cell of a gated recurrent unit, forwards and backwards; the rest is
// RecurrentLayer.

#include "lib/PopLibs/popnn/GruLayer.h"

#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popnn::gru::layer {

Layer::Layer(Graph &graph, const GruParams &params, const OptionFlags &options,
             poplin::PlanningCache *cache, const DebugContext &debugContext)
    : dc(debugContext, "Gru"),
      layer(graph, params.rnn, Units, parseRecurrentOptions(options), cache,
            dc) {
  checkRecurrentParams(params.rnn, "popnn::gru");
}

std::vector<std::size_t> savedShape(const GruParams &params) {
  const std::size_t saved = params.resetAfter ? ResetProduct : PreviousOutput;
  return {params.rnn.maxTimeSteps, saved + 1, params.rnn.batchSize,
          params.rnn.getOutputSize()};
}

std::vector<std::size_t> deltasShape(const GruParams &params) {
  return {params.rnn.maxTimeSteps, Units, params.rnn.batchSize,
          params.rnn.getOutputSize()};
}

GruParams withTimeSteps(const GruParams &params, const Tensor &steps) {
  GruParams variable = params;
  variable.rnn.varTimeSteps = steps;
  return variable;
}

namespace {

namespace pe = popops::expr;

/// The place of a unit in weights and biases.
std::size_t placeOf(const GruParams &params, BasicGruCellUnit unit) {
  const auto &order = params.cellOrder;
  const auto at = std::find(order.begin(), order.end(), unit);
  if (order.size() != Units || at == order.end())
    throw poplibs_error("popnn::gru: the order of units must name each of the "
                        "3 units once");
  return at - order.begin();
}

/// Weights or biases with the units in the default order.
Tensor inDefaultOrder(const GruParams &params, const Tensor &t) {
  if (t.dim(0) != Units)
    throw poplibs_error("popnn::gru: weights or biases of shape " +
                        t.shapeToString() + ", which are not those of 3 units");
  std::vector<Tensor> units;
  for (BasicGruCellUnit unit : getDefaultBasicGruCellOrder())
    units.push_back(t[placeOf(params, unit)].expand({0}));
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

/// Update gate with attention: (1 - a) u.
Tensor attended(Graph &graph, const Tensor &update, const Tensor &attention,
                Sequence &prog, const DebugContext &dc) {
  if (!attention.valid())
    return update;
  return popops::map(graph, pe::_1 - pe::_1 * pe::_2, {update, attention}, prog,
                     {dc, "Attention"});
}

class Cell {
public:
  Cell(Graph &graph, const GruParams &params, const RecurrentLayer &layer,
       const Tensor &state, const StateWeights &weights, const DebugContext &dc)
      : graph(graph), params(params), layer(layer), state(state),
        weights(weights), dc(dc) {}

  /// The new state, also as output; and with `training` what the backward pass
  /// needs. \p attention, [batch, 1], may be invalid.
  RecurrentLayer::StepResult step(const Tensor &units, const Tensor &attention,
                                  bool training, Sequence &prog) const {
    const Tensor gates = units.slice(0, 2);
    const Tensor candidate = units[BASIC_GRU_CELL_CANDIDATE];
    std::vector<Tensor> saved{units, state.expand({0})};
    if (params.resetAfter)
      saved.push_back(resetAfter(gates, candidate, prog).expand({0}));
    else
      resetBefore(gates, candidate, prog);
    nonLinearityInPlace(graph, params.activation, candidate, prog, dc);
    const Tensor update =
        attended(graph, gates[BASIC_GRU_CELL_UPDATE_GATE], attention, prog, dc);
    // u h + (1 - u) c
    const Tensor next =
        popops::map(graph, pe::_1 + pe::_2 * (pe::_3 - pe::_1),
                    {candidate, update, state}, prog, {dc, "Output"});
    RecurrentLayer::StepResult result{{next}, {next}};
    if (training)
      result.outputs.push_back(concat(saved));
    return result;
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

  /// Returns what the reset gate is multiplied with.
  Tensor resetAfter(const Tensor &gates, const Tensor &candidate,
                    Sequence &prog) const {
    const Tensor products = layer.multiplyState(state, weights.all, prog);
    activateGates(gates, products.slice(0, 2), prog);
    const Tensor product =
        popops::add(graph, products[BASIC_GRU_CELL_CANDIDATE],
                    weights.candidateBias, prog, dc);
    popops::mapInPlace(graph, pe::_1 + pe::_2 * pe::_3,
                       {candidate, gates[BASIC_GRU_CELL_RESET_GATE], product},
                       prog, {dc, "Reset"});
    return product;
  }
};

class BackwardCell {
public:
  BackwardCell(Graph &graph, const GruParams &params,
               const RecurrentLayer &layer, const Tensor &gradient,
               const Tensor &outputWeights, Sequence &prog,
               const DebugContext &dc)
      : graph(graph), params(params), layer(layer), gradient(gradient), dc(dc) {
    if (params.resetAfter) {
      allWeights = layer.arrangeTransposed(outputWeights, prog);
    } else {
      gateWeights = layer.arrangeTransposed(outputWeights.slice(0, 2), prog);
      candidateWeights =
          layer.arrangeTransposed(outputWeights.slice(2, 3), prog);
    }
  }

  /// Data of one step: its saved tensors, the gradient of its output (invalid
  /// if only the last output counts), and the attention or an invalid tensor.
  struct Slices {
    Tensor saved, outputGradient, attention;
  };

  /// From the gradient of the state to that before the step; the outputs are
  /// the gradient of what goes into the units' nonlinearities and, where there
  /// is attention, its gradient.
  RecurrentLayer::StepResult step(const Slices &slices, Sequence &prog) const {
    const Tensor &saved = slices.saved;
    const Tensor reset = saved[BASIC_GRU_CELL_RESET_GATE];
    const Tensor gate = saved[BASIC_GRU_CELL_UPDATE_GATE];
    const Tensor update = attended(graph, gate, slices.attention, prog, dc);
    const Tensor candidate = saved[BASIC_GRU_CELL_CANDIDATE];
    const Tensor before = saved[PreviousOutput];
    const Tensor ofOutput =
        slices.outputGradient.valid()
            ? popops::add(graph, gradient, slices.outputGradient, prog, dc)
            : gradient;
    Tensor ofUpdate =
        popops::map(graph, pe::_1 * (pe::_2 - pe::_3),
                    {ofOutput, before, candidate}, prog, {dc, "Grad"});
    Tensor ofAttention;
    if (slices.attention.valid()) {
      ofAttention = gradientOfAttention(gate, ofUpdate, prog);
      ofUpdate = attended(graph, ofUpdate, slices.attention, prog, dc);
    }
    const Tensor deltaCandidate = nonLinearityInputGradient(
        graph, params.activation, candidate,
        popops::map(graph, pe::_1 - pe::_1 * pe::_2, {ofOutput, update}, prog,
                    {dc, "Grad"}),
        prog, dc);
    Tensor ofLeft, ofReset;
    if (params.resetAfter) {
      ofReset = product(deltaCandidate, saved[ResetProduct], prog);
    } else {
      ofLeft =
          layer.backThrough(deltaCandidate.expand({0}), candidateWeights, prog);
      ofReset = product(ofLeft, before, prog);
    }
    const Tensor deltaGates = nonLinearityInputGradient(
        graph, params.recurrentActivation,
        concat(reset.expand({0}), gate.expand({0})),
        concat(ofReset.expand({0}), ofUpdate.expand({0})), prog, dc);
    const Tensor deltas = concat(deltaGates, deltaCandidate.expand({0}));
    RecurrentLayer::StepResult result{
        {ofPrevious(ofOutput, update, reset, ofLeft, deltas, prog)}, {deltas}};
    if (ofAttention.valid())
      result.outputs.push_back(ofAttention);
    return result;
  }

private:
  Graph &graph;
  const GruParams &params;
  const RecurrentLayer &layer;
  const Tensor gradient;
  const DebugContext &dc;
  Tensor allWeights, gateWeights, candidateWeights;

  Tensor product(const Tensor &a, const Tensor &b, Sequence &prog) const {
    return popops::mul(graph, a, b, prog, {dc, "Grad"});
  }

  /// [batch, 1]
  Tensor gradientOfAttention(const Tensor &gate, const Tensor &ofUpdate,
                             Sequence &prog) const {
    const Tensor products = popops::map(graph, -(pe::_1 * pe::_2),
                                        {gate, ofUpdate}, prog, {dc, "Grad"});
    return popops::reduce(graph, products, {1}, popops::Operation::ADD, prog,
                          {dc, "AttentionGrad"})
        .expand({1});
  }

  /// The gradient of the state before the step, by all of its uses.
  Tensor ofPrevious(const Tensor &ofOutput, const Tensor &update,
                    const Tensor &reset, const Tensor &ofLeft,
                    const Tensor &deltas, Sequence &prog) const {
    if (params.resetAfter) {
      const Tensor ofProduct =
          product(deltas[BASIC_GRU_CELL_CANDIDATE], reset, prog);
      const Tensor throughUnits = layer.backThrough(
          concat(deltas.slice(0, 2), ofProduct.expand({0})), allWeights, prog);
      return popops::map(graph, pe::_1 * pe::_2 + pe::_3,
                         {ofOutput, update, throughUnits}, prog, {dc, "Grad"});
    }
    const Tensor throughGates =
        layer.backThrough(deltas.slice(0, 2), gateWeights, prog);
    return popops::map(graph, pe::_1 * pe::_2 + pe::_3 * pe::_4 + pe::_5,
                       {ofOutput, update, ofLeft, reset, throughGates}, prog,
                       {dc, "Grad"});
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

/// The attention scores of a layer, [batch, steps], as a loop's input.
std::vector<Tensor> attentionSteps(const GruParams &params,
                                   const Tensor &attention) {
  if (!attention.valid())
    return {};
  checkRecurrentShape(attention,
                      {params.rnn.batchSize, params.rnn.maxTimeSteps},
                      "attention scores");
  return {attention.transpose().expand({2})};
}

} // namespace

Tensor inCellOrder(const GruParams &params, const Tensor &t) {
  std::vector<Tensor> units(Units);
  for (BasicGruCellUnit unit : getDefaultBasicGruCellOrder())
    units[placeOf(params, unit)] = t[unit].expand({0});
  return concat(units);
}

Tensor forward(Graph &graph, const GruParams &params, const Tensor &stateInit,
               const Tensor &in, const GruWeights &weights,
               Tensor *intermediates, const Tensor &attention,
               Sequence &fwdProg, const DebugContext &debugContext,
               const OptionFlags &options,
               poplin::PlanningCache *planningCache) {
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
  RecurrentLayer::Loop loop{attentionSteps(params, attention), {state}};
  loop.inputs.insert(loop.inputs.begin(), projection);
  const auto outputs = l.layer.run(
      loop,
      [&](const std::vector<Tensor> &slices, Sequence &prog) {
        const Tensor scores = attention.valid() ? slices.back() : Tensor();
        auto next = cell.step(slices[0], scores, intermediates, prog);
        if (!params.outputFullSequence)
          next.outputs.erase(next.outputs.begin());
        return next;
      },
      fwdProg);
  if (intermediates)
    *intermediates = outputs.back();
  return params.outputFullSequence ? outputs.front() : state;
}

Tensor backward(Graph &graph, const GruParams &params, Sequence &prog,
                const Tensor &fwdIntermediatesSeq, const GruWeights &weights,
                const Tensor &gradLayerNext, Tensor *inputGrad,
                Tensor *bwdIntermediates, const Tensor &attention,
                Tensor *attentionGrad, const DebugContext &debugContext,
                const OptionFlags &options,
                poplin::PlanningCache *planningCache) {
  const Layer l(graph, params, options, planningCache, debugContext);
  const std::size_t size = params.rnn.getOutputSize();
  checkRecurrentShape(fwdIntermediatesSeq, savedShape(params),
                      "intermediates of the forward pass");
  checkRecurrentShape(weights.outputWeights, {Units, size, size},
                      "output weights");
  const auto outputGradient = l.layer.splitOutputGradient(
      gradLayerNext, params.outputFullSequence, prog);
  const Tensor gradient = outputGradient.last;
  const BackwardCell cell(graph, params, l.layer, gradient,
                          inDefaultOrder(params, weights.outputWeights), prog,
                          l.dc);
  RecurrentLayer::Loop loop{{fwdIntermediatesSeq}, {gradient}, true};
  loop.inputs.insert(loop.inputs.end(), outputGradient.steps.begin(),
                     outputGradient.steps.end());
  const std::vector<Tensor> attentions = attentionSteps(params, attention);
  loop.inputs.insert(loop.inputs.end(), attentions.begin(), attentions.end());
  const auto outputs = l.layer.run(
      loop,
      [&](const std::vector<Tensor> &slices, Sequence &round) {
        return cell.step({slices[0],
                          outputGradient.steps.empty() ? Tensor() : slices[1],
                          attentions.empty() ? Tensor() : slices.back()},
                         round);
      },
      prog);
  const Tensor &deltas = outputs[0];
  if (attentionGrad && attention.valid())
    *attentionGrad = outputs[1].squeeze({2}).transpose();
  if (inputGrad && params.calcInputGradients) {
    checkRecurrentShape(weights.inputWeights,
                        {Units, params.rnn.getInputSize(), size},
                        "input weights");
    *inputGrad = l.layer.inputGradient(
        deltas, inDefaultOrder(params, weights.inputWeights), prog);
  }
  if (bwdIntermediates)
    *bwdIntermediates = deltas;
  return gradient;
}

} // namespace popnn::gru::layer
