// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Padding of input and kernel only shifts the input element of each tap (taps
// outside are skipped). Flips exchange the two ends, and a dilated kernel is a
// step between taps. Only a dilated input needs zeros between its elements,
// unless that can be avoided (ConvPhases.h).

#include "lib/PopLibs/poplin/convolution/ConvOperands.h"

#include <poplin/ConvUtil.hpp>
#include <popops/Pad.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;

namespace poplin {
namespace {

/// Padding of the lower end after flips.
std::ptrdiff_t lowerPadding(const ConvParams::InputTransform &t, unsigned dim) {
  return t.flip[dim] ? t.paddingUpper[dim] : t.paddingLower[dim];
}

/// Puts \p dilation - 1 zeros between the elements of a dimension.
Tensor dilate(Graph &graph, const Tensor &t, unsigned dim, unsigned dilation) {
  if (dilation == 1 || t.dim(dim) < 2)
    return t;
  const std::size_t extent = t.dim(dim);
  const Tensor spread =
      popops::pad(graph, t.expand({dim + 1}), 0, dilation - 1, dim + 1, 0.0f);
  return spread.flatten(dim, dim + 2)
      .slice(0, getDilatedSize(extent, dilation), dim);
}

} // namespace

ConvDim convDim(const ConvParams &p, unsigned dim) {
  ConvDim result;
  result.input = getDilatedSize(p.getTruncatedInputSize(dim),
                                p.inputTransform.dilation[dim]);
  result.kernel = p.getTruncatedKernelSize(dim);
  result.output = p.getOutputSize(dim) - p.outputTransform.paddingLower[dim] -
                  p.outputTransform.paddingUpper[dim];
  result.stride = p.outputTransform.stride[dim];
  result.dilation = p.kernelTransform.dilation[dim];
  result.origin =
      static_cast<std::ptrdiff_t>(p.outputTransform.truncationLower[dim]) +
      lowerPadding(p.kernelTransform, dim) -
      lowerPadding(p.inputTransform, dim);
  return result;
}

Tensor truncateAndFlip(Tensor t, const ConvParams::InputTransform &transform,
                       unsigned field, unsigned dim) {
  t = t.slice(transform.truncationLower[field],
              t.dim(dim) - transform.truncationUpper[field], dim);
  return transform.flip[field] ? t.reverse(dim) : t;
}

ConvShape convShape(const ConvParams &p) {
  const unsigned dims = p.getNumFieldDims();
  if (dims == 0)
    throw poputil::poplibs_error("poplin: a convolution over a field of " +
                                 std::to_string(dims) +
                                 " dimensions; there must be at least one");
  ConvShape shape;
  shape.batch = p.batchSize;
  shape.groups = p.numConvGroups;
  shape.inChannels = p.inputChannelsPerConvGroup;
  shape.outChannels = p.outputChannelsPerConvGroup;
  if (dims == 2)
    shape.y = convDim(p, 0);
  shape.x = convDim(p, dims - 1);
  return shape;
}

Tensor arrangeInput(Graph &graph, const Tensor &in, const ConvParams &p) {
  Tensor t = in;
  for (unsigned i = 0; i != p.getNumFieldDims(); ++i) {
    t = t.slice(p.inputTransform.truncationLower[i],
                t.dim(2 + i) - p.inputTransform.truncationUpper[i], 2 + i);
    t = dilate(graph, t, 2 + i, p.inputTransform.dilation[i]);
    if (p.inputTransform.flip[i])
      t = t.reverse(2 + i);
  }
  if (p.getNumFieldDims() == 1)
    t = t.expand({2});
  return t.reshapePartial(1, 2, {p.numConvGroups, p.inputChannelsPerConvGroup});
}

Tensor arrangeWeights(const Tensor &weights, const ConvParams &p) {
  Tensor t = weights;
  for (unsigned i = 0; i != p.getNumFieldDims(); ++i)
    t = truncateAndFlip(t, p.kernelTransform, i, 3 + i);
  return p.getNumFieldDims() == 1 ? t.expand({3}) : t;
}

Tensor padOutput(Graph &graph, const Tensor &out, const ConvParams &p) {
  Tensor t = out;
  for (unsigned i = 0; i != p.getNumFieldDims(); ++i) {
    const unsigned lower = p.outputTransform.paddingLower[i];
    const unsigned upper = p.outputTransform.paddingUpper[i];
    if (lower != 0 || upper != 0)
      t = popops::pad(graph, t, lower, upper, 2 + i, 0.0f);
  }
  return t;
}

Tensor arrangeOutput(Graph &graph, const Tensor &out, const ConvParams &p) {
  return padOutput(graph, p.getNumFieldDims() == 1 ? out.squeeze({2}) : out, p);
}

} // namespace poplin
