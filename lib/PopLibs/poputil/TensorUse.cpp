// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mapping of tensors by who uses them. The elements of a variable are cut where
// the set of tiles that use them changes. What has one user goes to it; the
// segments with the same several users are put in a row and shared out among
// them in equal numbers of grains.

#include <poputil/TileMapping.hpp>

#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <set>

using namespace poplar;

namespace poputil {
namespace {

/// Elements that the same tiles use.
struct Segment {
  Interval elements;
  std::vector<unsigned> tiles;
};

using Uses = std::map<unsigned, std::vector<Interval>>;

std::vector<Segment> cutByUsers(const Uses &uses) {
  struct Change {
    std::size_t at;
    unsigned tile;
    bool begins;
  };
  std::vector<Change> changes;
  for (const auto &[tile, intervals] : uses) {
    std::vector<Interval> merged = intervals;
    mergeAdjacentRegions(merged);
    for (const Interval &interval : merged) {
      changes.push_back({interval.begin(), tile, true});
      changes.push_back({interval.end(), tile, false});
    }
  }
  std::sort(changes.begin(), changes.end(),
            [](const Change &a, const Change &b) { return a.at < b.at; });
  std::vector<Segment> segments;
  std::set<unsigned> users;
  std::size_t begin = 0;
  for (std::size_t i = 0; i != changes.size();) {
    const std::size_t at = changes[i].at;
    if (!users.empty() && begin != at)
      segments.push_back({Interval(begin, at),
                          std::vector<unsigned>(users.begin(), users.end())});
    for (; i != changes.size() && changes[i].at == at; ++i) {
      if (changes[i].begins)
        users.insert(changes[i].tile);
      else
        users.erase(changes[i].tile);
    }
    begin = at;
  }
  return segments;
}

/// Segments that cover the whole variable: each grows to the next one.
void extendToAll(std::vector<Segment> &segments, std::size_t elements) {
  for (std::size_t i = 0; i != segments.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : segments[i].elements.begin();
    const std::size_t end =
        i + 1 == segments.size() ? elements : segments[i + 1].elements.begin();
    segments[i].elements = Interval(begin, end);
  }
}

/// Gives what several tiles use to one of them that has a neighbour alone.
void giveToNeighbours(std::vector<Segment> &segments) {
  const auto takesFrom = [&](Segment &segment, const Segment &neighbour,
                             bool touches) {
    if (!touches || segment.tiles.size() == 1 || neighbour.tiles.size() != 1 ||
        !std::binary_search(segment.tiles.begin(), segment.tiles.end(),
                            neighbour.tiles[0]))
      return;
    segment.tiles = neighbour.tiles;
  };
  for (std::size_t i = 1; i < segments.size(); ++i)
    takesFrom(segments[i], segments[i - 1],
              segments[i - 1].elements.end() == segments[i].elements.begin());
  for (std::size_t i = segments.size(); i-- > 1;)
    takesFrom(segments[i - 1], segments[i],
              segments[i - 1].elements.end() == segments[i].elements.begin());
}

/// Shares out the segments of one set of tiles, in order.
void shareOut(const std::vector<Interval> &elements,
              const std::vector<unsigned> &tiles, unsigned grainSize,
              unsigned minElementsPerTile, Uses &result) {
  const auto shares =
      splitRegions(elements, grainSize, static_cast<unsigned>(tiles.size()),
                   minElementsPerTile);
  for (std::size_t i = 0; i != shares.size(); ++i) {
    auto &mine = result[tiles[i]];
    mine.insert(mine.end(), shares[i].begin(), shares[i].end());
  }
}

} // namespace

TensorUseTracker::TensorUseTracker(unsigned numTiles, unsigned startTile,
                                   bool ascending)
    : numTiles(numTiles), startTile(startTile), ascending(ascending) {}

void TensorUseTracker::add(const Graph &, unsigned tile, const Tensor &t) {
  if (tile >= numTiles)
    throw poplibs_error("poputil::TensorUseTracker: tile " +
                        std::to_string(tile) + " of " +
                        std::to_string(numTiles));
  for (const VariableInterval &part : t.flatten().getVarRegions())
    uses[part.var.id][tile].push_back(part.interval);
}

void TensorUseTracker::add(TensorUseTracker other) {
  if (other.numTiles != numTiles)
    throw poplibs_error(
        "poputil::TensorUseTracker: uses on " + std::to_string(other.numTiles) +
        " tiles were added to a tracker for " + std::to_string(numTiles));
  for (const auto &[variable, byTile] : other.uses)
    for (const auto &[tile, intervals] : byTile) {
      auto &mine = uses[variable][tile];
      mine.insert(mine.end(), intervals.begin(), intervals.end());
    }
}

bool TensorUseTracker::empty() const { return uses.empty(); }

void TensorUseTracker::resolve(const Graph &graph, unsigned grainSize,
                               unsigned minElementsPerTile,
                               bool extendPartialUsage,
                               MappingMethod mappingMethod) {
  if (grainSize == 0)
    throw poplibs_error("poputil::TensorUseTracker: the grain size is 0");
  for (auto &[variable, byTile] : uses) {
    std::vector<Segment> segments = cutByUsers(byTile);
    if (extendPartialUsage)
      extendToAll(segments,
                  graph.getVariable(VariableRef{variable}).numElements());
    if (mappingMethod == MappingMethod::OptimizeHaloRegions)
      giveToNeighbours(segments);
    std::map<std::vector<unsigned>, std::vector<Interval>> bySet;
    for (const Segment &segment : segments)
      bySet[segment.tiles].push_back(segment.elements);
    Uses result;
    for (auto &[set, elements] : bySet) {
      std::vector<unsigned> tiles = set;
      std::sort(tiles.begin(), tiles.end(), [&](unsigned a, unsigned b) {
        return transformTileIndex(a, numTiles, startTile, ascending) <
               transformTileIndex(b, numTiles, startTile, ascending);
      });
      shareOut(elements, tiles, grainSize, minElementsPerTile, result);
    }
    byTile = std::move(result);
  }
}

void TensorUseTracker::mapTensorsByUse(Graph &graph, unsigned grainSize,
                                       unsigned minElementsPerTile,
                                       bool extendPartialUsage,
                                       MappingMethod mappingMethod) {
  resolve(graph, grainSize, minElementsPerTile, extendPartialUsage,
          mappingMethod);
  for (const auto &[variable, byTile] : uses) {
    const Tensor elements = graph.getVariable(VariableRef{variable}).flatten();
    for (const auto &[tile, intervals] : byTile)
      for (const Interval &interval : intervals)
        graph.setTileMapping(elements.slice(interval), tile);
  }
}

} // namespace poputil
