// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes and parameters that follow from those of a convolution.

#ifndef POPULUS_POPLIN_CONVUTIL_HPP
#define POPULUS_POPLIN_CONVUTIL_HPP

#include <poplin/ConvParams.hpp>

#include <cstddef>

namespace poplin {

/// The extent of \p size elements with \p dilation - 1 zeros between them.
inline std::size_t getDilatedSize(std::size_t size, unsigned dilation) {
  return size == 0 ? 0 : 1 + (size - 1) * dilation;
}

/// The convolution that gives the gradient of the input: of the output's
/// gradient with the weights, whose channels are swapped and which are flipped
/// (transposeAndFlipConvGroupWeights of poplin::convolution).
ConvParams getGradientParams(const ConvParams &params);

/// The convolution that gives the gradient of the weights: of the input, whose
/// channels are the batch and the other way round, with the output's gradient.
ConvParams getWeightUpdateParams(const ConvParams &fwdParams);

} // namespace poplin

#endif
