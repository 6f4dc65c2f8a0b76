// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes and parameters that follow from those of a convolution.

#ifndef POPULUS_POPLIN_CONVUTIL_HPP
#define POPULUS_POPLIN_CONVUTIL_HPP

#include <poplin/ConvParams.hpp>

#include <cstddef>
#include <utility>

namespace poplin {

/// The extent of \p size elements with \p dilation - 1 zeros between them.
inline std::size_t getDilatedSize(std::size_t size, unsigned dilation) {
  return size == 0 ? 0 : 1 + (size - 1) * dilation;
}

/// What elements of one dimension of the field meet each other: an output
/// element takes the product of the input and the kernel element of one index.
/// Indices are those of tensors, before any transform; ranges are [begin, end),
/// and empty ones begin and end at 0.
typedef std::pair<unsigned, unsigned> IndexRange;
/// The input element that an output element meets at a kernel element, or ~0U
/// if that is padding, truncated or between dilated elements.
unsigned getInputIndex(unsigned dim, unsigned outputIndex, unsigned kernelIndex,
                       const ConvParams &params);
/// The kernel element that joins an output and an input element, or ~0U.
unsigned getKernelIndex(unsigned dim, unsigned outputIndex, unsigned inputIndex,
                        const ConvParams &params);
/// Of a range of output elements the smallest one that has all those that meet
/// a kernel or an input element, or any of several.
IndexRange getOutputRangeForKernelIndex(unsigned dim, IndexRange outputRange,
                                        unsigned kernelIndex,
                                        const ConvParams &params);
IndexRange getOutputRangeForInputIndex(unsigned dim, IndexRange outputRange,
                                       unsigned inputIndex,
                                       const ConvParams &params);
IndexRange getOutputRangeForKernelRange(unsigned dim, IndexRange outputRange,
                                        IndexRange kernelRange,
                                        const ConvParams &params);
IndexRange getOutputRangeForInputRange(unsigned dim, IndexRange outputRange,
                                       IndexRange inputRange,
                                       const ConvParams &params);
/// The input elements that output elements meet at kernel elements (at all of
/// them, if none are given), and the kernel elements that join them.
IndexRange getInputRange(unsigned dim, IndexRange outputRange,
                         IndexRange kernelRange, const ConvParams &params);
IndexRange getInputRange(unsigned dim, IndexRange outputRange,
                         const ConvParams &params);
IndexRange getKernelRange(unsigned dim, IndexRange outputRange,
                          IndexRange inputRange, const ConvParams &params);

/// The convolution that gives the gradient of the input: of the output's
/// gradient with the weights, whose channels are swapped and which are flipped
/// (transposeAndFlipConvGroupWeights of poplin::convolution).
ConvParams getGradientParams(const ConvParams &params);

/// The convolution that gives the gradient of the weights: of the input, whose
/// channels are the batch and the other way round, with the output's gradient.
ConvParams getWeightUpdateParams(const ConvParams &fwdParams);

} // namespace poplin

#endif
