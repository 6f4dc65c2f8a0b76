// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The helpers of poputil, and padding, which is a view: no device is needed for
// most of them.

#include "Harness.h"

#include <popops/Pad.hpp>
#include <poputil/Broadcast.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/Util.hpp>
#include <poputil/VarStructure.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poputil;
using namespace test;

namespace {

using Regions = std::vector<Interval>;

/// Checks that the mapping covers all elements once, in order from the offset.
void expectCovers(const std::vector<Regions> &mapping, std::size_t elements) {
  Regions all = flattenIntervals(mapping);
  std::sort(all.begin(), all.end());
  std::size_t next = 0;
  for (const Interval &interval : all) {
    EXPECT_EQ(interval.begin(), next);
    next = interval.end();
  }
  EXPECT_EQ(next, elements);
}

} // namespace

TEST(TileMapping, LinearIsEvenAndComplete) {
  const Target target = Target::createIPUTarget(1, 10, "ipu2");
  for (std::size_t elements : {0u, 1u, 31u, 32u, 33u, 100u, 1001u}) {
    const auto mapping = calcLinearTileMapping(target, {elements}, 8, 4);
    ASSERT_EQ(mapping.size(), 10u);
    expectCovers(mapping, elements);
    for (const Regions &regions : mapping)
      for (const Interval &interval : regions) {
        EXPECT_EQ(interval.begin() % 4, 0u);
        // 8, less what the last grain lacks.
        EXPECT_GE(interval.size(), elements >= 8 ? 5u : 1u);
      }
    // No more than a grain above an even spread over the tiles in use.
    EXPECT_LE(getTileImbalance(mapping, 16, 4), 4u);
  }
}

TEST(TileMapping, OffsetAndOrder) {
  const Target target = Target::createIPUTarget(1, 4, "ipu2");
  const auto up = calcLinearTileMapping(target, {4}, 1, 1, 3);
  EXPECT_EQ(up[3], (Regions{{0, 1}}));
  EXPECT_EQ(up[0], (Regions{{1, 2}}));
  const auto down = calcLinearTileMapping(target, {4}, 1, 1, 0, false);
  EXPECT_EQ(down[3], (Regions{{0, 1}}));
  EXPECT_EQ(down[0], (Regions{{3, 4}}));
}

TEST(TileMapping, SmallTensorsStayTogether) {
  const Target target = Target::createIPUTarget(1, 100, "ipu2");
  // 128 bytes are 32 floats.
  const auto mapping = calcLinearTileMapping(target, {63}, FLOAT);
  EXPECT_EQ(mapping[0], (Regions{{0, 63}}));
}

TEST(TileMapping, SplitOverTiles) {
  Program p("model7");
  const Tensor t = p.graph.addVariable(FLOAT, {7, 4});
  for (unsigned i = 0; i != 7; ++i)
    p.graph.setTileMapping(t[i], i);
  EXPECT_TRUE(dimIsSplitOverTiles(p.graph, t, 0));
  EXPECT_FALSE(dimIsSplitOverTiles(p.graph, t, 1));
}

TEST(Regions, Merge) {
  Regions regions{{5, 7}, {0, 2}, {2, 3}, {9, 9}};
  mergeAdjacentRegions(regions);
  EXPECT_EQ(regions, (Regions{{0, 3}, {5, 7}}));
}

TEST(Regions, Split) {
  const Regions regions{{0, 10}, {20, 23}};
  const auto parts = splitRegions(regions, 2, 3);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0], (Regions{{0, 6}}));
  EXPECT_EQ(parts[1], (Regions{{6, 10}, {20, 22}}));
  EXPECT_EQ(parts[2], (Regions{{22, 23}}));
  EXPECT_EQ(splitRegions(regions, 1, 6, 100).size(), 1u);
  EXPECT_EQ(splitRegions(regions, 1, 1, 0, 4).size(), 4u);
  for (const Regions &part : splitRegions(regions, 1, 1, 0, UINT_MAX, 3))
    for (const Interval &interval : part)
      EXPECT_LE(interval.size(), 3u);
  EXPECT_TRUE(splitRegions(Regions(), 1, 6).empty());
}

TEST(Util, Indices) {
  const Shape shape{3, 4, 5};
  EXPECT_EQ(unflattenIndex(shape, 37), (Shape{1, 3, 2}));
  EXPECT_EQ(flattenIndex(shape, Shape{1, 3, 2}), 37u);
  EXPECT_EQ(balancedPartition(7, 3), (std::vector<int>{3, 2, 2}));
}

TEST(Util, FactorDims) {
  Program p("cpu");
  const Tensor t =
      p.graph.addVariable(FLOAT, {2, 6, 4}, VariableMappingMethod::LINEAR);
  const Tensor factored = factorDims(t, {3, 2}, 1);
  EXPECT_EQ(factored.shape(), (Shape{2, 2, 2, 3, 2}));
  EXPECT_EQ(factored[1][1][0][2][1], t[1][5][1]);
  EXPECT_EQ(unfactorDims(factored, 2, 1), t);
  EXPECT_THROW(factorDims(t, {5}, 1), poplibs_error);
}

TEST(Util, Broadcast) {
  Program p("cpu");
  Tensor a = p.graph.addVariable(FLOAT, {3, 1}, VariableMappingMethod::LINEAR);
  Tensor b =
      p.graph.addVariable(FLOAT, {2, 1, 4}, VariableMappingMethod::LINEAR);
  EXPECT_TRUE(canBroadcastToMatch(a, b));
  broadcastToMatch(a, b);
  EXPECT_EQ(a.shape(), (Shape{2, 3, 4}));
  EXPECT_EQ(b.shape(), (Shape{2, 3, 4}));
  Tensor c = p.graph.addVariable(FLOAT, {5}, VariableMappingMethod::LINEAR);
  EXPECT_FALSE(canBroadcastToMatch(a, c));
  EXPECT_THROW(broadcastToMatch(a, c), poplibs_error);
  EXPECT_THROW(broadcastToMatch(c, {2}), poplibs_error);
}

TEST(Util, VertexNames) {
  EXPECT_EQ(templateVertex("ns::V", FLOAT, true, 3, "ns::E::A", UNSIGNED_INT),
            "ns::V<float,true,3,ns::E::A,unsigned int>");
}

TEST(Util, Options) {
  bool flag = false;
  unsigned number = 0;
  double share = 0;
  const poplibs::OptionSpec spec{
      {"flag", poplibs::OptionHandler::createWithBool(flag)},
      {"number", poplibs::OptionHandler::createWithInteger(number)},
      {"share", poplibs::OptionHandler::createWithDouble(share, 0, 1)}};
  spec.parse({{"flag", "true"}, {"number", "0x10"}, {"share", "0.5"}});
  EXPECT_TRUE(flag);
  EXPECT_EQ(number, 16u);
  EXPECT_EQ(share, 0.5);
  for (const auto &[key, value] :
       std::map<std::string, std::string>{{"flags", "true"},
                                          {"flag", "1"},
                                          {"number", "-1"},
                                          {"share", "1.5"}})
    try {
      spec.parse(key, value);
      ADD_FAILURE() << key << " " << value;
    } catch (const poplar::invalid_option &e) {
      EXPECT_NE(std::string(e.what()).find(key), std::string::npos);
    }
  EXPECT_NO_THROW(spec.parse("flags", "true", true));
}

TEST(Util, OptionLists) {
  enum class Colour { Red, Green };
  std::vector<unsigned> sizes;
  std::vector<double> shares;
  std::vector<std::string> names;
  unsigned char small = 0;
  Colour colour = Colour::Red;
  std::optional<double> share;
  std::optional<Colour> maybe = Colour::Red;
  const std::map<std::string, Colour> colours{{"red", Colour::Red},
                                              {"green", Colour::Green}};
  using poplibs::OptionHandler;
  const poplibs::OptionSpec spec{
      {"sizes", OptionHandler::createWithList(sizes)},
      {"shares", OptionHandler::createWithList(shares)},
      {"names", OptionHandler::createWithList(names)},
      {"small", OptionHandler::createWithInteger(small)},
      {"colour", OptionHandler::createWithEnum(colour, colours)},
      {"share", poplibs::createOptionalDoubleHandler(share)},
      {"maybe", poplibs::createOptionalEnumHandler(maybe, colours)}};
  spec.parse({{"sizes", "1,0x20,3"},
              {"shares", "0.5"},
              {"names", "a,b"},
              {"small", "7"},
              {"colour", "green"},
              {"share", "0.25"},
              {"maybe", "none"}});
  EXPECT_EQ(sizes, (std::vector<unsigned>{1, 32, 3}));
  EXPECT_EQ(shares, std::vector<double>{0.5});
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(small, 7);
  EXPECT_EQ(colour, Colour::Green);
  EXPECT_EQ(share, 0.25);
  EXPECT_FALSE(maybe);
  spec.parse({{"share", "none"}, {"maybe", "green"}, {"names", ""}});
  EXPECT_FALSE(share);
  EXPECT_EQ(maybe, Colour::Green);
  EXPECT_TRUE(names.empty());
  EXPECT_THROW(spec.parse("sizes", "1,x"), poplar::invalid_option);
  EXPECT_THROW(spec.parse("colour", "blue"), poplar::invalid_option);
  EXPECT_THROW(spec.parse("share", "some"), poplar::invalid_option);
}

TEST(Util, PartitionableTensors) {
  Program p("model7");
  const Shape shape{5, 6, 3}, parts{2, 3, 1};
  const Tensor t =
      poputil::createPartitionableTensor(p.graph, FLOAT, shape, parts);
  ASSERT_EQ(t.shape(), shape);
  std::size_t visited = 0, elements = 0;
  poputil::iterateTensorPartitions(
      t, parts, [&](const Shape &index, const Tensor &part) {
        EXPECT_EQ(index.size(), 3u);
        EXPECT_EQ(part.flatten().getContiguousRegions().size(), 1u);
        p.graph.setTileMapping(part, visited++);
        elements += part.numElements();
      });
  EXPECT_EQ(visited, 6u);
  EXPECT_EQ(elements, t.numElements());
  const Values values = randomIntegers(t.numElements());
  p.write(t, values);
  expectNear(p.valuesOf(t), values);
  EXPECT_THROW(
      poputil::createPartitionableTensor(p.graph, FLOAT, shape, {2, 3}),
      poplibs_error);
}

TEST(TileMapping, NewOffsetsAndOtherIPUs) {
  IPUModel model;
  model.numIPUs = 2;
  model.tilesPerIPU = 8;
  Device device = model.createDevice();
  Graph graph(device.getTarget()), other(device.getTarget());
  const Tensor t = graph.addVariable(FLOAT, {4 * 32}, "t");
  const auto [mapping, next] =
      poputil::calcLinearTileMappingAndNewOffset(graph, t, 3);
  EXPECT_EQ(mapping, poputil::calcLinearTileMapping(graph, t, 3));
  EXPECT_EQ(next, 7u);
  graph.setTileMapping(t, mapping);
  const std::size_t offset = poputil::chooseMappingOffset(16, {3, 4});
  EXPECT_LT(offset, 16u);
  EXPECT_EQ(offset, poputil::chooseMappingOffset(16, {3, 4}));
  const Tensor turned = t.reshape({4, 32}).transpose();
  const Tensor clone = poputil::cloneToGraph(graph, other, turned);
  EXPECT_EQ(clone.shape(), turned.shape());
  EXPECT_EQ(other.getTileMapping(clone), graph.getTileMapping(turned));
  EXPECT_EQ(clone.transpose().flatten().getContiguousRegions().size(), 1u);
  EXPECT_EQ(poputil::cloneToGraph(graph, other, t.broadcast(2, 0)).shape(),
            Shape{256});
  const Tensor there = poputil::cloneToIpu(graph, t.slice(0, 32), 1);
  const auto places = graph.getTileMapping(there);
  EXPECT_EQ(places[8 + 3].size(), 1u);
}

TEST(Util, Duplicate) {
  Program p("model7");
  const Tensor t = p.input({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const Tensor copy = duplicate(p.graph, t.transpose(), p.prog);
  EXPECT_FALSE(copy.intersectsWith(t));
  expectNear(p.valuesOf(copy), {1, 4, 7, 2, 5, 8, 3, 6, 9});
}

/// The padding of 1.4 MB is on one tile, which has less memory.
TEST(Pad, LargePaddingNeedsLittleMemory) {
  Program p("model7");
  const Tensor t = p.input({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor padded = popops::pad(p.graph, t, {0, 0}, {398, 897}, 1.0f);
  const auto corner = p.output(padded.slice({1, 2}, {3, 5}));
  const auto last = p.output(padded.slice({399, 898}, {400, 900}));
  p.run();
  expectNear(p.result(corner), {6, 1, 1, 1, 1, 1});
  expectNear(p.result(last), {1, 1});
}

TEST(Pad, ConstantsAndTruncation) {
  Program p("model7");
  const Tensor t = p.input({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto padded = p.output(popops::pad(
      p.graph, t, {1, -1}, {0, 2}, 9.0f, popops::padding::MappingMethod::EDGE));
  const auto edge =
      p.output(popops::pad(t, 1, 1, 1, popops::padding::Type::EDGE));
  const auto reflected =
      p.output(popops::pad(t, 2, 0, 1, popops::padding::Type::REFLECT));
  p.run();
  expectNear(p.result(padded), {9, 9, 9, 9, 2, 3, 9, 9, 5, 6, 9, 9});
  expectNear(p.result(edge), {1, 1, 2, 3, 3, 4, 4, 5, 6, 6});
  expectNear(p.result(reflected), {3, 2, 1, 2, 3, 6, 5, 4, 5, 6});
  EXPECT_THROW(popops::pad(p.graph, t, std::vector<std::ptrdiff_t>{0},
                           std::vector<std::ptrdiff_t>{0}, 0.0f),
               poplibs_error);
  EXPECT_THROW(popops::pad(p.graph, t, {0, -2}, {0, -2}, 0.0f), poplibs_error);
  EXPECT_THROW(popops::pad(t, 3, 0, 1, popops::padding::Type::REFLECT),
               poplibs_error);
}
