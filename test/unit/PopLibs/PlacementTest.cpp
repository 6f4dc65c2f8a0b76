// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of tensors that keep their aliases, and mappings by use.

#include "Harness.h"

#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/VarStructure.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace test;

POPLIBS_INSTANTIATE_ON("cpu", "model7", "ipu7");

TEST_P(OnDevices, DuplicatesWithAliases) {
  Program p(GetParam());
  const Tensor in = p.input({3}, {1, 2, 3});
  const Tensor view = concat(in.broadcast(2, 0), in.reverse(0));
  const Tensor with =
      poputil::duplicate(p.graph, view, p.prog, "with",
                         TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES);
  const Tensor without = poputil::duplicate(p.graph, view, p.prog);
  EXPECT_TRUE(with.containsAliases());
  EXPECT_EQ(with[0].getVarRegions()[0].var, with[3].getVarRegions()[0].var);
  EXPECT_TRUE(with[0] == with[3] && with[0] == with[8]);
  EXPECT_FALSE(without.containsAliases());
  const auto first = p.output(with), second = p.output(without);
  p.run();
  const Values expected{1, 2, 3, 1, 2, 3, 3, 2, 1};
  expectNear(p.result(first), expected);
  expectNear(p.result(second), expected);
}

namespace {

/// Two IPUs of four tiles.
Device twoIpus() {
  IPUModel model;
  model.numIPUs = 2;
  model.tilesPerIPU = 4;
  return model.createDevice();
}

} // namespace

TEST(Placement, CopiesToOtherIpusWithAliases) {
  const Device device = twoIpus();
  Graph graph(device.getTarget());
  const Tensor in = graph.addConstant<float>(FLOAT, {3}, {1, 2, 3});
  graph.setTileMapping(in, 2);
  const Tensor view = in.broadcast(2, 0);
  program::Sequence prog;
  std::vector<Tensor> copies{poputil::copyToIpu(
      graph, view, prog, 1, {}, TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES)};
  Tensor from, to;
  copies.push_back(poputil::createIpuCopy(graph, view, 1, from, to));
  prog.add(program::Copy(from, to));
  EXPECT_EQ(to.numElements(), 3u);
  for (std::size_t i = 0; i != copies.size(); ++i) {
    EXPECT_TRUE(copies[i][1] == copies[i][4]) << i;
    EXPECT_FALSE(graph.getTileMapping(copies[i])[6].empty()) << i;
    graph.createHostRead("copy" + std::to_string(i), copies[i]);
  }
  Engine engine(graph, prog);
  engine.loadAndRun(device);
  for (const char *handle : {"copy0", "copy1"}) {
    std::vector<float> values(6);
    engine.readTensor(handle, values.data(), values.data() + 6);
    EXPECT_EQ(values, std::vector<float>({1, 2, 3, 1, 2, 3}));
  }
}

TEST(Placement, ClonesInOtherGraphs) {
  const Device device = twoIpus();
  Graph graph(device.getTarget()), other(device.getTarget());
  const Tensor a = graph.addVariable(FLOAT, {6});
  const Tensor b = graph.addVariable(FLOAT, {2});
  graph.setTileMapping(a, 1);
  graph.setTileMapping(b, 3);
  const Tensor t = concat({a.slice(2, 5), b, a.slice(2, 4)});
  const Tensor alike = poputil::cloneToGraph(
      graph, other, t, {}, TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES);
  EXPECT_EQ(alike.shape(), t.shape());
  EXPECT_TRUE(alike[0] == alike[5] && alike[1] == alike[6]);
  EXPECT_FALSE(alike[0] == alike[2]);
  EXPECT_EQ(other.getTileMapping(alike), graph.getTileMapping(t));
  EXPECT_FALSE(poputil::cloneToGraph(graph, other, t).containsAliases());
}

namespace {

/// The tile of each element.
std::vector<unsigned> tilesOf(const Graph &graph, const Tensor &t) {
  std::vector<unsigned> tiles(t.numElements(), ~0u);
  const auto mapping = graph.getTileMapping(t, false);
  for (unsigned tile = 0; tile != mapping.size(); ++tile)
    for (const Interval &interval : mapping[tile])
      std::fill(tiles.begin() + interval.begin(),
                tiles.begin() + interval.end(), tile);
  return tiles;
}

} // namespace

TEST(Placement, MapsByUse) {
  using poputil::TensorUseTracker;
  const Device device = twoIpus();
  using Method = TensorUseTracker::MappingMethod;
  for (const bool extend : {false, true})
    for (const Method method : {Method::None, Method::OptimizeHaloRegions,
                                Method::ConstrainMappingToUsedTiles}) {
      Graph graph(device.getTarget());
      const Tensor t = graph.addVariable(FLOAT, {4, 8});
      TensorUseTracker uses(8), more(8);
      EXPECT_TRUE(uses.empty());
      uses.add(graph, 5, t.flatten().slice(2, 12));
      more.add(graph, 1, t.flatten().slice(8, 20));
      uses.add(more);
      EXPECT_FALSE(uses.empty());
      uses.mapTensorsByUse(graph, 1, 1, extend, method);
      const auto tiles = tilesOf(graph, t.flatten());
      for (unsigned i = 0; i != 32; ++i)
        if (i < 2)
          EXPECT_EQ(tiles[i], extend ? 5 : ~0u) << i;
        else if (i < 8)
          EXPECT_EQ(tiles[i], 5u) << i;
        else if (i < 12)
          EXPECT_TRUE(tiles[i] == 5 || tiles[i] == 1) << i;
        else if (i < 20)
          EXPECT_EQ(tiles[i], 1u) << i;
        else
          EXPECT_EQ(tiles[i], extend ? 1 : ~0u) << i;
      // Two users share evenly, or a neighbour takes all.
      const auto ofFive = std::count(tiles.begin() + 8, tiles.begin() + 12, 5u);
      EXPECT_EQ(ofFive, method == Method::OptimizeHaloRegions ? 4 : 2);
    }
}

TEST(Placement, UsesOnTilesThatDoNotExist) {
  const Device device = twoIpus();
  Graph graph(device.getTarget());
  const Tensor t = graph.addVariable(FLOAT, {4});
  poputil::TensorUseTracker uses(8);
  EXPECT_THROW(uses.add(graph, 8, t), poputil::poplibs_error);
  EXPECT_THROW(uses.add(poputil::TensorUseTracker(4)), poputil::poplibs_error);
  EXPECT_THROW(uses.mapTensorsByUse(graph, 0, 1), poputil::poplibs_error);
}

TEST(Placement, PartitionsAreOneRegion) {
  const Device device = twoIpus();
  for (const Shape &parts :
       {Shape{1, 1, 1}, Shape{2, 3, 4}, Shape{5, 2, 3}, Shape{7, 1, 9}}) {
    Graph graph(device.getTarget());
    const Tensor t =
        poputil::createPartitionableTensor(graph, FLOAT, {5, 6, 7}, parts, "t");
    EXPECT_EQ(t.shape(), Shape({5, 6, 7}));
    EXPECT_TRUE(t.isParallelWriteable());
    std::size_t count = 0, elements = 0;
    poputil::iterateTensorPartitions(
        t, parts, [&](const Shape &, const Tensor &part) {
          ++count;
          elements += part.numElements();
          EXPECT_LE(part.flatten().getContiguousRegions().size(), 1u);
        });
    EXPECT_EQ(count, product(parts));
    EXPECT_EQ(elements, 210u);
  }
}
