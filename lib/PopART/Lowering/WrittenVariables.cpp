// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reader wants weights on as many tiles as have different parts of them; a
// convolution with few channels wants them on one or two, and sends them on
// from there. An update is computed where the weight is, so one tile would do
// all of it. Spread weights are sent from many tiles instead, in pieces that
// are as contiguous as before.

#include "lib/PopART/Lowering/WrittenVariables.h"

#include "lib/PopART/IR/VarUpdate.h"

#include <poputil/TileMapping.hpp>

#include <algorithm>

namespace populus::popir {

namespace {

/// Elements of a tile that are not worth another one.
constexpr std::size_t Few = 32;
/// Elements of one piece: 32 bytes of halves.
constexpr unsigned Grain = 16;

std::size_t largestPart(const poplar::Graph::TileToTensorMapping &mapping) {
  std::size_t largest = 0;
  for (const auto &intervals : mapping) {
    std::size_t elements = 0;
    for (const poplar::Interval &interval : intervals)
      elements += interval.size();
    largest = std::max(largest, elements);
  }
  return largest;
}

} // namespace

std::unordered_set<const Variable *> writtenVariables(const Module &module) {
  std::unordered_set<const Variable *> written;
  for (const Graph &graph : module.graphs())
    for (const Op *op : graph.ops())
      if (isVarUpdate(*op) && op->input(0).variable())
        written.insert(op->input(0).variable());
  return written;
}

void spreadIfCrowded(poplar::Graph &graph, const poplar::Tensor &variable) {
  const std::size_t tiles = graph.getTarget().getNumTiles();
  const std::size_t even = (variable.numElements() + tiles - 1) / tiles;
  if (largestPart(graph.getTileMapping(variable)) <= 2 * std::max(even, Few))
    return;
  const poplar::Tensor flat = variable.flatten();
  std::vector<poplar::Interval> inMemory;
  for (const auto &region : graph.getSortedContiguousRegions(
           flat, {poplar::Interval(0, flat.numElements())}))
    inMemory.insert(inMemory.end(), region.begin(), region.end());
  poputil::mapTensorLinearly(graph, poplar::concat(flat.slices(inMemory)), Few,
                             Grain);
}

} // namespace populus::popir
