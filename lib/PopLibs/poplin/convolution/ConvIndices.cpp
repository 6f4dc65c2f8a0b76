// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Correspondence of input, kernel and output elements along a dimension of a
// convolution's field. Indices are translated through the transforms to
// positions of the transformed field and back. Ranges are found element by
// element, because callers ask about blocks.

#include <poplin/ConvUtil.hpp>

#include <algorithm>
#include <cstdint>

namespace poplin {
namespace {

constexpr unsigned None = ~0U;

using Place = std::int64_t;

/// Position of an element after truncation, dilation, padding and flip;
/// negative if truncated.
Place transformed(const ConvParams::InputTransform &t, unsigned dim,
                  Place index, Place truncatedSize, Place transformedSize) {
  const Place kept = index - t.truncationLower[dim];
  if (kept < 0 || kept >= truncatedSize)
    return -1;
  const Place place = t.paddingLower[dim] + kept * t.dilation[dim];
  return t.flip[dim] ? transformedSize - 1 - place : place;
}

/// Element at a position of the transformed field, or None.
unsigned original(const ConvParams::InputTransform &t, unsigned dim,
                  Place place, Place truncatedSize, Place transformedSize) {
  if (t.flip[dim])
    place = transformedSize - 1 - place;
  place -= t.paddingLower[dim];
  if (place < 0 || place % t.dilation[dim] != 0 ||
      place / t.dilation[dim] >= truncatedSize)
    return None;
  return t.truncationLower[dim] + place / t.dilation[dim];
}

/// Position of the kernel's begin for an output element; negative for padding.
Place windowOf(const ConvParams &params, unsigned dim, unsigned outputIndex) {
  const auto &t = params.outputTransform;
  if (outputIndex < t.paddingLower[dim] ||
      outputIndex + t.paddingUpper[dim] >= params.getOutputSize(dim))
    return -1;
  return Place(outputIndex - t.paddingLower[dim]) * t.stride[dim] +
         t.truncationLower[dim];
}

IndexRange allOf(std::size_t size) { return {0u, static_cast<unsigned>(size)}; }

/// Smallest range that contains all valid values of \p indexOf for pairs of
/// both ranges.
template <class IndexOf>
IndexRange rangeOf(IndexRange outer, IndexRange inner, IndexOf indexOf) {
  IndexRange range{None, 0};
  for (unsigned i = outer.first; i != outer.second; ++i)
    for (unsigned j = inner.first; j != inner.second; ++j) {
      const unsigned index = indexOf(i, j);
      if (index == None)
        continue;
      range.first = std::min(range.first, index);
      range.second = std::max(range.second, index + 1);
    }
  return range.first == None ? IndexRange{0, 0} : range;
}

} // namespace

unsigned getInputIndex(unsigned dim, unsigned outputIndex, unsigned kernelIndex,
                       const ConvParams &params) {
  const Place window = windowOf(params, dim, outputIndex);
  const Place tap = transformed(params.kernelTransform, dim, kernelIndex,
                                params.getTruncatedKernelSize(dim),
                                params.getTransformedKernelSize(dim));
  if (window < 0 || tap < 0)
    return None;
  return original(params.inputTransform, dim, window + tap,
                  params.getTruncatedInputSize(dim),
                  params.getTransformedInputSize(dim));
}

unsigned getKernelIndex(unsigned dim, unsigned outputIndex, unsigned inputIndex,
                        const ConvParams &params) {
  const Place window = windowOf(params, dim, outputIndex);
  const Place place = transformed(params.inputTransform, dim, inputIndex,
                                  params.getTruncatedInputSize(dim),
                                  params.getTransformedInputSize(dim));
  const Place size = params.getTransformedKernelSize(dim);
  if (window < 0 || place < window || place >= window + size)
    return None;
  return original(params.kernelTransform, dim, place - window,
                  params.getTruncatedKernelSize(dim), size);
}

IndexRange getOutputRangeForKernelRange(unsigned dim, IndexRange outputRange,
                                        IndexRange kernelRange,
                                        const ConvParams &params) {
  return rangeOf(outputRange, kernelRange, [&](unsigned out, unsigned tap) {
    return getInputIndex(dim, out, tap, params) == None ? None : out;
  });
}

IndexRange getOutputRangeForInputRange(unsigned dim, IndexRange outputRange,
                                       IndexRange inputRange,
                                       const ConvParams &params) {
  return rangeOf(outputRange, inputRange, [&](unsigned out, unsigned in) {
    return getKernelIndex(dim, out, in, params) == None ? None : out;
  });
}

IndexRange getOutputRangeForKernelIndex(unsigned dim, IndexRange outputRange,
                                        unsigned kernelIndex,
                                        const ConvParams &params) {
  return getOutputRangeForKernelRange(dim, outputRange,
                                      {kernelIndex, kernelIndex + 1}, params);
}

IndexRange getOutputRangeForInputIndex(unsigned dim, IndexRange outputRange,
                                       unsigned inputIndex,
                                       const ConvParams &params) {
  return getOutputRangeForInputRange(dim, outputRange,
                                     {inputIndex, inputIndex + 1}, params);
}

IndexRange getInputRange(unsigned dim, IndexRange outputRange,
                         IndexRange kernelRange, const ConvParams &params) {
  return rangeOf(outputRange, kernelRange, [&](unsigned out, unsigned tap) {
    return getInputIndex(dim, out, tap, params);
  });
}

IndexRange getInputRange(unsigned dim, IndexRange outputRange,
                         const ConvParams &params) {
  return getInputRange(dim, outputRange, allOf(params.kernelShape[dim]),
                       params);
}

IndexRange getKernelRange(unsigned dim, IndexRange outputRange,
                          IndexRange inputRange, const ConvParams &params) {
  return rangeOf(outputRange, inputRange, [&](unsigned out, unsigned in) {
    return getKernelIndex(dim, out, in, params);
  });
}

} // namespace poplin
