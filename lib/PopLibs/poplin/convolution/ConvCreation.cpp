// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates operands and results of convolutions. Weights have the layout of the
// convolution's plan, so that using them moves nothing; other tensors are
// divided evenly over the tiles.

#include "lib/PopLibs/poplin/convolution/ChannelwiseConv.h"
#include "lib/PopLibs/poplin/convolution/ConvFold.h"
#include "lib/PopLibs/poplin/convolution/ConvOperands.h"
#include "lib/PopLibs/poplin/convolution/ConvPhases.h"
#include "lib/PopLibs/poplin/convolution/MatrixConv.h"
#include "lib/PopLibs/poplin/convolution/SerialConv.h"
#include "lib/PopLibs/poplin/planning/PlanningCacheImpl.h"

#include <poplin/Convolution.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using poputil::poplibs_error;

namespace poplin {

Tensor createInput(Graph &graph, const ConvParams &params,
                   const DebugContext &dc, const OptionFlags &options,
                   PlanningCache *) {
  parseConvOptions(options);
  params.validate();
  std::vector<std::size_t> shape{params.batchSize, params.getNumInputChans()};
  shape.insert(shape.end(), params.inputFieldShape.begin(),
               params.inputFieldShape.end());
  return graph.addVariable(params.inputType, shape,
                           VariableMappingMethod::LINEAR, dc);
}

namespace {

/// The channels in a part of their groups, of which the last may not be full.
std::size_t channelsOf(const Partition &groups, std::size_t part,
                       std::size_t width, std::size_t channels) {
  return std::min(groups.end(part) * width, channels) -
         groups.begin(part) * width;
}

/// [groups, outChannels, inChannels] and the kernel's extents.
std::vector<std::size_t> weightsShape(const ConvParams &params) {
  std::vector<std::size_t> shape{params.numConvGroups,
                                 params.outputChannelsPerConvGroup,
                                 params.inputChannelsPerConvGroup};
  shape.insert(shape.end(), params.kernelShape.begin(),
               params.kernelShape.end());
  return shape;
}

/// Creates weights laid out for a plan. The parts of a serial split have their
/// own layout.
Tensor plannedWeights(Graph &graph, const ConvPlan &plan,
                      const ConvParams &params, const DebugContext &dc) {
  if (plan.serial.parts != 1) {
    const bool shared = plan.serial.dim == SerialSplit::Batch;
    std::vector<Tensor> parts;
    for (std::size_t i = 0; i != (shared ? 1 : plan.serial.parts); ++i)
      parts.push_back(plannedWeights(graph, planOfPart(plan),
                                     partOf(params, plan.serial), dc));
    return joinWeights(parts, plan.serial);
  }
  const ConvShape shape = convShape(params);
  const std::vector<std::size_t> whole = weightsShape(params);
  const auto linear = [&] {
    return graph.addVariable(params.inputType, whole,
                             VariableMappingMethod::LINEAR, dc);
  };
  std::size_t kernel = 1;
  for (std::size_t extent : params.kernelShape)
    kernel *= extent;
  if (plan.groupsTogether != 1)
    return linear();
  if (plan.method != ConvMethod::Direct &&
      kernel == shape.y.kernel * shape.x.kernel) {
    const Tensor weights =
        plan.method == ConvMethod::Channelwise
            ? createChannelwiseWeights(graph, shape, plan, params.inputType, dc)
            : createMatrixWeights(graph, shape, plan, params.inputType, dc);
    if (weights.valid())
      return weights.reshape(whole);
  }
  if (plan.fold != KernelFold::None || plan.method == ConvMethod::Channelwise ||
      plan.inSteps != 1)
    return linear();
  const Tensor variable = graph.addVariable(
      params.inputType,
      {shape.groups * shape.outChannels * shape.inChannels * kernel}, dc);
  std::size_t at = 0;
  std::vector<Tensor> groups;
  for (std::size_t g = 0; g != plan.groups; ++g) {
    std::vector<Tensor> outParts;
    for (std::size_t o = 0; o != plan.outChannels.parts; ++o) {
      std::vector<Tensor> inParts;
      for (std::size_t i = 0; i != plan.inChannels.parts; ++i) {
        const std::size_t out =
            channelsOf(plan.outChannels, o, plan.width.out, shape.outChannels);
        const std::size_t in =
            channelsOf(plan.inChannels, i, plan.width.in, shape.inChannels);
        const Tensor block = variable.slice(at, at + out * in * kernel);
        graph.setTileMapping(block, plan.firstTile(g, o, i));
        inParts.push_back(block.reshape({out, in, kernel}));
        at += out * in * kernel;
      }
      outParts.push_back(concat(inParts, 1));
    }
    groups.push_back(concat(outParts, 0));
  }
  return concat(groups, 0).reshape(whole);
}

} // namespace

/// Creates weights. The weights of a block are contiguous, on a tile that uses
/// them.
Tensor createWeights(Graph &graph, const ConvParams &params,
                     const DebugContext &dc, const OptionFlags &options,
                     PlanningCache *cache) {
  const Options parsed = parseConvOptions(options, params.outputType);
  params.validate();
  if (const std::optional<ConvPhases> phases = ConvPhases::of(params)) {
    const Tensor weights = phases->wholeWeights(
        createWeights(graph, phases->params(), dc, options, cache));
    return weights.valid()
               ? weights
               : graph.addVariable(params.inputType, weightsShape(params),
                                   VariableMappingMethod::LINEAR, dc);
  }
  const bool wholeKernel =
      params.getNumFieldDims() == 0 ||
      params.getTruncatedKernelSize(0) == params.kernelShape[0];
  if (params.getNumFieldDims() > MaxFieldDims && wholeKernel)
    return unfoldWeights(
        createWeights(graph, foldParams(params), dc, options, cache), params);
  if (params.getNumFieldDims() > MaxFieldDims || convShape(params).isEmpty())
    return graph.addVariable(params.inputType, weightsShape(params),
                             VariableMappingMethod::LINEAR, dc);
  return plannedWeights(
      graph,
      getConvPlan(graph, convShape(params), params.inputType, parsed, cache),
      params, dc);
}

Tensor createBiases(Graph &graph, const Tensor &activations,
                    const DebugContext &dc) {
  if (activations.rank() < 2)
    throw poplibs_error("poplin::createBiases: activations of shape " +
                        activations.shapeToString() + " have no channels");
  return graph.addVariable(activations.elementType(), {activations.dim(1)},
                           VariableMappingMethod::LINEAR, dc);
}

Tensor createBiases(Graph &graph, const Tensor &activations, const ConvParams &,
                    const DebugContext &dc, const OptionFlags &options,
                    PlanningCache *) {
  parseConvOptions(options);
  return createBiases(graph, activations, dc);
}

Tensor createConvOutput(Graph &graph, const ConvParams &params,
                        const DebugContext &dc, const OptionFlags &options,
                        PlanningCache *) {
  parseConvOptions(options);
  params.validate();
  std::vector<std::size_t> shape{params.batchSize, params.getNumOutputChans()};
  for (std::size_t extent : params.getOutputFieldShape())
    shape.push_back(extent);
  return graph.addVariable(params.outputType, shape,
                           VariableMappingMethod::LINEAR, dc);
}

} // namespace poplin
