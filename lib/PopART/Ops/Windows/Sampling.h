// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interpolation of images at points that are known only at run time, for
// GridSample and RoiAlign. The value at a point is a sum over the pixels around
// it; the weight of a pixel is a row weight times a column weight.

#ifndef POPULUS_LIB_POPART_OPS_WINDOWS_SAMPLING_H
#define POPULUS_LIB_POPART_OPS_WINDOWS_SAMPLING_H

#include "lib/PopART/Ops/Elementwise/Elementwise.h"

#include <string>
#include <vector>

namespace populus::popir {

/// The interpolation along one dimension: 1, 2 or 4 pixels.
enum class Interpolation { Nearest, Linear, Cubic };

/// The value of a pixel outside the image: zero, the nearest pixel of the
/// image, or the image reflected at its borders.
struct Outside {
  enum Kind { Zeros, Border, Reflection } kind = Zeros;
  /// Reflects at the centres of the outer pixels, not at their edges.
  bool atCentres = false;
};

/// Reshapes [N, C, H, W] to a table with one row of channels per pixel.
poplar::Tensor pixelTable(const poplar::Tensor &images);

/// A pixel table of zeros, for the gradient of images of this shape that `op`
/// computes; and the images of such a table.
poplar::Tensor zeroPixels(Lowering &lowering, const Op &op,
                          const Shape &images);
poplar::Tensor imagesOf(const poplar::Tensor &table, const Shape &images);

/// One of the pixels around each point. Points may have any shape; a list of
/// these has one element per pixel of the window.
struct Pixels {
  poplar::Tensor rows;    // of the table; unsigned
  poplar::Tensor weights; // float
};

/// The kind of weights: for the value at the point, or for its derivative by a
/// coordinate.
enum class Weights { Value, SlopeOfY, SlopeOfX };

/// The pixels around points with coordinates `y` and `x`, in pixels. The image
/// of a point begins at row `first` (INT) of the table. All three are broadcast
/// to their common shape.
std::vector<Pixels> pixelsAround(Lowering &lowering, const Op &op,
                                 const poplar::Tensor &y,
                                 const poplar::Tensor &x,
                                 const poplar::Tensor &first,
                                 std::int64_t height, std::int64_t width,
                                 Interpolation interpolation, Outside outside,
                                 Weights weights = Weights::Value);

/// `value` reflected at `low` and `high` until it lies between them.
expr::Any reflected(const expr::Expr &value, double low, double high);
/// The derivative of reflected(): 1 or -1; 0 if low and high are equal.
expr::Any slopeOfReflected(const expr::Expr &value, double low, double high);

/// The weighted sum of pixels' channels: [points, channels].
poplar::Tensor weightedRows(Lowering &lowering, const Op &op,
                            const poplar::Tensor &table, const Pixels &pixels);

} // namespace populus::popir

#endif
