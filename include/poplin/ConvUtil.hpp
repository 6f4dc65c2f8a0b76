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

} // namespace poplin

#endif
