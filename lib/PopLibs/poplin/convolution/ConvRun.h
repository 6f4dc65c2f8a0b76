// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part of a convolution's positions on the matrix unit: those of all images
// are one line, row by row, of which a tile computes any stretch. So they can
// be divided into any number of parts of nearly the same size. A run of 30
// positions of rows with 14 columns may have the end of one row, a whole row,
// and the begin of the first row of the next image.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_CONVOLUTION_CONVRUN_H
#define POPULUS_LIB_POPLIBS_POPLIN_CONVOLUTION_CONVRUN_H

#include "lib/PopLibs/poplin/convolution/ConvPlan.h"

#include <compare>
#include <cstddef>
#include <vector>

namespace poplin {

/// What a tile computes, and from what, wherever that lies in the field. The
/// input is a patch: the rows that each image's part reads, one after the
/// other, of the same columns.
struct RunShape {
  /// For the rows of each image that have positions of the run.
  std::vector<ConvDim> rows;
  ConvDim columns;
  /// Positions in the first of the rows before the run, and those of the run.
  std::size_t skipped, count;

  /// Of the patch.
  std::size_t inputRows() const;
  std::size_t inputs() const { return inputRows() * columns.input; }

  friend auto operator<=>(const RunShape &, const RunShape &) = default;
};

/// Input rows of an image.
struct ImageRows {
  std::size_t image;
  PartRange rows;
};

struct ConvRun {
  RunShape shape;
  /// What the patch is made of.
  std::vector<ImageRows> images;
  PartRange columns;

  /// The positions [begin, end).
  ConvRun(const ConvShape &conv, std::size_t begin, std::size_t end);
};

/// Positions of a convolution.
std::size_t positionsOf(const ConvShape &conv);

} // namespace poplin

#endif
