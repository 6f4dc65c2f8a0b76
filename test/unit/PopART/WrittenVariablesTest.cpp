// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mapping of variables that a program writes: a crowded variable is spread
// in the order of its memory; others keep their mapping.

#include "lib/PopART/Lowering/WrittenVariables.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace populus::popir;

namespace {

constexpr unsigned Tiles = 16;

poplar::Graph makeGraph() {
  return poplar::Graph(poplar::Target::createIPUTarget(1, Tiles, "ipu2"));
}

std::vector<std::size_t> parts(const poplar::Graph &graph,
                               const poplar::Tensor &t) {
  std::vector<std::size_t> result;
  for (const auto &intervals : graph.getTileMapping(t)) {
    std::size_t elements = 0;
    for (const poplar::Interval &interval : intervals)
      elements += interval.size();
    result.push_back(elements);
  }
  return result;
}

TEST(WrittenVariables, ACrowdedOneIsSpread) {
  poplar::Graph graph = makeGraph();
  // A convolution's layout: the last dimension is outermost in memory.
  const poplar::Tensor variable =
      graph.addVariable(poplar::FLOAT, {64, 8, 8}, "weights");
  graph.setTileMapping(variable, 3);
  const poplar::Tensor view = variable.dimShuffle({2, 1, 0});
  spreadIfCrowded(graph, view);
  EXPECT_EQ(parts(graph, view), std::vector<std::size_t>(Tiles, 4096 / Tiles));
  // A tile's part is contiguous.
  for (const auto &intervals : graph.getTileMapping(variable))
    EXPECT_EQ(intervals.size(), 1u);
}

TEST(WrittenVariables, OthersStay) {
  poplar::Graph graph = makeGraph();
  const poplar::Tensor small = graph.addVariable(poplar::FLOAT, {64}, "bias");
  graph.setTileMapping(small, 5);
  const poplar::Tensor halves =
      graph.addVariable(poplar::FLOAT, {2, 4096}, "weights");
  for (unsigned tile = 0; tile != Tiles; ++tile)
    graph.setTileMapping(halves.flatten().slice(512 * tile, 512 * (tile + 1)),
                         tile / 2 * 2);
  const auto before = parts(graph, halves);
  spreadIfCrowded(graph, small);
  spreadIfCrowded(graph, halves);
  EXPECT_EQ(parts(graph, small)[5], 64u);
  EXPECT_EQ(parts(graph, halves), before);
}

} // namespace
