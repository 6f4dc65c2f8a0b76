// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradients of a convolution are convolutions. Undoing the output transform
// (truncation, stride, padding) is padding, dilation and truncation of the
// output's gradient; undoing an input or kernel transform is an output
// transform. Where that one would have to flip, both operands are flipped.

#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace poplin {
namespace {

using InputTransform = ConvParams::InputTransform;
using OutputTransform = ConvParams::OutputTransform;

/// What brings an output back to its size before the output transform.
InputTransform undoOutput(const ConvParams &p) {
  const OutputTransform &t = p.outputTransform;
  InputTransform undo(p.getNumFieldDims());
  for (unsigned i = 0; i != p.getNumFieldDims(); ++i) {
    const std::size_t truncated = p.getUntransformedOutputSize(i) -
                                  t.truncationLower[i] - t.truncationUpper[i];
    const std::size_t kept =
        p.getOutputSize(i) - t.paddingLower[i] - t.paddingUpper[i];
    undo.truncationLower[i] = t.paddingLower[i];
    undo.truncationUpper[i] = t.paddingUpper[i];
    undo.dilation[i] = t.stride[i];
    undo.paddingLower[i] = t.truncationLower[i];
    undo.paddingUpper[i] =
        t.truncationUpper[i] + truncated - getDilatedSize(kept, t.stride[i]);
  }
  return undo;
}

OutputTransform undoInput(const InputTransform &t) {
  return {t.paddingLower, t.paddingUpper, t.dilation, t.truncationLower,
          t.truncationUpper};
}

} // namespace

ConvParams getGradientParams(const ConvParams &p) {
  InputTransform input = undoOutput(p);
  InputTransform kernel = p.kernelTransform;
  // The weights are flipped before they are transformed.
  std::swap(kernel.truncationLower, kernel.truncationUpper);
  std::swap(kernel.paddingLower, kernel.paddingUpper);
  for (unsigned i = 0; i != p.getNumFieldDims(); ++i) {
    const std::size_t reach = p.getTransformedKernelSize(i) - 1;
    input.paddingLower[i] += reach;
    input.paddingUpper[i] += reach;
    if (p.inputTransform.flip[i]) {
      input.flip[i] = true;
      kernel.flip[i] = !kernel.flip[i];
    }
  }
  return ConvParams(
      p.outputType, p.inputType, p.batchSize, p.getOutputFieldShape(),
      p.kernelShape, p.outputChannelsPerConvGroup, p.inputChannelsPerConvGroup,
      p.numConvGroups, input, kernel, undoInput(p.inputTransform));
}

ConvParams getWeightUpdateParams(const ConvParams &p) {
  InputTransform input = p.inputTransform;
  InputTransform kernel = undoOutput(p);
  for (unsigned i = 0; i != p.getNumFieldDims(); ++i)
    if (p.kernelTransform.flip[i]) {
      input.flip[i] = !input.flip[i];
      kernel.flip[i] = true;
    }
  return ConvParams(p.inputType, p.inputType, p.inputChannelsPerConvGroup,
                    p.inputFieldShape, p.getOutputFieldShape(), p.batchSize,
                    p.outputChannelsPerConvGroup, p.numConvGroups, input,
                    kernel, undoInput(p.kernelTransform));
}

Tensor calculateWeightDeltas(Graph &graph, const Tensor &zDeltas,
                             const Tensor &activations, const ConvParams &p,
                             Sequence &prog, const DebugContext &debugContext,
                             const OptionFlags &options, PlanningCache *cache) {
  const DebugContext dc(debugContext, "WeightDeltas");
  if (activations.rank() != p.getNumFieldDims() + 2 ||
      zDeltas.rank() != activations.rank() ||
      activations.dim(1) != p.getNumInputChans() ||
      zDeltas.dim(1) != p.getNumOutputChans())
    throw poplibs_error("poplin::calculateWeightDeltas: deltas of shape " +
                        zDeltas.shapeToString() + " and activations of shape " +
                        activations.shapeToString() +
                        " do not fit the parameters");
  // [batch, groups * channels, ...] to [channels, groups * batch, ...]
  const Tensor in =
      activations
          .reshapePartial(1, 2, {p.numConvGroups, p.inputChannelsPerConvGroup})
          .dimShufflePartial({0, 1, 2}, {2, 1, 0})
          .flatten(1, 3);
  // [batch, groups * channels, ...] to [groups, channels, batch, ...]
  const Tensor weights =
      zDeltas
          .reshapePartial(1, 2, {p.numConvGroups, p.outputChannelsPerConvGroup})
          .dimRoll(0, 2);
  const Tensor deltas =
      convolution(graph, in, weights, getWeightUpdateParams(p), false, prog, dc,
                  options, cache);
  // [in, groups * out, ...] to [groups, out, in, ...]
  return deltas
      .reshapePartial(1, 2, {p.numConvGroups, p.outputChannelsPerConvGroup})
      .dimRoll(0, 2);
}

void convolutionWeightUpdate(Graph &graph, const Tensor &zDeltas,
                             const Tensor &weights, const Tensor &activations,
                             ConvParams params, const Tensor &scale,
                             Sequence &prog, const DebugContext &debugContext,
                             const OptionFlags &options, PlanningCache *cache) {
  const Tensor deltas = calculateWeightDeltas(
      graph, zDeltas, activations, params, prog, debugContext, options, cache);
  popops::scaledAddTo(graph, weights, deltas, scale, prog,
                      {debugContext, "WeightUpdate"});
}

void convolutionWeightUpdate(Graph &graph, const Tensor &zDeltas,
                             const Tensor &weights, const Tensor &activations,
                             ConvParams params, float scale, Sequence &prog,
                             const DebugContext &debugContext,
                             const OptionFlags &options, PlanningCache *cache) {
  const Tensor deltas = calculateWeightDeltas(
      graph, zDeltas, activations, params, prog, debugContext, options, cache);
  popops::scaledAddTo(graph, weights, deltas, scale, prog,
                      {debugContext, "WeightUpdate"});
}

namespace {

/// The sum of the deltas of each channel.
Tensor biasDeltas(Graph &graph, const Tensor &zDeltas, const Tensor &biases,
                  const OptionFlags &options, Sequence &prog,
                  const DebugContext &debugContext) {
  convolutionValidateOptions(options);
  if (zDeltas.rank() < 2 || biases.rank() != 1 ||
      biases.dim(0) != zDeltas.dim(1))
    throw poplibs_error("poplin::convolutionBiasUpdate: biases of shape " +
                        biases.shapeToString() + " for deltas of shape " +
                        zDeltas.shapeToString());
  std::vector<std::size_t> dims{0};
  for (std::size_t i = 2; i < zDeltas.rank(); ++i)
    dims.push_back(i);
  return popops::reduce(graph, zDeltas, biases.elementType(), dims,
                        {popops::Operation::ADD}, prog,
                        {debugContext, "BiasDeltas"});
}

} // namespace

void convolutionBiasUpdate(Graph &graph, const Tensor &zDeltas,
                           const Tensor &biases, const Tensor &scale,
                           const OptionFlags &options, Sequence &prog,
                           const DebugContext &debugContext) {
  popops::scaledAddTo(
      graph, biases,
      biasDeltas(graph, zDeltas, biases, options, prog, debugContext), scale,
      prog, {debugContext, "BiasUpdate"});
}

void convolutionBiasUpdate(Graph &graph, const Tensor &zDeltas,
                           const Tensor &biases, float scale,
                           const OptionFlags &options, Sequence &prog,
                           const DebugContext &debugContext) {
  popops::scaledAddTo(
      graph, biases,
      biasDeltas(graph, zDeltas, biases, options, prog, debugContext), scale,
      prog, {debugContext, "BiasUpdate"});
}

} // namespace poplin
