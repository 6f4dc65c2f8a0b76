// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop over steps and the layouts of its operands.

#include "lib/PopLibs/popnn/RecurrentLayer.h"

#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Loop.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <limits>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popnn {

namespace rnn {

RnnParams::RnnParams(Type dataType, std::size_t batchSize,
                     std::size_t timeSteps, std::vector<std::size_t> layerSizes)
    : dataType(dataType), batchSize(batchSize), maxTimeSteps(timeSteps),
      timeSteps(timeSteps), layerSizes(std::move(layerSizes)) {}

RnnParams::RnnParams(Type dataType, std::size_t batchSize,
                     std::size_t maxTimeSteps, const Tensor &varTimeSteps,
                     std::vector<std::size_t> layerSizes)
    : dataType(dataType), batchSize(batchSize), maxTimeSteps(maxTimeSteps),
      timeSteps(maxTimeSteps), varTimeSteps(varTimeSteps),
      layerSizes(std::move(layerSizes)) {}

namespace {

std::size_t bytesPerTile(const RnnParams &params, std::size_t size,
                         const Graph &graph) {
  const Target &target = graph.getTarget();
  const std::size_t tiles = target.getNumTiles();
  const std::size_t elements = params.maxTimeSteps * params.batchSize * size;
  return (elements + tiles - 1) / tiles * target.getTypeSize(params.dataType);
}

} // namespace

std::size_t RnnParams::getInputBytesPerTile(const Graph &graph) const {
  return bytesPerTile(*this, getInputSize(), graph);
}
std::size_t RnnParams::getOutputBytesPerTile(const Graph &graph) const {
  return bytesPerTile(*this, getOutputSize(), graph);
}
std::size_t RnnParams::getMaxShards(const Graph &graph) const {
  constexpr std::size_t LeastElementsPerTile = 2;
  const std::size_t tilesPerStep = std::max<std::size_t>(
      1, batchSize * getOutputSize() / LeastElementsPerTile);
  return std::max<std::size_t>(
      1, std::min<std::size_t>(maxTimeSteps,
                               graph.getTarget().getNumTiles() / tilesPerStep));
}

Tensor createInitialState(Graph &graph, const RnnParams &params, bool,
                          unsigned multiple, unsigned,
                          const DebugContext &debugContext) {
  return graph.addVariable(
      params.dataType, {multiple, params.batchSize, params.getOutputSize()},
      VariableMappingMethod::LINEAR, {debugContext, "initialState"});
}

Tensor createRecurrentTensor(Graph &graph, const RnnParams &params,
                             unsigned size, unsigned,
                             const DebugContext &debugContext) {
  return popops::createSliceableTensor(
      graph, params.dataType, {params.maxTimeSteps, params.batchSize, size},
      {0}, {1}, 0, {debugContext, "recurrent"});
}

Tensor createInputTensor(Graph &graph, const RnnParams &params,
                         unsigned numShards, const DebugContext &debugContext) {
  return createRecurrentTensor(graph, params, params.getInputSize(), numShards,
                               debugContext);
}

Tensor createOutputTensor(Graph &graph, const RnnParams &params,
                          unsigned numShards,
                          const DebugContext &debugContext) {
  return createRecurrentTensor(graph, params, params.getOutputSize(), numShards,
                               debugContext);
}

Tensor createOutputTensor(Graph &graph, const RnnParams &params,
                          unsigned multiple, unsigned numShards,
                          const DebugContext &debugContext) {
  std::vector<Tensor> parts;
  for (unsigned i = 0; i != multiple; ++i)
    parts.push_back(createOutputTensor(graph, params, numShards, debugContext));
  return concat(parts);
}

Tensor shiftRnnTensor(Graph &graph, const RnnParams &, const Tensor &tBase,
                      const Tensor &tSingle, Sequence &prog, unsigned,
                      const DebugContext &debugContext) {
  const Tensor first = poputil::duplicate(graph, tSingle, prog, debugContext);
  return concat(first, tBase.slice(0, tBase.dim(0) - 1));
}

GatedLayerParams::GatedLayerParams(Type dataType, std::size_t batchSize,
                                   std::size_t timeSteps,
                                   std::vector<std::size_t> layerSizes,
                                   NonLinearityType activation,
                                   NonLinearityType recurrentActivation)
    : rnn(dataType, batchSize, timeSteps, layerSizes),
      layerSizes(std::move(layerSizes)), activation(activation),
      recurrentActivation(recurrentActivation) {}

GatedLayerParams::GatedLayerParams(Type dataType, std::size_t batchSize,
                                   std::size_t maxTimeSteps,
                                   const Tensor &timeSteps,
                                   std::vector<std::size_t> layerSizes,
                                   NonLinearityType activation,
                                   NonLinearityType recurrentActivation)
    : rnn(dataType, batchSize, maxTimeSteps, timeSteps, layerSizes),
      layerSizes(std::move(layerSizes)), activation(activation),
      recurrentActivation(recurrentActivation) {}

} // namespace rnn

void checkRecurrentParams(const rnn::RnnParams &params, const char *layer) {
  if (params.layerSizes.size() != 2)
    throw poplibs_error(std::string(layer) + ": " +
                        std::to_string(params.layerSizes.size()) +
                        " layer sizes; they must be {input, output}");
  if (params.dataType != FLOAT && params.dataType != HALF)
    throw poplibs_error(std::string(layer) + ": elements of type " +
                        params.dataType.toString() +
                        "; they must be float or half");
  const Tensor &steps = params.varTimeSteps;
  if (steps.valid() &&
      ((steps.numElements() != 1 && steps.numElements() != params.batchSize) ||
       (steps.elementType() != INT && steps.elementType() != UNSIGNED_INT)))
    throw poplibs_error(std::string(layer) + ": numbers of steps of shape " +
                        steps.shapeToString() + " and type " +
                        steps.elementType().toString() +
                        "; there must be one integer for each of the batch");
}

void checkRecurrentShape(const Tensor &t, const std::vector<std::size_t> &shape,
                         const char *what) {
  if (t.shape() == shape)
    return;
  std::string wanted;
  for (std::size_t extent : shape)
    wanted += (wanted.empty() ? '{' : ',') + std::to_string(extent);
  throw poplibs_error(std::string("popnn: ") + what + " of shape " +
                      t.shapeToString() + "; the parameters ask for " + wanted +
                      "}");
}

std::uint64_t inputProductFlops(const rnn::RnnParams &params,
                                std::size_t units) {
  return elementwiseFlops(params) * 2 * units * params.getInputSize();
}
std::uint64_t stateProductFlops(const rnn::RnnParams &params,
                                std::size_t units) {
  return elementwiseFlops(params) * 2 * units * params.getOutputSize();
}
std::uint64_t elementwiseFlops(const rnn::RnnParams &params) {
  return std::uint64_t(params.maxTimeSteps) * params.batchSize *
         params.getOutputSize();
}

OptionFlags parseRecurrentOptions(const OptionFlags &options) {
  using poplibs::OptionHandler;
  bool flag = false;
  unsigned choice = 0, number = 0;
  double real = 0;
  const auto boolean = OptionHandler::createWithBool(flag);
  const auto oneOf = [&](std::vector<std::pair<std::string, unsigned>> names) {
    return OptionHandler::createWithEnum(choice, std::move(names));
  };
  const auto count = OptionHandler::createWithInteger(number);
  poplibs::OptionSpec(
      {{"partialsType", oneOf({{"half", 0}, {"float", 1}})},
       {"availableMemoryProportion",
        OptionHandler::createWithDouble(real, 0,
                                        std::numeric_limits<double>::max())},
       {"inferenceOnly", boolean},
       {"preCalcWeights", boolean},
       {"disableWUPartialInterleaving", boolean},
       {"weightAccumulatorsType", oneOf({{"half", 0}, {"float", 1}})},
       {"recomputationMode",
        oneOf({{"none", 0}, {"cellAndTanh", 1}, {"full", 2}})},
       {"numShards", count},
       {"rnnCodeReuse", boolean},
       {"rnnStepsPerWU", count}})
      .parse(options);
  OptionFlags result;
  for (const auto &option : options)
    if (option.first == "partialsType" ||
        option.first == "availableMemoryProportion")
      result.set(option.first, option.second);
  return result;
}

RecurrentLayer::RecurrentLayer(Graph &graph, const rnn::RnnParams &params,
                               std::size_t units,
                               const OptionFlags &matMulOptions,
                               poplin::PlanningCache *cache,
                               const DebugContext &debugContext)
    : graph(graph), params(params), units(units), options(matMulOptions),
      cache(cache), debugContext(debugContext) {}

Tensor RecurrentLayer::createInput() const {
  const std::size_t rows = params.maxTimeSteps * params.batchSize;
  return poplin::createMatMulInputLHS(
             graph, params.dataType, {rows, params.getInputSize()},
             {params.getInputSize(), units * params.getOutputSize()},
             {debugContext, "input"}, options, cache)
      .reshapePartial(0, 1, {params.maxTimeSteps, params.batchSize});
}

Tensor RecurrentLayer::createState(const char *name) const {
  return graph.addVariable(params.dataType,
                           {params.batchSize, params.getOutputSize()},
                           VariableMappingMethod::LINEAR, {debugContext, name});
}

Tensor RecurrentLayer::createInputWeights() const {
  const std::size_t rows = params.maxTimeSteps * params.batchSize;
  return poplin::createMatMulInputRHS(
             graph, params.dataType, {rows, params.getInputSize()},
             {params.getInputSize(), units * params.getOutputSize()},
             {debugContext, "inputWeights"}, options, cache)
      .reshapePartial(1, 2, {units, params.getOutputSize()})
      .dimRoll(1, 0);
}

Tensor RecurrentLayer::createOutputWeights() const {
  const std::size_t size = params.getOutputSize();
  return poplin::createMatMulInputRHS(
             graph, params.dataType, {params.batchSize, size},
             {size, units * size}, {debugContext, "outputWeights"}, options,
             cache)
      .reshapePartial(1, 2, {units, size})
      .dimRoll(1, 0);
}

void RecurrentLayer::checkOperands(const Tensor &in, const Tensor &inputWeights,
                                   const Tensor &outputWeights) const {
  using Shape = std::vector<std::size_t>;
  const std::size_t size = params.getOutputSize();
  if (in.shape() !=
          Shape{params.maxTimeSteps, params.batchSize, params.getInputSize()} ||
      inputWeights.shape() != Shape{units, params.getInputSize(), size} ||
      outputWeights.shape() != Shape{units, size, size})
    throw poplibs_error(
        "popnn: a recurrent layer of " + std::to_string(params.maxTimeSteps) +
        " steps with " + "input of shape " + in.shapeToString() +
        " and weights of shapes " + inputWeights.shapeToString() + " and " +
        outputWeights.shapeToString() + ", which do not fit the parameters");
}

Tensor RecurrentLayer::projectInput(const Tensor &in, const Tensor &weights,
                                    const Tensor &biases,
                                    Sequence &prog) const {
  const Tensor product = poplin::matMul(
      graph, in.flatten(0, 2), weights.dimRoll(0, 1).flatten(1, 3), prog,
      params.dataType, {debugContext, "Input"}, options, cache);
  return sliceable(product
                       .reshape({params.maxTimeSteps, params.batchSize, units,
                                 params.getOutputSize()})
                       .dimRoll(2, 1),
                   biases, prog);
}

Tensor RecurrentLayer::sliceable(const Tensor &projection, const Tensor &biases,
                                 Sequence &prog) const {
  const Tensor result =
      popops::createSliceableTensor(graph, params.dataType, projection.shape(),
                                    {0}, {1}, 0, {debugContext, "projection"});
  popops::mapWithOutput(graph, popops::expr::_1 + popops::expr::_2,
                        {projection, biases.expand({1})}, result, prog,
                        {debugContext, "Bias"});
  return result;
}

Tensor RecurrentLayer::arrangeWeights(const Tensor &weights,
                                      Sequence &prog) const {
  const Tensor arranged = createOutputWeights();
  if (graph.getTileMapping(arranged) == graph.getTileMapping(weights))
    return weights;
  prog.add(Copy(weights, arranged, false, {debugContext, "ArrangeWeights"}));
  return arranged;
}

Tensor RecurrentLayer::multiplyState(const Tensor &state, const Tensor &weights,
                                     Sequence &prog) const {
  return poplin::matMul(graph, state, weights.dimRoll(0, 1).flatten(1, 3), prog,
                        params.dataType, {debugContext, "State"}, options,
                        cache)
      .reshape({params.batchSize, weights.dim(0), params.getOutputSize()})
      .dimRoll(1, 0);
}

Tensor RecurrentLayer::copyState(const Tensor &state, Sequence &prog) const {
  if (state.shape() !=
          std::vector<std::size_t>{params.batchSize, params.getOutputSize()} ||
      state.elementType() != params.dataType)
    throw poplibs_error(
        "popnn: an initial state of shape " + state.shapeToString() +
        " and type " + state.elementType().toString() +
        " for a recurrent layer of batch " + std::to_string(params.batchSize) +
        " and output size " + std::to_string(params.getOutputSize()));
  const Tensor copy = createState("state");
  prog.add(Copy(state, copy, false, debugContext));
  return copy;
}

std::vector<Tensor> RecurrentLayer::run(const Loop &loop, const Step &step,
                                        Sequence &prog) const {
  namespace pe = popops::expr;
  std::vector<Tensor> collected;
  const auto collect = [&](std::size_t i, const Tensor &output,
                           const Tensor &at, Sequence &round) {
    if (collected.size() <= i) {
      std::vector<std::size_t> shape = output.shape();
      shape.insert(shape.begin(), params.maxTimeSteps);
      collected.push_back(
          popops::createSliceableTensor(graph, params.dataType, shape, {0}, {1},
                                        0, {debugContext, "outputs"}));
    }
    popops::dynamicUpdate(graph, collected[i], output.expand({0}), at, {0}, {1},
                          round, debugContext);
  };
  const auto body = [&](const Tensor &counter) {
    Sequence round;
    const unsigned last = params.maxTimeSteps - 1;
    const Tensor index =
        loop.backwards ? popops::sub(graph, last, counter, round, debugContext)
                       : counter;
    const Tensor at = index.reshape({1});
    std::vector<Tensor> slices;
    for (const Tensor &input : loop.inputs)
      slices.push_back(
          popops::dynamicSlice(graph, input, at, {0}, {1}, round, debugContext)
              .squeeze({0}));
    const StepResult next = step(slices, round);
    Tensor active;
    if (params.variableTimeSteps()) {
      const Tensor lengths =
          params.varTimeSteps.reinterpret(UNSIGNED_INT)
              .reshape({params.varTimeSteps.numElements(), 1});
      active =
          popops::lt(graph, index, lengths, round, {debugContext, "Active"});
    }
    // Outputs may be views of states.
    for (std::size_t i = 0; i != next.outputs.size(); ++i) {
      Tensor output = next.outputs[i];
      if (active.valid())
        output = popops::map(
            graph, pe::Select(pe::_1, pe::Const(0.0, params.dataType), pe::_2),
            {output, active}, round, debugContext);
      collect(i, output, at, round);
    }
    for (std::size_t i = 0; i != loop.states.size(); ++i)
      if (active.valid())
        popops::mapInPlace(graph, pe::Select(pe::_2, pe::_1, pe::_3),
                           {loop.states[i], next.states[i], active}, round,
                           debugContext);
      else
        round.add(Copy(next.states[i], loop.states[i], false, debugContext));
    return round;
  };
  if (params.maxTimeSteps != 0)
    prog.add(
        popops::countedLoop(graph, params.maxTimeSteps, body, debugContext));
  return collected;
}

} // namespace popnn
