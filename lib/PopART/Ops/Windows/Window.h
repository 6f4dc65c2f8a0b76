// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sliding windows of convolutions and pools: their attributes, and their
// positions on a field of a given size.

#ifndef POPULUS_LIB_POPART_OPS_WINDOWS_WINDOW_H
#define POPULUS_LIB_POPART_OPS_WINDOWS_WINDOW_H

#include "lib/PopART/IR/Op.h"

namespace populus::popir {

/// A window on a field; one entry for each field dimension.
struct Window {
  std::vector<std::int64_t> kernel;
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> dilations;
  /// Padding as the model specifies it.
  std::vector<std::int64_t> padLower, padUpper;
  /// Extent of the result.
  std::vector<std::int64_t> output;

  std::size_t rank() const { return kernel.size(); }
  /// The upper padding for which the windows fit exactly. It is smaller than
  /// padUpper (perhaps negative) if the last stride leaves elements over, and
  /// larger if the result's extent was rounded up.
  std::int64_t exactPadUpper(std::size_t dim, std::int64_t extent) const;
  /// The dilated extent: distance of first and last element, plus one.
  std::int64_t span(std::size_t dim) const {
    return (kernel[dim] - 1) * dilations[dim] + 1;
  }
};

/// Reads kernel_shape, strides, pads, dilations, auto_pad and ceil_mode of
/// `op`. `fieldShape` is the extents of its input's field, `kernel` those of
/// the window. What does not fit is an Error of `op`.
Window makeWindow(const Op &op, const Shape &fieldShape, const Shape &kernel);

/// The field dimensions of an activation [batch, channels, field...].
Shape fieldOf(const Op &op, const Shape &activation);

} // namespace populus::popir

#endif
