// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cycle counters as tensors: the count of a program is what the stamps around
// it say, wherever the counter begins.

#include <poplar/CycleCount.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <gtest/gtest.h>

#include <cstdint>

using namespace poplar;

namespace {

class CycleCountTest : public ::testing::Test {
protected:
  CycleCountTest() {
    IPUModel model;
    model.tilesPerIPU = 2;
    device = model.createDevice();
    graph = Graph(device.getTarget());
    from = graph.addVariable(FLOAT, {1000}, "from");
    to = graph.addVariable(FLOAT, {1000}, "to");
    graph.setTileMapping(from, 0);
    graph.setTileMapping(to, 1);
  }

  /// A program that takes some time: copies from tile to tile.
  program::Sequence copies(unsigned count) {
    program::Sequence result;
    for (unsigned i = 0; i != count; ++i)
      result.add(program::Copy(from, to));
    return result;
  }

  void readLater(const Tensor &counter, const std::string &name) {
    graph.createHostRead(name, counter);
  }
  std::uint64_t read(Engine &engine, const std::string &name) {
    std::uint32_t words[2];
    engine.readTensor(name, words, words + 2);
    return words[0] | std::uint64_t(words[1]) << 32;
  }

  Device device;
  Graph graph;
  Tensor from, to;
};

TEST_F(CycleCountTest, CountsOnlyWhatItSurrounds) {
  program::Sequence one = copies(1), three = copies(3), none;
  readLater(cycleCount(graph, one, 0), "one");
  readLater(cycleCount(graph, three, 1), "three");
  readLater(cycleCount(graph, none, 0), "none");
  program::Sequence all;
  all.add(copies(5));
  all.add(one);
  all.add(three);
  all.add(none);
  Engine engine(graph, all);
  engine.load(device);
  for (unsigned run = 0; run != 2; ++run) {
    engine.run();
    const std::uint64_t base = read(engine, "none");
    const std::uint64_t copy = read(engine, "one") - base;
    EXPECT_GT(base, 0u) << "the sync";
    EXPECT_GE(copy, 1000u) << "4,000 bytes at 4 bytes a cycle";
    EXPECT_LT(copy, 1500u);
    EXPECT_EQ(read(engine, "three") - base, 3 * copy);
  }
}

TEST_F(CycleCountTest, AgreesWithStamps) {
  program::Sequence counted = copies(2);
  readLater(cycleCount(graph, counted, 0), "count");
  program::Sequence all;
  readLater(cycleStamp(graph, all, 0), "before");
  all.add(copies(2));
  readLater(cycleStamp(graph, all, 0), "after");
  all.add(counted);
  Engine engine(graph, all);
  engine.load(device);
  engine.run();
  // The first stamp's own cycles are within the difference of two stamps.
  const std::uint64_t difference =
      read(engine, "after") - read(engine, "before");
  EXPECT_GT(difference, read(engine, "count"));
  EXPECT_LE(difference, read(engine, "count") + 6);
}

} // namespace
