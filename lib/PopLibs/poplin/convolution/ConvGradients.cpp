// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of the input is a convolution, and that of the weights a
// convolution or a matrix product. The inverse of the output transform
// (truncation, stride, padding) is padding, dilation and truncation of the
// output's gradient; the inverse of an input or kernel transform is an output
// transform. If that would have to flip, both operands are flipped instead.

#include "lib/PopLibs/popops/movement/TransposedCopy.h"

#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <popops/Pad.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <optional>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace poplin {
namespace {

using InputTransform = ConvParams::InputTransform;
using OutputTransform = ConvParams::OutputTransform;

/// Returns the input transform that inverts the output transform.
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

/// Returns true if padding of the input, dilation of the kernel and stride are
/// the only transforms.
bool isPlain(const ConvParams &p) {
  const auto isAll = [](const auto &list, unsigned value) {
    return std::all_of(list.begin(), list.end(),
                       [&](unsigned entry) { return entry == value; });
  };
  const InputTransform &in = p.inputTransform, &kernel = p.kernelTransform;
  const OutputTransform &out = p.outputTransform;
  for (const auto *none :
       {&in.truncationLower, &in.truncationUpper, &kernel.truncationLower,
        &kernel.truncationUpper, &kernel.paddingLower, &kernel.paddingUpper,
        &out.truncationLower, &out.truncationUpper, &out.paddingLower,
        &out.paddingUpper})
    if (!isAll(*none, 0))
      return false;
  return isAll(in.dilation, 1) && isAll(in.flip, 0) && isAll(kernel.flip, 0);
}

/// Activations [batch, channels, field...], copied so that positions along the
/// last dimension are contiguous, as a product over positions reads them. Taps
/// are then rows of positions. With contiguous channels they would be single
/// elements, repeated for every tap of the kernel.
class PlacesSideBySide {
public:
  /// Makes positions that are \p stride apart adjacent.
  PlacesSideBySide(Graph &graph, const Tensor &t, std::size_t stride,
                   Sequence &prog, const DebugContext &dc)
      : last(t.rank() - 1), stride(stride) {
    // Rows of whole vectors, so that they can be transposed.
    const std::size_t columns =
        roundUp(t.dim(last), stride * vectorWidth(graph, t.elementType()));
    const Tensor from =
        popops::pad(graph, t, 0,
                    static_cast<std::ptrdiff_t>(columns - t.dim(last)), last,
                    0.0f, popops::padding::MappingMethod::EDGE)
            .reshapePartial(last, last + 1, {columns / stride, stride});
    places = makePlaces(graph, from, {dc, "Places"});
    popops::addTransposedCopy(graph, from, places, 0, prog, {dc, "Places"});
  }

  /// Returns \p count positions from \p begin on, a stride apart.
  Tensor get(std::size_t begin, std::size_t count) const {
    const std::size_t phase = begin % stride, first = begin / stride;
    return places.slice(phase, phase + 1, last + 1)
        .squeeze({last + 1})
        .slice(first, first + count, last);
  }

private:
  const unsigned last;
  const std::size_t stride;
  Tensor places; // [batch, channels, field..., columns / stride, stride]

  static std::size_t roundUp(std::size_t n, std::size_t grain) {
    return (n + grain - 1) / grain * grain;
  }
  /// Elements of 8 bytes.
  static std::size_t vectorWidth(const Graph &graph, const Type &type) {
    return 8 / graph.getTarget().getTypeSize(type);
  }

  /// A variable [batch][field...][stride][channels][columns / stride], so that
  /// the matrices that are transposed are contiguous.
  Tensor makePlaces(Graph &graph, const Tensor &like,
                    const DebugContext &dc) const {
    const std::size_t channels = like.dim(1), columns = like.dim(last);
    std::vector<std::size_t> shape = {like.dim(0)};
    std::vector<unsigned> order = {0, last};
    for (unsigned dim = 2; dim != last; ++dim) {
      order.push_back(dim - 1);
      shape.push_back(like.dim(dim));
    }
    shape.insert(shape.end(), {stride, channels, columns});
    order.insert(order.end(), {last + 1, last - 1});
    const Tensor variable = graph.addVariable(like.elementType(), shape, dc);
    // Matrices of at most so many channels stay together.
    std::size_t together = 16;
    while (together > 2 && like.numElements() / (columns * together) <
                               graph.getTarget().getNumTiles())
      together /= 2;
    poputil::mapTensorLinearly(graph, variable, columns * together,
                               columns * together);
    return variable.dimShuffle(order);
  }
};

/// Computes the gradient of the weights as a matrix product: each weight's
/// gradient is the sum over all output positions of the corresponding input
/// element times the output's gradient. Input channels are the columns of the
/// result, so they are adjacent as in weights. Returns [groups, out, in,
/// kernel...].
Tensor weightDeltasByProduct(Graph &graph, const Tensor &zDeltas,
                             const Tensor &activations, const ConvParams &p,
                             Sequence &prog, const DebugContext &debugContext,
                             const OptionFlags &options) {
  const std::size_t groups = p.numConvGroups;
  const std::vector<std::size_t> out = p.getOutputFieldShape();
  const unsigned dims = static_cast<unsigned>(p.getNumFieldDims());
  std::vector<std::ptrdiff_t> lower(2), upper(2);
  for (unsigned i = 0; i != dims; ++i) {
    lower.push_back(p.inputTransform.paddingLower[i]);
    upper.push_back(p.inputTransform.paddingUpper[i]);
  }
  // Padding is mapped beside the padded elements: the zeros of all layers would
  // fill one tile.
  const Tensor padded = popops::pad(graph, activations, lower, upper, 0.0f,
                                    popops::padding::MappingMethod::EDGE);
  std::size_t taps = 1, places = p.batchSize;
  for (unsigned i = 0; i != dims; ++i) {
    taps *= p.kernelShape[i];
    places *= out[i];
  }
  // Not needed in host memory.
  std::optional<PlacesSideBySide> sideBySide;
  if (taps > 1 && graph.getTarget().getTargetType() != TargetType::CPU)
    sideBySide.emplace(graph, padded, p.outputTransform.stride.back(), prog,
                       debugContext);
  std::vector<Tensor> rows;
  for (std::size_t tap = 0; tap != taps; ++tap) {
    Tensor met = padded;
    std::size_t rest = tap;
    for (unsigned i = dims; i-- > 0; rest /= p.kernelShape[i]) {
      const std::size_t begin =
          rest % p.kernelShape[i] * p.kernelTransform.dilation[i];
      const unsigned stride = p.outputTransform.stride[i];
      if (sideBySide && i + 1 == dims) {
        met = sideBySide->get(begin, out[i]);
        continue;
      }
      met = met.slice(begin, begin + (out[i] - 1) * stride + 1, i + 2);
      if (stride != 1)
        met = met.subSample(stride, i + 2);
    }
    rows.push_back(
        met.reshapePartial(1, 2, {groups, p.inputChannelsPerConvGroup})
            .dimShufflePartial({0, 1, 2}, {2, 0, 1})
            .reshape({groups, 1, p.inputChannelsPerConvGroup, places}));
  }
  const Tensor patches =
      concat(rows, 1)
          .reshape({groups, taps * p.inputChannelsPerConvGroup, places})
          .dimShuffle({0, 2, 1});
  const Tensor deltas =
      zDeltas.reshapePartial(1, 2, {groups, p.outputChannelsPerConvGroup})
          .dimShufflePartial({0, 1, 2}, {2, 0, 1})
          .reshape({groups, p.outputChannelsPerConvGroup, places});
  OptionFlags flags;
  for (const auto &[name, value] : options)
    if (name == "partialsType" || name == "availableMemoryProportion")
      flags.set(name, value);
  std::vector<std::size_t> shape = {groups, p.outputChannelsPerConvGroup,
                                    p.inputChannelsPerConvGroup};
  shape.insert(shape.end(), p.kernelShape.begin(), p.kernelShape.end());
  return matMulGrouped(graph, deltas, patches, prog, p.inputType, debugContext,
                       flags)
      .reshape({groups, p.outputChannelsPerConvGroup, taps,
                p.inputChannelsPerConvGroup})
      .dimShuffle({0, 1, 3, 2})
      .reshape(shape);
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
  // A convolution here would have a kernel as large as the output and few
  // results. With one channel per group the product would not be a matrix
  // product.
  if (isPlain(p) &&
      p.inputChannelsPerConvGroup * p.outputChannelsPerConvGroup != 1)
    return weightDeltasByProduct(graph, zDeltas, activations, p, prog, dc,
                                 options);
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
