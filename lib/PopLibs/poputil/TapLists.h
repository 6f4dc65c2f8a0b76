// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work lists for windows over groups of adjacent channels,
// [group][row][column][channel]: for each result the list of the elements of
// its window, and the division of the results between the workers of a tile.
// Padding shortens the lists, so it costs nothing; stride and dilation are
// address distances. Vertices (poplin::ConvChannelwise, popnn::PoolChannelwise,
// popnn::MaxPoolGradient) only walk along the lists.

#ifndef POPULUS_LIB_POPLIBS_POPUTIL_TAPLISTS_H
#define POPULUS_LIB_POPLIBS_POPUTIL_TAPLISTS_H

#include "lib/PopLibs/poputil/TapSegment.h"
#include "lib/PopLibs/poputil/WindowDim.h"

#include <vector>

namespace poplibs {

/// Bundles of a worker that has anything to do, of a segment, and of a result
/// and a tap of it in a block of channels; and how many blocks a group has.
struct TapCosts {
  double worker, segment, result, tap;
  std::size_t blocks;

  double ofResult(std::size_t taps) const { return result + tap * taps; }
};

struct TapLists {
  /// Lists in the form of the vertices: the first segment of each worker, and
  /// the fields of segments and taps (TapSegment.h).
  std::vector<unsigned short> starts, segments, taps;
  /// Bundles of the busiest worker.
  double bundles = 0;

  /// \p y and \p x describe a tile's block and its part of the input, which has
  /// \p blocks blocks of channels. Of their groups \p sideBySide share each
  /// position.
  TapLists(std::size_t blocks, std::size_t sideBySide, const WindowDim &y,
           const WindowDim &x, const TapCosts &costs);

  /// An estimate of \ref bundles before the lists are made.
  static double estimate(std::size_t blocks, const WindowDim &y,
                         const WindowDim &x, const TapCosts &costs);
  /// About how many bytes the lists take.
  static std::size_t bytes(std::size_t groups, const WindowDim &y,
                           const WindowDim &x);
  /// Returns true if all numbers fit 16 bits.
  static bool fit(std::size_t groups, std::size_t sideBySide,
                  const WindowDim &y, const WindowDim &x);
};

} // namespace poplibs

#endif
