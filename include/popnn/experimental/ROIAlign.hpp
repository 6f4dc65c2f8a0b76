// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Region-of-interest alignment: rectangles of images are resampled to one size.
// Each rectangle is divided into a grid of bins. The value of a bin is the mean
// of evenly spaced points, each interpolated between the four nearest pixels.
// Points more than a pixel outside of the image count as zero.

#ifndef POPULUS_POPNN_EXPERIMENTAL_ROIALIGN_HPP
#define POPULUS_POPNN_EXPERIMENTAL_ROIALIGN_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popnn {
namespace experimental {

struct roiAlignParams {
  /// Rows and columns of bins.
  unsigned alignedHeight = 1;
  unsigned alignedWidth = 1;
  /// Number of points of a bin in each direction; 0: the number of pixels of
  /// the bin, rounded up.
  unsigned samplingRatio = 0;
  /// Factor from coordinates to pixels.
  float spatialScale = 1.0f;
  /// Pixel centres are at half-integers. If false, they are at integers, and a
  /// rectangle has at least one pixel in each direction.
  bool halfPixel = false;
};

/// Pools regions of images. \p bottomData, [N, C, height, width], is float or
/// half. \p bottomRois, [rectangles, 4], has the corners {x, y, x, y} of each
/// rectangle, and \p bottomBatchIndex, [rectangles], the integer index of its
/// image. Returns [rectangles, C, alignedHeight, alignedWidth]. An image index
/// out of range gives NaN.
poplar::Tensor roiAlignFwd(poplar::Graph &graph,
                           const poplar::Tensor &bottomData,
                           const poplar::Tensor &bottomRois,
                           const poplar::Tensor &bottomBatchIndex,
                           const roiAlignParams &params,
                           poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {});

/// Returns the gradient of the images, with the shape and type of \p
/// bottomData, from the gradient of the result.
poplar::Tensor roiAlignInputGradient(
    poplar::Graph &graph, const poplar::Tensor &topGradient,
    const poplar::Tensor &bottomData, const poplar::Tensor &bottomRois,
    const poplar::Tensor &bottomBatchIndex, const roiAlignParams &params,
    poplar::program::Sequence &prog,
    const poplar::DebugContext &debugContext = {});

} // namespace experimental
} // namespace popnn

#endif
