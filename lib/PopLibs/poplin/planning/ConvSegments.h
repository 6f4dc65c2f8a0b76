// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work lists of a convolution on the matrix unit. For each tap of the kernel
// they have the positions that use it, as segments of columns, divided between
// the workers. A tap in the padding has no positions, so padding costs nothing.
// Stride and dilation are address increments.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_PLANNING_CONVSEGMENTS_H
#define POPULUS_LIB_POPLIBS_POPLIN_PLANNING_CONVSEGMENTS_H

#include "lib/PopLibs/poplin/planning/ConvRun.h"

#include <optional>
#include <utility>
#include <vector>

namespace poplin {

/// First tap along a dimension that every result uses.
std::optional<std::size_t> commonTap(const ConvDim &dim);

/// Taps (row, column) of a kernel.
using Taps = std::vector<std::pair<std::size_t, std::size_t>>;

/// Taps in the order of passes. The first one must be used by every result.
Taps tapOrder(const ConvDim &y, const ConvDim &x);

/// Number of 32-byte blocks for the channels of a position. A block of input
/// channels has one; a block of sums has 8 in float or 16 in half.
struct PlacesPerPosition {
  std::size_t in, out;
};
PlacesPerPosition placesOf(const ConvPlan &plan);

/// Costs of poplin::ConvMatrix in bundles of a worker: for a position, for a
/// segment without its positions, for a segment of a single position, and for
/// continuing with another row while the unit is full (0: not done). The last
/// is the supervisor's cycles for a pass.
struct PassCosts {
  double position, segment, single, row, pass;
};
PassCosts passCosts(const ChannelGroups &pass);

struct ConvSegments {
  /// Lists in the form of poplin::ConvMatrix.
  std::vector<unsigned short> segments;
  /// Bundles of the busiest worker, added up over the taps.
  double bundles = 0;

  ConvSegments(const RunShape &run, const Taps &taps,
               const PlacesPerPosition &places, const PassCosts &costs);

  /// Cycles of a vertex for so many blocks of output and of input channels.
  double cycles(std::size_t outBlocks, std::size_t inBlocks) const;
  /// Returns true if all segment numbers fit their fields.
  bool fit() const;

private:
  std::size_t taps;
  double cyclesPerPass;
};

/// Positions that use a tap, of all taps.
double positionsOfTaps(const ConvShape &shape);

/// Lower bound of a vertex's cycles for passes with that many positions, which
/// are those of all taps for a pair of blocks of channels.
double leastCycles(double positions, std::size_t taps, std::size_t pairs,
                   const PassCosts &costs);

/// Returns true if offsets of the input and of the results fit 16 bits.
bool segmentsFit(const RunShape &run, const PlacesPerPosition &places);

} // namespace poplin

#endif
