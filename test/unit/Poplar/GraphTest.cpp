// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tile mapping, clones, order in memory, virtual graphs, values, programs as
// values, and what devices there are.

#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <gtest/gtest.h>

#include <random>
#include <sstream>

using namespace poplar;

namespace {

class GraphTest : public ::testing::Test {
protected:
  Graph graph{Target::createIPUTarget(1, 4, "ipu2")};
};

TEST_F(GraphTest, TileMappingAgainstAList) {
  std::mt19937 random(3);
  const auto pick = [&](std::size_t least, std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(least, most)(random);
  };
  const Tensor variable = graph.addVariable(INT, {50}, "v");
  std::vector<unsigned> tiles(50, ~0u);
  for (int i = 0; i != 300; ++i) {
    const std::size_t begin = pick(0, 49), end = pick(begin, 50);
    const unsigned tile = pick(0, 3);
    graph.setTileMapping(variable.slice(begin, end), tile);
    std::fill(tiles.begin() + begin, tiles.begin() + end, tile);
    std::vector<unsigned> found(50, ~0u);
    const auto mapping = graph.getTileMapping(variable, false);
    for (unsigned t = 0; t != mapping.size(); ++t)
      for (const Interval &interval : mapping[t])
        std::fill(found.begin() + interval.begin(),
                  found.begin() + interval.end(), t);
    ASSERT_EQ(found, tiles);
  }
}

TEST_F(GraphTest, MappingOfAView) {
  const Tensor variable = graph.addVariable(INT, {4, 2}, "v");
  for (unsigned i = 0; i != 4; ++i)
    graph.setTileMapping(variable[i], i);
  const auto mapping = graph.getTileMapping(variable.transpose());
  EXPECT_EQ(mapping[1], (std::vector<Interval>{{1, 2}, {5, 6}}));
  EXPECT_THROW(graph.getTileMapping(graph.addVariable(INT, {1})),
               invalid_tile_mapping);
}

TEST_F(GraphTest, LinearMapping) {
  const Tensor variable =
      graph.addVariable(UNSIGNED_CHAR, {10}, VariableMappingMethod::LINEAR);
  const auto mapping = graph.getTileMapping(variable);
  // Whole words: four bytes each.
  EXPECT_EQ(mapping[0], (std::vector<Interval>{{0, 4}}));
  EXPECT_EQ(mapping[2], (std::vector<Interval>{{8, 10}}));
}

TEST_F(GraphTest, CloneKeepsOrderAndMapping) {
  const Tensor variable = graph.addVariable(INT, {6, 4}, "v");
  graph.setTileMapping(variable.slice(0, 3), 1);
  graph.setTileMapping(variable.slice(3, 6), 2);
  const Tensor view = variable.slice(1, 5).transpose();
  const Tensor clone = graph.clone(FLOAT, view, "clone");
  EXPECT_EQ(clone.elementType(), FLOAT);
  EXPECT_EQ(clone.shape(), view.shape());
  EXPECT_EQ(graph.getTileMapping(clone), graph.getTileMapping(view));
  // The transposed clone is one piece, as the view's memory is.
  EXPECT_TRUE(clone.transpose().isContiguous());
  EXPECT_FALSE(clone.intersectsWith(view));
  const Tensor twice = variable.slice(0, 1).broadcast(3, 0);
  EXPECT_FALSE(graph.clone(twice).containsAliases());
  EXPECT_TRUE(
      graph.clone(twice, "c", TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES)
          .containsAliases());
}

TEST_F(GraphTest, SortedContiguousRegions) {
  const Tensor a = graph.addVariable(INT, {10}, "a");
  const Tensor shuffled =
      concat({a.slice(5, 10), a.slice(2, 5), a.slice(0, 1)});
  EXPECT_EQ(graph.getSortedContiguousRegions(shuffled, {{0, 9}}),
            (std::vector<std::vector<Interval>>{{{8, 9}}, {{5, 8}, {0, 5}}}));
  Tensor simple = shuffled;
  graph.reorderToSimplify(&simple, {});
  EXPECT_EQ(simple.getContiguousRegions().size(), 2u);
}

TEST_F(GraphTest, VirtualGraphs) {
  Graph upper = graph.createVirtualGraph(2, 4);
  EXPECT_EQ(upper.getTarget().getNumTiles(), 2u);
  const Tensor variable = upper.addVariable(INT, {2}, "v");
  upper.setTileMapping(variable, 1);
  EXPECT_EQ(graph.getTileMapping(variable)[3], (std::vector<Interval>{{0, 2}}));
  EXPECT_EQ(upper.getTileMapping(variable)[1], (std::vector<Interval>{{0, 2}}));
  EXPECT_THROW(upper.setTileMapping(variable, 2), invalid_tile_mapping);
}

TEST_F(GraphTest, ConstantsAreConverted) {
  const auto value = [&](const Tensor &constant) {
    double number = 0;
    EXPECT_TRUE(constant.getConstantValue(&number));
    return number;
  };
  EXPECT_EQ(value(graph.addConstant(UNSIGNED_SHORT, {}, -1)), 65535);
  EXPECT_EQ(value(graph.addConstant(HALF, {}, 0.1)), 0.0999755859375);
  EXPECT_EQ(value(graph.addConstant(INT, {}, 2.9f)), 2);
  EXPECT_EQ(value(graph.addConstant(BOOL, {}, 7)), 1);
  EXPECT_EQ(value(graph.addConstant(FLOAT, {}, true)), 1);
  EXPECT_EQ(value(graph.addConstantHalf(HALF, {}, 0x3c00)), 1);
  EXPECT_EQ(value(graph.addConstant(LONGLONG, {}, -5)), -5);
}

TEST_F(GraphTest, SequencesAreValues) {
  program::Sequence inner;
  const Tensor v = graph.addVariable(INT, {1}, "v");
  inner.add(program::PrintTensor("first", v));
  program::Sequence outer;
  outer.add(inner);
  inner.add(program::PrintTensor("second", v));
  std::ostringstream text;
  dumpProgram(graph, outer, text);
  EXPECT_EQ(text.str().find("Sequence\n  Sequence\n    PrintTensor"), 0u)
      << text.str();
  EXPECT_EQ(text.str().rfind("PrintTensor"), text.str().find("PrintTensor"));
}

TEST(Devices, EmulatedIpusOfAnySize) {
  const DeviceManager manager = DeviceManager::createDeviceManager();
  for (unsigned count : {1u, 3u, 16u}) {
    const auto devices = manager.getDevices(TargetType::IPU, count);
    ASSERT_EQ(devices.size(), 1u);
    const Target &target = devices[0].getTarget();
    EXPECT_EQ(target.getNumIPUs(), count);
    EXPECT_EQ(target.getTilesPerIPU(), 1472u);
    EXPECT_TRUE(devices[0].attach());
    EXPECT_TRUE(manager.getDevice(devices[0].getId()).getTarget() == target);
  }
  EXPECT_EQ(IPUModel("ipu1").createDevice().getTarget().getNumTiles(), 1216u);
  EXPECT_THROW(IPUModel("ipu3"), invalid_machine_model);
}

TEST(Options, FromJson) {
  OptionFlags flags{{"a", "1"}};
  readJSON(R"({"b": true, "c": "x", "d": 3})", flags);
  EXPECT_EQ(flags,
            (OptionFlags{{"a", "1"}, {"b", "true"}, {"c", "x"}, {"d", "3"}}));
  EXPECT_THROW(readJSON("{", flags), parse_error);
  EXPECT_THROW(readJSON("[1]", flags), parse_error);
}

TEST(Profile, ValuesAndJson) {
  const ProfileValue value = ProfileValue::Map{
      {"list", ProfileValue::Vector{1, "two", false, 2.5}}, {"name", "x"}};
  std::ostringstream text;
  serializeToJSON(text, value);
  EXPECT_EQ(text.str(), R"({"list":[1,"two",false,2.5],"name":"x"})");
  EXPECT_EQ(value["list"][1].asString(), "two");
  EXPECT_THROW(value["name"].asInt(), poplar_error);
}

TEST(Debug, NamesNest) {
  const DebugNameAndId outer("outer");
  const DebugContext inner(outer, "inner");
  EXPECT_EQ(inner.getPathName(), "outer/inner");
  EXPECT_EQ(DebugNameAndId(inner).getPathName(), "outer/inner");
  const std::uint32_t line = __LINE__ + 1;
  const DebugContext here("x");
  EXPECT_EQ(here.getLocation().getLineNumber(), line);
}

} // namespace
