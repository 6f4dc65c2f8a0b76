// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One dimension of the field of a convolution or a pool, with all transforms
// reduced to a few numbers.

#ifndef POPULUS_LIB_POPLIBS_POPUTIL_WINDOWDIM_H
#define POPULUS_LIB_POPLIBS_POPUTIL_WINDOWDIM_H

#include <compare>
#include <cstddef>

namespace poplibs {

/// Result o uses tap k of the kernel with input element
/// o * stride + k * dilation + origin, where that exists.
///
/// Transposed it is the way back: result r uses each input i for which there is
/// a tap k with i * stride + k * dilation + origin = r. The dilation is 1 then.
struct WindowDim {
  std::size_t input = 1;
  std::size_t kernel = 1;
  std::size_t output = 1;
  std::size_t stride = 1;
  std::size_t dilation = 1;
  std::ptrdiff_t origin = 0;
  bool transposed = false;

  friend auto operator<=>(const WindowDim &, const WindowDim &) = default;
  std::ptrdiff_t firstInput(std::size_t result) const {
    return static_cast<std::ptrdiff_t>(result * stride) + origin;
  }
  /// Distance of the windows of results that are resultStep() apart.
  std::size_t inputStep() const { return transposed ? 1 : stride; }
  std::size_t resultStep() const { return transposed ? stride : 1; }
  /// Maximum number of input elements that a result uses.
  std::size_t taps() const {
    return transposed ? (kernel + stride - 1) / stride : kernel;
  }
};

} // namespace poplibs

#endif
