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

/// Index ranges of one dimension of a convolution. Each output element is a sum
/// of products of an input and a kernel element. Indices are those of tensors
/// before any transform. Ranges are [begin, end); an empty one is [0, 0).
typedef std::pair<unsigned, unsigned> IndexRange;
/// Returns the input element that the output element multiplies by a kernel
/// element, or ~0U if that is padding, truncated or between dilated elements.
unsigned getInputIndex(unsigned dim, unsigned outputIndex, unsigned kernelIndex,
                       const ConvParams &params);
/// Returns the kernel element with which an output element multiplies an input
/// element, or ~0U.
unsigned getKernelIndex(unsigned dim, unsigned outputIndex, unsigned inputIndex,
                        const ConvParams &params);
/// Returns the smallest part of \p outputRange that contains all output
/// elements which use a kernel or input element, or any of several.
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
/// Returns the range of input elements that output elements multiply by kernel
/// elements (by all of them, if no range is given), or the range of kernel
/// elements used.
IndexRange getInputRange(unsigned dim, IndexRange outputRange,
                         IndexRange kernelRange, const ConvParams &params);
IndexRange getInputRange(unsigned dim, IndexRange outputRange,
                         const ConvParams &params);
IndexRange getKernelRange(unsigned dim, IndexRange outputRange,
                          IndexRange inputRange, const ConvParams &params);

/// Returns the parameters of the convolution that computes the gradient of the
/// input. It convolves the output's gradient with the weights, whose channels
/// are swapped and which are flipped (transposeAndFlipConvGroupWeights of
/// poplin::convolution).
ConvParams getGradientParams(const ConvParams &params);

/// Returns the parameters of the convolution that computes the gradient of the
/// weights. It convolves the input, with batch and channels swapped, with the
/// output's gradient.
ConvParams getWeightUpdateParams(const ConvParams &fwdParams);

} // namespace poplin

#endif
