// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index arithmetic along the outermost field dimension.

#include "lib/PopLibs/poplin/convolution/ConvFold.h"

#include <popops/Pad.hpp>
#include <poputil/TileMapping.hpp>

using namespace poplar;

namespace poplin {
namespace {

template <class T> std::vector<T> rest(const std::vector<T> &list) {
  return std::vector<T>(list.begin() + 1, list.end());
}

ConvParams::InputTransform rest(const ConvParams::InputTransform &t) {
  return {rest(t.truncationLower), rest(t.truncationUpper), rest(t.dilation),
          rest(t.paddingLower),    rest(t.paddingUpper),    rest(t.flip)};
}

/// Results along the dimension that are not padding.
std::size_t numResults(const ConvParams &p) {
  return p.getOutputSize(0) - p.outputTransform.paddingLower[0] -
         p.outputTransform.paddingUpper[0];
}

/// Index of the input element that a tap of the kernel multiplies for a result;
/// -1 in padding or between elements of a dilated input.
std::ptrdiff_t inputIndex(const ConvParams &p, std::size_t result,
                          std::size_t tap) {
  using Index = std::ptrdiff_t;
  const auto &kernel = p.kernelTransform;
  const auto &input = p.inputTransform;
  Index place = kernel.paddingLower[0] + tap * kernel.dilation[0];
  if (kernel.flip[0])
    place = static_cast<Index>(p.getTransformedKernelSize(0)) - 1 - place;
  place += p.outputTransform.truncationLower[0] +
           result * p.outputTransform.stride[0];
  if (input.flip[0])
    place = static_cast<Index>(p.getTransformedInputSize(0)) - 1 - place;
  place -= input.paddingLower[0];
  const Index dilation = input.dilation[0];
  if (place < 0 || place % dilation != 0 ||
      place / dilation >= static_cast<Index>(p.getTruncatedInputSize(0)))
    return -1;
  return place / dilation + input.truncationLower[0];
}

} // namespace

ConvParams foldParams(const ConvParams &p) {
  const auto &out = p.outputTransform;
  return ConvParams(p.inputType, p.outputType, p.batchSize * numResults(p),
                    rest(p.inputFieldShape), rest(p.kernelShape),
                    p.inputChannelsPerConvGroup * p.getTruncatedKernelSize(0),
                    p.outputChannelsPerConvGroup, p.numConvGroups,
                    rest(p.inputTransform), rest(p.kernelTransform),
                    {rest(out.truncationLower), rest(out.truncationUpper),
                     rest(out.stride), rest(out.paddingLower),
                     rest(out.paddingUpper)});
}

Tensor foldInput(Graph &graph, const Tensor &in, const ConvParams &p,
                 const DebugContext &debugContext) {
  const ConvParams folded = foldParams(p);
  std::vector<std::size_t> shape{folded.batchSize, folded.getNumInputChans()};
  shape.insert(shape.end(), folded.inputFieldShape.begin(),
               folded.inputFieldShape.end());
  if (folded.batchSize == 0 || folded.getNumInputChans() == 0)
    return graph.addVariable(in.elementType(), shape,
                             VariableMappingMethod::LINEAR, debugContext);
  // [batch, groups, channels, z, ...]
  const Tensor grouped =
      in.reshapePartial(1, 2, {p.numConvGroups, p.inputChannelsPerConvGroup});
  std::vector<std::size_t> plane = grouped.shape();
  plane.erase(plane.begin() + 3);
  Tensor zeros;
  const auto planeAt = [&](std::ptrdiff_t z) {
    if (z >= 0)
      return grouped.slice(z, z + 1, 3).squeeze({3});
    if (!zeros.valid()) {
      zeros = graph.addConstant<float>(in.elementType(), plane, 0.0f,
                                       {debugContext, "padding"});
      poputil::mapTensorLinearly(graph, zeros);
    }
    return zeros;
  };
  std::vector<Tensor> results;
  for (std::size_t z = 0; z != numResults(p); ++z) {
    std::vector<Tensor> taps;
    for (std::size_t k = 0; k != p.getTruncatedKernelSize(0); ++k)
      taps.push_back(planeAt(inputIndex(p, z, k)));
    // [batch, 1, groups, taps * channels, ...]
    results.push_back(concat(taps, 2).expand({1}));
  }
  return concat(results, 1).reshape(shape);
}

Tensor foldWeights(const Tensor &weights, const ConvParams &p) {
  // [groups, out, in, z, ...]
  const auto &kernel = p.kernelTransform;
  return weights
      .slice(kernel.truncationLower[0],
             weights.dim(3) - kernel.truncationUpper[0], 3)
      .dimRoll(3, 2)
      .flatten(2, 4);
}

Tensor unfoldWeights(const Tensor &weights, const ConvParams &p) {
  return weights
      .reshapePartial(2, 3, {p.kernelShape[0], p.inputChannelsPerConvGroup})
      .dimRoll(2, 3);
}

Tensor unfoldOutput(Graph &graph, const Tensor &out, const ConvParams &p) {
  const Tensor t =
      out.reshapePartial(0, 1, {p.batchSize, numResults(p)}).dimRoll(1, 2);
  const unsigned lower = p.outputTransform.paddingLower[0];
  const unsigned upper = p.outputTransform.paddingUpper[0];
  return lower == 0 && upper == 0
             ? t
             : popops::pad(graph, t, lower, upper, 2, 0.0f);
}

} // namespace poplin
