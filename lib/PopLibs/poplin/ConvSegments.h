// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the workers do in a convolution on the matrix unit: for each tap of the
// kernel the positions that use it, as segments of columns, divided between the
// workers. Taps that fall into padding have no position, so padding costs
// nothing; stride and dilation are differences of addresses.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_CONVSEGMENTS_H
#define POPULUS_LIB_POPLIBS_POPLIN_CONVSEGMENTS_H

#include "lib/PopLibs/poplin/ConvPlan.h"

#include <optional>
#include <utility>
#include <vector>

namespace poplin {

/// The first tap along a dimension that no result lacks.
std::optional<std::size_t> commonTap(const ConvDim &dim);

/// Taps (row, column) of a kernel.
using Taps = std::vector<std::pair<std::size_t, std::size_t>>;

/// The taps in the order of passes: first one that no result lacks, which there
/// must be.
Taps tapOrder(const ConvDim &y, const ConvDim &x);

struct ConvSegments {
  /// As poplin::ConvMatrix has them.
  std::vector<unsigned short> starts, segments;
  /// Bundles of the busiest worker, added up over the taps.
  double bundles = 0;

  /// \p y and \p x describe a tile's block and its part of the input; results
  /// of a position have \p resultBlocks blocks of 8 channels.
  ConvSegments(const ConvDim &y, const ConvDim &x, const Taps &taps,
               std::size_t resultBlocks, double bundlesPerPosition);

  /// Cycles of a vertex for so many blocks of 8 output channels and groups of
  /// input channels.
  double cycles(std::size_t blocks, std::size_t inGroups) const;
};

/// Whether positions of the input and of the results can be numbered in 16
/// bits.
bool segmentsFit(const ConvDim &y, const ConvDim &x, std::size_t resultBlocks);

} // namespace poplin

#endif
