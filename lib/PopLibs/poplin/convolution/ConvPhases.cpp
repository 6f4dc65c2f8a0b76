// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A convolution of a dilated input, as one of the input without the zeros. For
// example, dilation 2, taps a, b, c, and one element of padding:
//
//    dilated input    0 x0 0 x1 0 x2 0
//    result 0         a b  c                  b x0
//    result 1           a  b c                a x0 + c x1
//    result 2              a b  c             b x1
//    result 3                a  b c           a x1 + c x2
//
// Even results (phase 0) are a convolution of x with the taps (b, 0), odd ones
// (phase 1) with (a, c). Both read the same elements, so they are two output
// channels of one convolution with two taps. Result 2 m + r is channel r at m.
//
// In general, for each dimension of the field with dilation D, result o meets
// tap k at element (o + origin + k) / D, if that is an integer (ConvDim has the
// origin). Let o + shift = D m + r, with phase r, and shift chosen such that
// origin - shift is 1 more than a multiple of D. Phase r then has the taps k =
// D - 1 - r + D j, which meet elements m + j + first: these are the same for
// all phases.

#include "lib/PopLibs/poplin/convolution/ConvPhases.h"

#include "lib/PopLibs/poplin/convolution/ConvOperands.h"

#include <popops/Pad.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>

#include <algorithm>

using namespace poplar;
using namespace poplar::program;

namespace poplin {
namespace {

using Place = std::ptrdiff_t;

bool isDilated(const ConvParams &p, unsigned dim) {
  return p.inputTransform.dilation[dim] > 1 && p.getTruncatedInputSize(dim) > 1;
}

/// Lets the convolution meet exactly the elements from `first` to before `end`.
void frame(ConvParams::InputTransform &t, unsigned dim, std::size_t extent,
           Place first, Place end) {
  const Place size = static_cast<Place>(extent);
  t.truncationLower[dim] = std::max<Place>(first, 0);
  t.paddingLower[dim] = std::max<Place>(-first, 0);
  t.truncationUpper[dim] = std::max<Place>(size - end, 0);
  t.paddingUpper[dim] = std::max<Place>(end - size, 0);
}

} // namespace

bool ConvPhases::addDim(unsigned dim) {
  const ConvDim geometry = convDim(outer, dim);
  const std::size_t extent = outer.getTruncatedInputSize(dim);
  Dim d;
  d.dilation = isDilated(outer, dim) ? outer.inputTransform.dilation[dim] : 1;
  d.kernel = geometry.kernel;
  d.output = geometry.output;
  const Place dilation = static_cast<Place>(d.dilation);
  d.taps = (d.kernel + d.dilation - 1) / d.dilation;
  d.phases = std::min(d.kernel, d.dilation);
  d.shift = ((geometry.origin - 1) % dilation + dilation) % dilation;
  d.results = (d.output + d.shift + d.dilation - 1) / d.dilation;
  const Place first =
      d.dilation == 1
          ? geometry.origin
          : (geometry.origin - static_cast<Place>(d.shift) - 1) / dilation + 1;
  const Place end = first + static_cast<Place>(d.results - 1 + d.taps);
  if (d.output == 0 || first >= static_cast<Place>(extent) || end <= 0)
    return false;
  frame(inner.inputTransform, dim, extent, first, end);
  inner.inputFieldShape[dim] = extent;
  inner.kernelShape[dim] = d.taps;
  inner.outputChannelsPerConvGroup *= d.phases;
  dims.push_back(d);
  return true;
}

std::optional<ConvPhases> ConvPhases::of(const ConvParams &params) {
  bool anyDilated = false;
  for (unsigned i = 0; i != params.getNumFieldDims(); ++i) {
    if (params.outputTransform.stride[i] != 1 ||
        params.kernelTransform.dilation[i] != 1 ||
        params.getTruncatedKernelSize(i) == 0)
      return std::nullopt;
    anyDilated |= isDilated(params, i);
  }
  if (!anyDilated)
    return std::nullopt;
  ConvPhases result(params);
  const std::size_t rank = params.getNumFieldDims();
  // Checked when all of it is known.
  ConvParams &inner = result.inner;
  inner = params;
  inner.inputTransform = inner.kernelTransform =
      ConvParams::InputTransform(rank);
  inner.outputTransform = ConvParams::OutputTransform(rank);
  for (unsigned i = 0; i != rank; ++i)
    if (!result.addDim(i))
      return std::nullopt;
  if (result.isDepthwise()) {
    inner.numConvGroups *= result.numPhases();
    inner.outputChannelsPerConvGroup = 1;
  }
  return result;
}

bool ConvPhases::isDepthwise() const {
  return outer.inputChannelsPerConvGroup == 1 &&
         outer.outputChannelsPerConvGroup == 1;
}

std::size_t ConvPhases::numPhases() const {
  std::size_t phases = 1;
  for (const Dim &d : dims)
    phases *= d.phases;
  return phases;
}

Tensor ConvPhases::input(const Tensor &in) const {
  Tensor t = in;
  for (unsigned i = 0; i != dims.size(); ++i)
    t = truncateAndFlip(t, outer.inputTransform, i, 2 + i);
  return isDepthwise() ? t.broadcast(numPhases(), 1) : t;
}

Tensor ConvPhases::weights(Graph &graph, const Tensor &weights) const {
  // [groups, out, in, taps...] to [groups, phases..., out, in, taps...]
  const unsigned rank = dims.size();
  Tensor t = weights;
  for (unsigned i = 0; i != rank; ++i) {
    const Dim &d = dims[i];
    // Behind the phases that were split off before.
    const unsigned at = 3 + 2 * i;
    t = truncateAndFlip(t, outer.kernelTransform, i, at);
    t = popops::pad(graph, t, 0, d.taps * d.dilation - d.kernel, at, 0.0f);
    t = t.reshapePartial(at, at + 1, {d.taps, d.dilation})
            .reverse(at + 1)
            .slice(d.emptyPhases(), d.dilation, at + 1);
  }
  // [groups, out, in, taps, phases, taps, phases...]
  std::vector<unsigned> order{0};
  for (unsigned i = 0; i != rank; ++i)
    order.push_back(4 + 2 * i);
  order.insert(order.end(), {1, 2});
  for (unsigned i = 0; i != rank; ++i)
    order.push_back(3 + 2 * i);
  t = t.dimShuffle(order).flatten(1, 1 + rank);
  // [groups, phases, out, in, taps...]
  return isDepthwise() ? t.dimRoll(1, 0).flatten(0, 2) : t.flatten(1, 3);
}

Tensor ConvPhases::wholeWeights(const Tensor &weights) const {
  if (isDepthwise())
    return Tensor();
  const unsigned rank = dims.size();
  std::vector<std::size_t> shape{outer.numConvGroups};
  for (const Dim &d : dims)
    shape.push_back(d.phases);
  shape.insert(shape.end(), {outer.outputChannelsPerConvGroup,
                             outer.inputChannelsPerConvGroup});
  for (unsigned i = 0; i != rank; ++i) {
    if (dims[i].taps * dims[i].dilation != outer.kernelShape[i])
      return Tensor();
    shape.push_back(dims[i].taps);
  }
  std::vector<unsigned> order{0, 1 + rank, 2 + rank};
  for (unsigned i = 0; i != rank; ++i)
    order.insert(order.end(), {3 + rank + i, 1 + i});
  Tensor t = weights.reshape(shape).dimShuffle(order);
  for (unsigned i = 0; i != rank; ++i) {
    t = t.reverse(4 + i).flatten(3 + i, 5 + i);
    if (outer.kernelTransform.flip[i])
      t = t.reverse(3 + i);
  }
  return t;
}

Tensor ConvPhases::bias(const Tensor &bias) const {
  if (!bias.valid())
    return bias;
  for (unsigned i = 0; i != dims.size(); ++i)
    if (dims[i].emptyPhases() != 0 ||
        outer.outputTransform.paddingLower[i] != 0 ||
        outer.outputTransform.paddingUpper[i] != 0)
      return Tensor();
  return bias.reshape({groups(), 1, channels()})
      .broadcast(numPhases(), 1)
      .flatten();
}

Tensor ConvPhases::output(Graph &graph, const Tensor &out, Sequence &prog,
                          const DebugContext &debugContext) const {
  const unsigned rank = dims.size();
  std::vector<std::size_t> shape{outer.batchSize, groups()};
  for (const Dim &d : dims)
    shape.push_back(d.phases);
  shape.push_back(channels());
  for (const Dim &d : dims)
    shape.push_back(d.results);
  // [batch, groups, phases..., channels, results...]
  Tensor t = out.reshape(shape);
  for (unsigned i = 0; i != rank; ++i)
    if (dims[i].emptyPhases() != 0) {
      std::vector<std::size_t> empty = t.shape();
      empty[2 + i] = dims[i].emptyPhases();
      const Tensor zeros = graph.addVariable(t.elementType(), empty,
                                             VariableMappingMethod::LINEAR,
                                             {debugContext, "EmptyPhases"});
      popops::zero(graph, zeros, prog, {debugContext, "EmptyPhases"});
      t = concat(zeros, t, 2 + i);
    }
  std::vector<unsigned> order{0, 1, 2 + rank};
  for (unsigned i = 0; i != rank; ++i)
    order.insert(order.end(), {3 + rank + i, 2 + i});
  t = t.dimShuffle(order).flatten(1, 3);
  for (unsigned i = 0; i != rank; ++i)
    t = t.flatten(2 + i, 4 + i)
            .slice(dims[i].shift, dims[i].shift + dims[i].output, 2 + i);
  return t;
}

ConvParams plannedParams(const ConvParams &params) {
  const std::optional<ConvPhases> phases = ConvPhases::of(params);
  return phases ? phases->params() : params;
}

} // namespace poplin
