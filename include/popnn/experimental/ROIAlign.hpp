// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rectangles of images, brought to one size: each is divided into a grid of
// bins, and a bin is the mean of points spread evenly over it, each
// interpolated between the four pixels around it. Points more than a pixel
// outside of the image count as zero.

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
  /// Points in each direction of a bin; 0: as many as the bin has pixels,
  /// rounded up.
  unsigned samplingRatio = 0;
  /// Coordinates times this are pixels.
  float spatialScale = 1.0f;
  /// Pixels have their centres at halves; else at whole numbers, and a
  /// rectangle has a pixel each way at least.
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

/// The gradient of the images, of the shape and type of \p bottomData, from
/// that of the result.
poplar::Tensor roiAlignInputGradient(
    poplar::Graph &graph, const poplar::Tensor &topGradient,
    const poplar::Tensor &bottomData, const poplar::Tensor &bottomRois,
    const poplar::Tensor &bottomBatchIndex, const roiAlignParams &params,
    poplar::program::Sequence &prog,
    const poplar::DebugContext &debugContext = {});

} // namespace experimental
} // namespace popnn

#endif
