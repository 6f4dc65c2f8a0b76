// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions one after the other.

#include <poplin/MultiConvolution.hpp>

#include <poplin/Convolution.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;

namespace poplin {
namespace multiconv {
namespace {

void checkOptions(const OptionFlags &options) {
  bool serial = false;
  unsigned tiles = 0;
  double share = 0;
  poplibs::OptionSpec(
      {{"planType", poplibs::OptionHandler::createWithEnum(
                        serial,
                        std::vector<std::pair<std::string, bool>>{
                            {"parallel", false}, {"serial", true}})},
       {"perConvReservedTiles",
        poplibs::OptionHandler::createWithInteger(tiles)},
       {"cycleBackOff", poplibs::OptionHandler::createWithDouble(share, 0, 1)}})
      .parse(options);
}

const CreateTensorArgs &argsAt(const std::vector<CreateTensorArgs> &args,
                               unsigned index) {
  if (index >= args.size())
    throw poputil::poplibs_error("poplin::multiconv: convolution " +
                                 std::to_string(index) + " of " +
                                 std::to_string(args.size()));
  return args[index];
}

std::string nameOf(std::size_t index) { return "conv" + std::to_string(index); }

template <class Args>
void updateWeights(Graph &graph, const std::vector<Args> &args, Sequence &prog,
                   const DebugContext &debugContext, const OptionFlags &options,
                   PlanningCache *cache) {
  checkOptions(options);
  for (std::size_t i = 0; i != args.size(); ++i)
    poplin::convolutionWeightUpdate(
        graph, args[i].zDeltas, args[i].weights, args[i].activations,
        args[i].params, args[i].scale, prog, {debugContext, nameOf(i)},
        args[i].options, cache);
}

} // namespace

Tensor createWeights(Graph &graph, const std::vector<CreateTensorArgs> &args,
                     unsigned weightsIndex, const OptionFlags &options,
                     PlanningCache *cache) {
  checkOptions(options);
  const CreateTensorArgs &arg = argsAt(args, weightsIndex);
  return poplin::createWeights(graph, arg.params, arg.name, arg.options, cache);
}

Tensor createInput(Graph &graph, const std::vector<CreateTensorArgs> &args,
                   unsigned inputIndex, const OptionFlags &options,
                   PlanningCache *cache) {
  checkOptions(options);
  const CreateTensorArgs &arg = argsAt(args, inputIndex);
  return poplin::createInput(graph, arg.params, arg.name, arg.options, cache);
}

std::vector<Tensor> convolution(Graph &graph,
                                const std::vector<ConvolutionArgs> &args,
                                bool transposeAndFlipWeights, Sequence &prog,
                                const DebugContext &debugContext,
                                const OptionFlags &options,
                                PlanningCache *cache) {
  checkOptions(options);
  std::vector<Tensor> results;
  for (const ConvolutionArgs &arg : args)
    results.push_back(poplin::convolution(
        graph, arg.inputs, arg.weights, arg.params, transposeAndFlipWeights,
        prog, {debugContext, nameOf(results.size())}, arg.options, cache));
  return results;
}

std::vector<Tensor>
calculateWeightDeltas(Graph &graph,
                      const std::vector<CalculateWeightDeltasArgs> &args,
                      Sequence &prog, const DebugContext &debugContext,
                      const OptionFlags &options, PlanningCache *cache) {
  checkOptions(options);
  std::vector<Tensor> results;
  for (const CalculateWeightDeltasArgs &arg : args)
    results.push_back(poplin::calculateWeightDeltas(
        graph, arg.zDeltas, arg.activations, arg.params, prog,
        {debugContext, nameOf(results.size())}, arg.options, cache));
  return results;
}

void convolutionWeightUpdate(Graph &graph,
                             const std::vector<ConvWeightUpdateArgs> &args,
                             Sequence &prog, const DebugContext &debugContext,
                             const OptionFlags &options, PlanningCache *cache) {
  updateWeights(graph, args, prog, debugContext, options, cache);
}

void convolutionWeightUpdate(
    Graph &graph, const std::vector<ConvWeightUpdateArgsScalar> &args,
    Sequence &prog, const DebugContext &debugContext,
    const OptionFlags &options, PlanningCache *cache) {
  updateWeights(graph, args, prog, debugContext, options, cache);
}

void weightsTransposeChansFlipXY(Graph &graph,
                                 std::vector<ConvolutionArgs> &args,
                                 const std::vector<Tensor> &weightsIn,
                                 Sequence &prog, const OptionFlags &options,
                                 const DebugContext &debugContext,
                                 PlanningCache *) {
  checkOptions(options);
  if (args.size() != weightsIn.size())
    throw poputil::poplibs_error(
        "poplin::multiconv: " + std::to_string(weightsIn.size()) +
        " weights for " + std::to_string(args.size()) + " convolutions");
  for (std::size_t i = 0; i != args.size(); ++i)
    poplin::weightsTransposeChansFlipXY(graph, weightsIn[i], args[i].weights,
                                        prog, {debugContext, nameOf(i)});
}

} // namespace multiconv
} // namespace poplin
