// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run of a convolution's positions on the matrix unit. The positions of all
// images form one sequence, row by row, and a tile computes any run of it, so
// the sequence can be divided into any number of nearly equal parts. For
// example, 30 positions of rows with 14 columns:
//
//    image 0  row 12  . . . . . . x x x x x x x x     the last 8 of a row
//             row 13  x x x x x x x x x x x x x x     a whole row of 14
//    image 1  row 0   x x x x x x x x . . . . . .     the first 8 of a row

#ifndef POPULUS_LIB_POPLIBS_POPLIN_PLANNING_CONVRUN_H
#define POPULUS_LIB_POPLIBS_POPLIN_PLANNING_CONVRUN_H

#include "lib/PopLibs/poplin/planning/ConvPlan.h"

#include <compare>
#include <cstddef>
#include <vector>

namespace poplin {

/// Shape of a tile's run and of its input, independent of their position in the
/// field. The input is a patch: for each image the rows that its part reads,
/// all with the same columns.
struct RunShape {
  /// For the rows of each image that have positions of the run.
  std::vector<ConvDim> rows;
  ConvDim columns;
  /// Positions in the first of the rows before the run, and those of the run.
  std::size_t skipped, count;

  /// Size of the patch.
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
  /// Sources of the patch.
  std::vector<ImageRows> images;
  PartRange columns;

  /// The positions [begin, end).
  ConvRun(const ConvShape &conv, std::size_t begin, std::size_t end);
};

/// Positions of a convolution.
std::size_t positionsOf(const ConvShape &conv);

} // namespace poplin

#endif
