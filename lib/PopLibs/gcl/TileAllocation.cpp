// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of each IPU, in the order of their numbers: exchanges cost the same
// from everywhere.

#include <gcl/TileAllocation.hpp>

#include <poputil/exceptions.hpp>

#include <algorithm>
#include <numeric>

using namespace poplar;

namespace gcl {

unsigned getMinIoTiles(const Graph &graph) {
  constexpr unsigned Least = 32;
  return std::min(Least, graph.getTarget().getTilesPerIPU());
}

std::vector<unsigned> perIPUTiles(const Graph &graph, unsigned offset,
                                  unsigned count, bool, bool tilePairs) {
  const unsigned tiles = graph.getTarget().getTilesPerIPU();
  if (offset > tiles || count > tiles - offset)
    throw poputil::poplibs_error(
        "gcl::perIPUTiles: " + std::to_string(count) + " tiles from number " +
        std::to_string(offset) + " on; an IPU has " + std::to_string(tiles));
  if (tilePairs && (offset % 2 != 0 || count % 2 != 0))
    throw poputil::poplibs_error(
        "gcl::perIPUTiles: " + std::to_string(count) + " tiles from number " +
        std::to_string(offset) +
        " on are no pairs; both must be even, or tilePairs false");
  std::vector<unsigned> list(count);
  std::iota(list.begin(), list.end(), offset);
  return list;
}

} // namespace gcl
