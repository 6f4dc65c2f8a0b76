// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions. An unsupported convolution is first converted to a supported
// one: a dilated input to its phases, a field of many dimensions to one of two,
// quarters to halves. Then the cheapest plan's method computes it, in several
// parts one after the other if memory is short.

#include "lib/PopLibs/poplin/convolution/ChannelwiseConv.h"
#include "lib/PopLibs/poplin/convolution/ConvFold.h"
#include "lib/PopLibs/poplin/convolution/ConvOperands.h"
#include "lib/PopLibs/poplin/convolution/ConvPhases.h"
#include "lib/PopLibs/poplin/convolution/DirectConv.h"
#include "lib/PopLibs/poplin/convolution/MatrixConv.h"
#include "lib/PopLibs/poplin/convolution/SerialConv.h"
#include "lib/PopLibs/poplin/operands/QuarterOperands.h"
#include "lib/PopLibs/poplin/planning/PlanningCacheImpl.h"
#include "lib/PopLibs/poputil/Log.h"

#include <poplin/Convolution.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Zero.hpp>
#include <poputil/exceptions.hpp>

#include <sstream>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace poplin {
namespace {

std::string text(const ConvParams &params) {
  std::ostringstream stream;
  stream << params;
  return stream.str();
}

void checkOperands(const Tensor &in, const Tensor &weights,
                   const ConvParams &p) {
  std::vector<std::size_t> inShape{p.batchSize, p.getNumInputChans()};
  inShape.insert(inShape.end(), p.inputFieldShape.begin(),
                 p.inputFieldShape.end());
  std::vector<std::size_t> weightsShape{p.numConvGroups,
                                        p.outputChannelsPerConvGroup,
                                        p.inputChannelsPerConvGroup};
  weightsShape.insert(weightsShape.end(), p.kernelShape.begin(),
                      p.kernelShape.end());
  if (in.shape() != inShape || weights.shape() != weightsShape)
    throw poplibs_error("poplin::convolution: input of shape " +
                        in.shapeToString() + " and weights of shape " +
                        weights.shapeToString() + " do not fit the " + text(p));
  const auto real = [](const Type &t) { return t == FLOAT || t == HALF; };
  const bool quarters = p.inputType == QUARTER && p.outputType == HALF;
  if (in.elementType() != p.inputType || weights.elementType() != p.inputType ||
      !(quarters || (real(p.inputType) && real(p.outputType))))
    throw poplibs_error("poplin::convolution: input of type " +
                        in.elementType().toString() + ", weights of type " +
                        weights.elementType().toString() +
                        " in a convolution of " + p.inputType.toString() +
                        " to " + p.outputType.toString() +
                        "; they must be half or float as in the parameters, or "
                        "quarter for a result of half");
}

Tensor transposedAndFlipped(const Tensor &weights) {
  Tensor t = weights.dimShufflePartial({1}, {2});
  for (unsigned dim = 3; dim < t.rank(); ++dim)
    t = t.reverse(dim);
  return t;
}

bool hasOutputPadding(const ConvParams &params) {
  const auto any = [](const std::vector<unsigned> &amounts) {
    return std::any_of(amounts.begin(), amounts.end(),
                       [](unsigned amount) { return amount != 0; });
  };
  return any(params.outputTransform.paddingLower) ||
         any(params.outputTransform.paddingUpper);
}

/// The biases in the shape that adds one to each channel.
Tensor alongChannels(const Tensor &biases, const Tensor &activations) {
  std::vector<std::size_t> shape(activations.rank() - 1, 1);
  shape[0] = biases.dim(0);
  return biases.reshape(shape);
}

/// \p bias may be invalid. \p out may have padding, which is constant.
Tensor withBias(Graph &graph, const Tensor &out, const Tensor &bias,
                Sequence &prog, const DebugContext &dc) {
  if (!bias.valid())
    return out;
  if (!out.isParallelWriteable())
    return popops::add(graph, out, alongChannels(bias, out), prog,
                       {dc, "bias"});
  addBias(graph, out, bias, prog, {dc, "bias"});
  return out;
}

/// Returns zeros, the value of empty sums.
Tensor emptyConvolution(Graph &graph, const ConvShape &s, const Type &type,
                        Sequence &prog, const DebugContext &dc) {
  const Tensor out = graph.addVariable(
      type, {s.batch, s.groups * s.outChannels, s.y.output, s.x.output},
      VariableMappingMethod::LINEAR, dc);
  if (out.numElements() != 0)
    popops::zero(graph, out, prog, dc);
  return out;
}

Tensor convolve(Graph &graph, const Tensor &in, const Tensor &weights,
                const Tensor &bias, const ConvParams &params, Sequence &prog,
                const DebugContext &dc, const OptionFlags &options,
                PlanningCache *cache);

/// Computes in float if operands and result have different types, and a method
/// supports float for both.
Tensor convolveInFloat(Graph &graph, const Tensor &in, const Tensor &weights,
                       const Tensor &bias, ConvParams params, Sequence &prog,
                       const DebugContext &dc, const OptionFlags &options,
                       PlanningCache *cache) {
  const auto converted = [&](const Tensor &t, const Type &type) {
    return !t.valid() || t.elementType() == type
               ? t
               : popops::cast(graph, t, type, prog, {dc, "Cast"});
  };
  const Type type = params.outputType;
  params.inputType = params.outputType = FLOAT;
  return converted(convolve(graph, converted(in, FLOAT),
                            converted(weights, FLOAT), converted(bias, FLOAT),
                            params, prog, dc, options, cache),
                   type);
}

Tensor convolveQuarters(Graph &graph, const Tensor &in, const Tensor &weights,
                        const Tensor &bias, ConvParams params, Sequence &prog,
                        const DebugContext &dc, const OptionFlags &options,
                        PlanningCache *cache) {
  const QuarterOperands operands(graph, in, weights, params.outputType, prog,
                                 "poplin::convolution", dc);
  params.inputType = HALF;
  params.outputType = FLOAT;
  return withBias(
      graph,
      operands.scaled(convolve(graph, operands.a, operands.b, Tensor(), params,
                               prog, dc, options, cache)),
      bias, prog, dc);
}

/// \p bias may be not valid.
Tensor convolveAsPlanned(Graph &graph, const ConvPlan &plan, const Tensor &in,
                         const Tensor &weights, const Tensor &bias,
                         const ConvParams &params, Sequence &prog,
                         const DebugContext &dc) {
  if (plan.serial.parts != 1) {
    std::vector<Tensor> results;
    for (std::size_t i = 0; i != plan.serial.parts; ++i) {
      const SerialOperands part =
          SerialOperands{in, weights, bias}.part(plan.serial, i);
      results.push_back(
          convolveAsPlanned(graph, planOfPart(plan), part.in, part.weights,
                            part.bias, partOf(params, plan.serial), prog, dc));
    }
    return joinParts(results, plan.serial, params.numConvGroups);
  }
  const ConvShape shape = convShape(params);
  const Tensor input = arrangeInput(graph, in, params);
  const Tensor kernels = arrangeWeights(weights, params);
  if (plan.method == ConvMethod::Direct)
    return withBias(
        graph,
        arrangeOutput(graph,
                      directConvolution(graph, shape, plan, input, kernels,
                                        params.outputType, prog, dc),
                      params),
        bias, prog, dc);
  // Padding of the output has a bias, too.
  const bool biasInside = !hasOutputPadding(params);
  const Tensor inside = biasInside ? bias : Tensor();
  const Tensor result =
      plan.method == ConvMethod::Channelwise
          ? channelwiseConvolution(graph, shape, plan, input, kernels, inside,
                                   prog, dc)
          : matrixConvolution(graph, shape, plan, input, kernels, inside,
                              params.outputType, prog, dc);
  const Tensor out = arrangeOutput(graph, result, params);
  return biasInside ? out : withBias(graph, out, bias, prog, dc);
}

Tensor convolvePhases(Graph &graph, const ConvPhases &phases, const Tensor &in,
                      const Tensor &weights, const Tensor &bias,
                      const ConvParams &params, Sequence &prog,
                      const DebugContext &dc, const OptionFlags &options,
                      PlanningCache *cache) {
  const Tensor inside = phases.bias(bias);
  const Tensor out = phases.output(
      graph,
      convolve(graph, phases.input(in), phases.weights(graph, weights), inside,
               phases.params(), prog, dc, options, cache),
      prog, dc);
  return withBias(graph, padOutput(graph, out, params),
                  inside.valid() ? Tensor() : bias, prog, dc);
}

/// \p bias may be not valid.
Tensor convolve(Graph &graph, const Tensor &in, const Tensor &weights,
                const Tensor &bias, const ConvParams &params, Sequence &prog,
                const DebugContext &dc, const OptionFlags &options,
                PlanningCache *cache) {
  const Options parsed = parseConvOptions(options, params.outputType);
  params.validate();
  checkOperands(in, weights, params);
  if (params.inputType == QUARTER)
    return convolveQuarters(graph, in, weights, bias, params, prog, dc, options,
                            cache);
  if (const std::optional<ConvPhases> phases = ConvPhases::of(params))
    return convolvePhases(graph, *phases, in, weights, bias, params, prog, dc,
                          options, cache);
  if (params.getNumFieldDims() > MaxFieldDims)
    return withBias(
        graph,
        unfoldOutput(graph,
                     convolve(graph, foldInput(graph, in, params, dc),
                              foldWeights(weights, params), Tensor(),
                              foldParams(params), prog, dc, options, cache),
                     params),
        bias, prog, dc);
  const ConvShape shape = convShape(params);
  if (shape.isEmpty())
    return withBias(graph,
                    arrangeOutput(graph,
                                  emptyConvolution(graph, shape,
                                                   params.outputType, prog, dc),
                                  params),
                    bias, prog, dc);
  if (!graph.hasCodelet("poplin::ReduceAdd<float,float>"))
    throw poplibs_error("poplin::convolution: the codelets are missing; call "
                        "poplin::addCodelets(graph) first");
  const ConvPlan plan =
      getConvPlan(graph, shape, params.inputType, parsed, cache);
  if (plan.method == ConvMethod::Channelwise &&
      params.inputType != params.outputType)
    return convolveInFloat(graph, in, weights, bias, params, prog, dc, options,
                           cache);
  return convolveAsPlanned(graph, plan, in, weights, bias, params, prog, dc);
}

} // namespace

Tensor convolution(Graph &graph, const Tensor &in, const Tensor &weights,
                   const ConvParams &params, bool transposeAndFlip,
                   Sequence &prog, const DebugContext &dc,
                   const OptionFlags &options, PlanningCache *cache) {
  poputil::logCall("poplin::convolution", {&in, &weights}, dc);
  return convolve(graph, in,
                  transposeAndFlip ? transposedAndFlipped(weights) : weights,
                  Tensor(), params, prog, dc, options, cache);
}

Tensor convolutionWithBias(Graph &graph, const Tensor &in,
                           const Tensor &weights, const Tensor &biases,
                           const ConvParams &params, Sequence &prog,
                           const DebugContext &dc, const OptionFlags &options,
                           PlanningCache *cache) {
  if (biases.rank() != 1 || biases.dim(0) != params.getNumOutputChans() ||
      biases.elementType() != params.outputType)
    throw poplibs_error("poplin::convolutionWithBias: biases of shape " +
                        biases.shapeToString() + " and type " +
                        biases.elementType().toString() + " for the " +
                        text(params));
  return convolve(graph, in, weights, biases, params, prog, dc, options, cache);
}

void convolutionWithOutput(Graph &graph, const Tensor &in,
                           const Tensor &weights, const Tensor &out,
                           const ConvParams &params, bool transposeAndFlip,
                           Sequence &prog, const DebugContext &dc,
                           const OptionFlags &options, PlanningCache *cache) {
  const Tensor result = convolution(graph, in, weights, params,
                                    transposeAndFlip, prog, dc, options, cache);
  if (result.shape() != out.shape())
    throw poplibs_error("poplin::convolution: the output has shape " +
                        out.shapeToString() + ", the result " +
                        result.shapeToString());
  prog.add(Copy(result, out, false, dc));
}

void addBias(Graph &graph, const Tensor &activations, const Tensor &biases,
             Sequence &prog, const DebugContext &dc) {
  if (activations.rank() < 2 || biases.rank() != 1 ||
      biases.dim(0) != activations.dim(1))
    throw poplibs_error("poplin::addBias: biases of shape " +
                        biases.shapeToString() + " for activations of shape " +
                        activations.shapeToString());
  popops::addInPlace(graph, activations, alongChannels(biases, activations),
                     prog, {dc, "addBias"});
}

void weightsTransposeChansFlipXY(Graph &, const Tensor &weightsIn,
                                 const Tensor &weightsOut, Sequence &prog,
                                 const DebugContext &dc,
                                 const OptionFlags &options) {
  convolutionValidateOptions(options);
  const Tensor view = transposedAndFlipped(weightsIn);
  if (view.shape() != weightsOut.shape())
    throw poplibs_error("poplin::weightsTransposeChansFlipXY: shapes " +
                        weightsIn.shapeToString() + " and " +
                        weightsOut.shapeToString() + " do not go together");
  prog.add(Copy(view, weightsOut, false, dc));
}

} // namespace poplin
