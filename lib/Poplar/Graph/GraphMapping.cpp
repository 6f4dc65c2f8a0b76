// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// poplar::Graph: which tile holds what, and the order of a tensor's elements in
// memory.

#include "lib/Poplar/Graph/Access.h"

#include <algorithm>
#include <tuple>

namespace poplar {

using core::Access;
using core::TensorView;

void Graph::setTileMapping(const Tensor &tensor, unsigned tile) {
  if (!impl->isCpu() && tile >= target.getNumTiles())
    throw invalid_tile_mapping(tensor.getDebugStr() + " was mapped to tile " +
                               std::to_string(tile) +
                               ", but the graph's target has " +
                               std::to_string(target.getNumTiles()) + " tiles");
  const unsigned physical = convertVirtualTileToPhysicalTile(tile);
  Access::view(*impl, tensor)
      .forEachInterval([&](std::uint32_t variable, std::uint64_t begin,
                           std::uint64_t count) {
        if (impl->variables[variable].allReplicasOf != core::None)
          throw invalid_tile_mapping(
              tensor.getDebugStr() +
              " is all replicas of a tensor; map that tensor in the replicated "
              "graph");
        impl->variables[variable].tiles.set(begin, begin + count, physical);
      });
}

void Graph::setTileMapping(const Tensor &tensor,
                           const TileToTensorMapping &mapping) {
  const Tensor flat = tensor.flatten();
  for (std::size_t tile = 0; tile != mapping.size(); ++tile)
    for (const Interval &interval : mapping[tile])
      setTileMapping(flat.slice(interval), static_cast<unsigned>(tile));
}

Graph::TileToTensorMapping Graph::getTileMapping(const Tensor &tensor,
                                                 bool requireComplete,
                                                 bool allowExternal) const {
  bool isComplete = false;
  TileToTensorMapping mapping =
      getTileMapping(tensor, &isComplete, allowExternal);
  if (requireComplete && !isComplete)
    throw invalid_tile_mapping("some elements of " + tensor.getDebugStr() +
                               " are not mapped to a tile; use "
                               "Graph::setTileMapping");
  return mapping;
}

Graph::TileToTensorMapping Graph::getTileMapping(const Tensor &tensor,
                                                 bool *isComplete,
                                                 bool allowExternal) const {
  // From the tiles of the whole graph to those of this view of it.
  std::vector<unsigned> toVirtual;
  if (!tiles.empty()) {
    toVirtual.assign(impl->target.getNumTiles(), core::None);
    for (unsigned i = 0; i != tiles.size(); ++i)
      toVirtual[tiles[i]] = i;
  }
  TileToTensorMapping mapping(target.getNumTiles());
  std::size_t position = 0, mapped = 0;
  Access::view(*impl, tensor)
      .forEachInterval([&](std::uint32_t variable, std::uint64_t begin,
                           std::uint64_t count) {
        impl->forEachTile(
            variable, begin, begin + count,
            [&](std::uint64_t from, std::uint64_t to, std::uint32_t physical) {
              mapped += to - from;
              const unsigned tile = !toVirtual.empty() ? toVirtual[physical]
                                    : physical < mapping.size() ? physical
                                                                : core::None;
              if (tile == core::None) {
                if (!allowExternal)
                  throw invalid_tile_mapping(
                      "elements of " + tensor.getDebugStr() + " are on tile " +
                      std::to_string(physical) +
                      ", which is not in this part of the graph");
                return;
              }
              const std::size_t first = position + (from - begin);
              std::vector<Interval> &intervals = mapping[tile];
              if (!intervals.empty() && intervals.back().end() == first)
                intervals.back() =
                    Interval(intervals.back().begin(), first + (to - from));
              else
                intervals.emplace_back(first, first + (to - from));
            });
        position += count;
      });
  if (isComplete)
    *isComplete = mapped == position;
  return mapping;
}

// ---- Order in memory --------------------------------------------------------

namespace {

/// Part of a flattened tensor that is a run of a variable.
struct Part {
  std::uint32_t variable;
  std::uint64_t begin;
  Interval interval;
};

std::vector<Part> partsOf(const Tensor &flat, ArrayRef<Interval> intervals) {
  std::vector<Part> parts;
  for (const Interval &interval : intervals) {
    std::size_t position = interval.begin();
    const Tensor slice = flat.slice(interval);
    Access::view(slice).forEachInterval([&](std::uint32_t variable,
                                            std::uint64_t begin,
                                            std::uint64_t count) {
      parts.push_back({variable, begin, Interval(position, position + count)});
      position += count;
    });
  }
  return parts;
}

} // namespace

std::vector<std::vector<Interval>> Graph::getSortedContiguousRegions(
    const Tensor &tensor, ArrayRef<Interval> intervals,
    bool removeAliasedIntervals, std::vector<std::size_t> *aliases) const {
  std::vector<Part> parts = partsOf(tensor.flatten(), intervals);
  std::stable_sort(
      parts.begin(), parts.end(), [](const Part &a, const Part &b) {
        return std::tie(a.variable, a.begin) < std::tie(b.variable, b.begin);
      });
  std::vector<std::vector<Interval>> regions;
  std::uint32_t variable = core::None;
  std::uint64_t end = 0;
  for (const Part &part : parts) {
    const std::uint64_t partEnd = part.begin + part.interval.size();
    if (removeAliasedIntervals && part.variable == variable && partEnd <= end) {
      if (aliases)
        aliases->push_back(part.interval.begin());
      continue;
    }
    if (part.variable != variable || part.begin != end)
      regions.emplace_back();
    std::vector<Interval> &region = regions.back();
    if (!region.empty() && region.back().end() == part.interval.begin())
      region.back() = Interval(region.back().begin(), part.interval.end());
    else
      region.push_back(part.interval);
    variable = part.variable;
    end = partEnd;
  }
  return regions;
}

void Graph::reorderToSimplify(Tensor *reference, ArrayRef<Tensor *> others,
                              bool) const {
  std::vector<Tensor *> all(others.begin(), others.end());
  all.push_back(reference);
  for (const Tensor *tensor : all) {
    if (!tensor)
      throw poplar_error("reorderToSimplify: there is no tensor");
    if (tensor->rank() != 1 ||
        tensor->numElements() != reference->numElements())
      throw poplar_error("reorderToSimplify: " + tensor->getDebugStr() +
                         " and " + reference->getDebugStr() +
                         " are not vectors of the same size");
  }
  const auto regions = getSortedContiguousRegions(
      *reference, {Interval(0, reference->numElements())});
  std::vector<Interval> order;
  for (const std::vector<Interval> &region : regions)
    order.insert(order.end(), region.begin(), region.end());
  if (order.size() <= 1)
    return;
  for (Tensor *tensor : all)
    *tensor = concat(tensor->slices(order));
}

} // namespace poplar
