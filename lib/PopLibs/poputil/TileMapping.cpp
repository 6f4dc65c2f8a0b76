// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spreads tensors over tiles. A linear mapping gives every tile in use the same
// number of grains, but for one: the first tiles have the extra grains.

#include <poputil/TileMapping.hpp>

#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <numeric>

using namespace poplar;

namespace poputil {
namespace {

using Mapping = std::vector<std::vector<Interval>>;

constexpr unsigned MinBytesPerTile = 128;

std::size_t ceilDiv(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

std::size_t product(const std::vector<std::size_t> &shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t(1),
                         std::multiplies<>());
}

unsigned grainOf(const Target &target, const Type &type) {
  return std::max(1u, target.getVectorWidth(type));
}

unsigned minElementsOf(const Target &target, const Type &type) {
  return std::max<std::size_t>(1, MinBytesPerTile / target.getTypeSize(type));
}

/// Number of tiles that share \p elements with at least \p minElements each.
std::size_t tilesInUse(std::size_t elements, std::size_t grains,
                       std::size_t minElements, std::size_t numTiles) {
  if (elements == 0)
    return 0;
  return std::clamp<std::size_t>(elements /
                                     std::max<std::size_t>(1, minElements),
                                 1, std::min(grains, numTiles));
}

} // namespace

Mapping calcLinearTileMapping(const Target &target,
                              const std::vector<std::size_t> &shape,
                              unsigned minElementsPerTile, unsigned grainSize,
                              unsigned offset, bool ascending) {
  if (grainSize == 0)
    throw poplibs_error("calcLinearTileMapping: the grain size is 0");
  const std::size_t numTiles = target.getNumTiles();
  const std::size_t elements = product(shape);
  const std::size_t grains = ceilDiv(elements, grainSize);
  const std::size_t used =
      tilesInUse(elements, grains, minElementsPerTile, numTiles);
  Mapping mapping(numTiles);
  for (std::size_t i = 0, begin = 0; i != used; ++i) {
    const std::size_t count = grains / used + (i < grains % used);
    const std::size_t end = std::min(begin + count * grainSize, elements);
    const std::size_t place = ascending ? i : numTiles - 1 - i;
    mapping[(place + offset) % numTiles].emplace_back(begin, end);
    begin = end;
  }
  return mapping;
}

Mapping calcLinearTileMapping(const Graph &graph,
                              const std::vector<std::size_t> &shape,
                              unsigned minElementsPerTile, unsigned grainSize,
                              unsigned offset, bool ascending) {
  return calcLinearTileMapping(graph.getTarget(), shape, minElementsPerTile,
                               grainSize, offset, ascending);
}

Mapping calcLinearTileMapping(const Target &target,
                              const std::vector<std::size_t> &shape,
                              const Type &type, unsigned offset,
                              bool ascending) {
  return calcLinearTileMapping(target, shape, minElementsOf(target, type),
                               grainOf(target, type), offset, ascending);
}

Mapping calcLinearTileMapping(const Graph &graph, const Tensor &t,
                              unsigned offset, bool ascending) {
  return calcLinearTileMapping(graph.getTarget(), t.shape(), t.elementType(),
                               offset, ascending);
}

std::pair<Mapping, unsigned>
calcLinearTileMappingAndNewOffset(const Graph &graph, const Tensor &t,
                                  unsigned offset) {
  Mapping mapping = calcLinearTileMapping(graph, t, offset);
  const std::size_t used =
      std::count_if(mapping.begin(), mapping.end(),
                    [](const auto &regions) { return !regions.empty(); });
  return {std::move(mapping),
          (offset + used) % graph.getTarget().getNumTiles()};
}

void mapTensorLinearly(Graph &graph, const Tensor &t) {
  graph.setTileMapping(t, calcLinearTileMapping(graph, t));
}

void mapTensorLinearly(Graph &graph, const Tensor &t,
                       unsigned minElementsPerTile, unsigned grainSize) {
  mapTensorLinearlyWithOffset(graph, t, minElementsPerTile, grainSize);
}

void mapTensorLinearlyWithOffset(Graph &graph, const Tensor &t, unsigned offset,
                                 bool ascending) {
  graph.setTileMapping(t, calcLinearTileMapping(graph, t, offset, ascending));
}

void mapTensorLinearlyWithOffset(Graph &graph, const Tensor &t,
                                 unsigned minElementsPerTile,
                                 unsigned grainSize, unsigned offset,
                                 bool ascending) {
  graph.setTileMapping(t, calcLinearTileMapping(graph, t.shape(),
                                                minElementsPerTile, grainSize,
                                                offset, ascending));
}

std::size_t chooseMappingOffset(std::size_t numTiles,
                                const std::vector<std::size_t> &shape,
                                std::size_t seed) {
  // FNV-1a over the extents.
  std::uint64_t hash = 14695981039346656037ull ^ seed;
  for (std::size_t extent : shape)
    hash = (hash ^ extent) * 1099511628211ull;
  hash ^= hash >> 32;
  return numTiles == 0 ? 0 : hash % numTiles;
}

unsigned getTileImbalance(const Mapping &mapping, unsigned minElementsPerTile,
                          unsigned grainSize) {
  std::size_t largest = 0, total = 0;
  for (const auto &regions : mapping) {
    const std::size_t elements = intervalSequenceNumElements(regions);
    largest = std::max(largest, elements);
    total += elements;
  }
  if (mapping.empty())
    return 0;
  const std::size_t grains = ceilDiv(total, grainSize);
  const std::size_t even = std::max<std::size_t>(
      ceilDiv(grains, mapping.size()) * grainSize, minElementsPerTile);
  return largest > even ? largest - even : 0;
}

unsigned getTileImbalance(const Graph &graph, const Tensor &t,
                          unsigned minElementsPerTile, unsigned grainSize) {
  return getTileImbalance(graph.getTileMapping(t), minElementsPerTile,
                          grainSize);
}

bool dimIsSplitOverTiles(const Graph &graph, const Tensor &t, unsigned dim) {
  if (dim >= t.rank())
    throw poplibs_error("dimIsSplitOverTiles: dimension " +
                        std::to_string(dim) + " of a tensor of shape " +
                        t.shapeToString());
  const Tensor rolled = t.dimRoll(dim, t.rank() - 1);
  const std::size_t extent = t.dim(dim);
  for (const auto &regions : graph.getTileMapping(rolled))
    for (const Interval &region : regions)
      if (region.begin() % extent != 0 || region.end() % extent != 0)
        return true;
  return false;
}

} // namespace poputil
