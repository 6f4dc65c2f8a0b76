// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Even division of the indices of one dimension, and the places of a grid of
// pieces of work on tiles.

#ifndef POPULUS_LIB_POPLIBS_POPUTIL_PARTITION_H
#define POPULUS_LIB_POPLIBS_POPUTIL_PARTITION_H

#include <poplar/Interval.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace poplibs {

inline std::size_t ceilDiv(std::size_t a, std::size_t b) {
  return (a + b - 1) / b;
}

/// Parts of [0, extent) that differ by at most one in size.
struct Partition {
  std::size_t extent = 1;
  std::size_t parts = 1;

  std::size_t begin(std::size_t part) const { return part * extent / parts; }
  std::size_t end(std::size_t part) const { return begin(part + 1); }
  std::size_t size(std::size_t part) const { return end(part) - begin(part); }
  poplar::Interval interval(std::size_t part) const {
    return {begin(part), end(part)};
  }
  std::size_t largest() const { return ceilDiv(extent, parts); }
};

/// Numbers of parts worth trying for an extent: those with a smaller largest
/// part than any smaller number of parts.
inline std::vector<std::size_t> candidateParts(std::size_t extent,
                                               std::size_t limit) {
  std::vector<std::size_t> parts;
  for (std::size_t n = 1; n <= std::min(extent, limit);) {
    parts.push_back(n);
    const std::size_t size = ceilDiv(extent, n);
    if (size == 1)
      break;
    n = ceilDiv(extent, size - 1);
  }
  return parts;
}

/// A ladder of numbers of parts, for searches over several dimensions at once.
inline std::vector<std::size_t> coarseParts(std::size_t extent,
                                            std::size_t limit) {
  const std::size_t most = std::max<std::size_t>(1, std::min(extent, limit));
  std::vector<std::size_t> parts;
  for (std::size_t n = 1; n < most; n *= 2) {
    parts.push_back(n);
    if (n >= 2 && n + n / 2 < most)
      parts.push_back(n + n / 2);
  }
  parts.push_back(most);
  return parts;
}

/// Chunks of the same size, but for the last one.
struct Chunks {
  std::size_t extent = 1;
  std::size_t each = 1;

  static Chunks ofParts(std::size_t extent, std::size_t parts) {
    return {extent, std::max<std::size_t>(1, ceilDiv(extent, parts))};
  }
  std::size_t parts() const { return ceilDiv(extent, each); }
  std::size_t begin(std::size_t part) const { return part * each; }
  std::size_t end(std::size_t part) const {
    return std::min(extent, begin(part) + each);
  }
  std::size_t size(std::size_t part) const { return end(part) - begin(part); }
};

/// Division of two dimensions of a tile's block between its workers.
struct WorkerGrid {
  std::size_t outer = 1;
  std::size_t inner = 1;
};

/// The grid with the smallest largest piece; inner extents below
/// \p innerGrain cost as much as that.
inline WorkerGrid divideBetweenWorkers(std::size_t outer, std::size_t inner,
                                       std::size_t workers,
                                       std::size_t innerGrain) {
  WorkerGrid best;
  std::size_t bestCost = ~std::size_t(0);
  for (std::size_t o = 1; o <= std::min(workers, outer); ++o) {
    const std::size_t i = std::min(workers / o, inner);
    const std::size_t cost =
        ceilDiv(outer, o) * ceilDiv(ceilDiv(inner, i), innerGrain) * innerGrain;
    if (cost < bestCost) {
      best = {o, i};
      bestCost = cost;
    }
  }
  return best;
}

/// Assigns consecutive pieces of work to consecutive tiles, and the same number
/// to each tile if there are more pieces than tiles.
struct TileGrid {
  std::size_t pieces = 1;
  std::size_t tiles = 1;
  std::size_t firstTile = 0;

  unsigned tile(std::size_t piece) const {
    const std::size_t place = pieces <= tiles ? piece : piece * tiles / pieces;
    return static_cast<unsigned>((place + firstTile) % tiles);
  }
  std::size_t piecesPerTile() const { return ceilDiv(pieces, tiles); }
};

} // namespace poplibs

#endif
