// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of images at points between their pixels, which are computed when the
// model runs: what GridSample and RoiAlign share. A value is a sum over the
// pixels around the point, each with a weight for its row times one for its
// column.

#ifndef POPULUS_LIB_POPART_OPS_WINDOWS_SAMPLING_H
#define POPULUS_LIB_POPART_OPS_WINDOWS_SAMPLING_H

#include "lib/PopART/Ops/Elementwise/Elementwise.h"

#include <string>
#include <vector>

namespace populus::popir {

/// How far pixels are from the point, and their weights, along one dimension.
enum class Interpolation { Nearest, Linear, Cubic };

/// What a pixel outside of the image is: zero, the nearest pixel of the image,
/// or one of the image's reflections at its borders.
struct Outside {
  enum Kind { Zeros, Border, Reflection } kind = Zeros;
  /// Borders are the centres of the outer pixels, not their edges.
  bool atCentres = false;
};

/// [N, C, H, W] as a table with a row of channels for each pixel.
poplar::Tensor pixelTable(const poplar::Tensor &images);

/// Such a table of zeros, for the gradient of images of this shape that `op`
/// computes; and the images of a table.
poplar::Tensor zeroPixels(Lowering &lowering, const Op &op,
                          const Shape &images);
poplar::Tensor imagesOf(const poplar::Tensor &table, const Shape &images);

/// The pixels that a point consists of. Points have any shape; each element of
/// the list is the same part of all points.
struct Pixels {
  poplar::Tensor rows;    // of the table; unsigned
  poplar::Tensor weights; // float
};

/// What weights are to be: those of the pixels in the point's value, or in how
/// much it changes with a coordinate of the point.
enum class Weights { Value, SlopeOfY, SlopeOfX };

/// Of points whose coordinates are `y` and `x`, in pixels; the image of a point
/// begins at row `first` (INT) of the table. All three are broadcast to their
/// common shape.
std::vector<Pixels> pixelsAround(Lowering &lowering, const Op &op,
                                 const poplar::Tensor &y,
                                 const poplar::Tensor &x,
                                 const poplar::Tensor &first,
                                 std::int64_t height, std::int64_t width,
                                 Interpolation interpolation, Outside outside,
                                 Weights weights = Weights::Value);

/// `value` reflected at `low` and `high` until it lies between them.
expr::Any reflected(const expr::Expr &value, double low, double high);
/// Its slope: 1 or -1; 0 where there is nothing between them.
expr::Any slopeOfReflected(const expr::Expr &value, double low, double high);

/// The channels of the pixels times their weights: [points, channels].
poplar::Tensor weightedRows(Lowering &lowering, const Op &op,
                            const poplar::Tensor &table, const Pixels &pixels);

} // namespace populus::popir

#endif
