// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers to tiles that are kept for them take place while the other tiles
// compute. Vertices take the cycles that the test gives them.

#include "test/unit/Poplar/TestArchive.h"

#include <poplar/CycleCount.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

using namespace poplar;
using program::Copy;
using program::Execute;
using program::Repeat;
using program::Sequence;

namespace {

constexpr unsigned TilesPerIpu = 64;
constexpr unsigned Elements = 400; // of a transfer, on each tile
constexpr std::uint64_t Launch = 11;

class IoTilesTest : public ::testing::Test {
protected:
  explicit IoTilesTest(unsigned ipus = 2) {
    IPUModel model;
    model.numIPUs = ipus;
    model.tilesPerIPU = TilesPerIpu;
    device = model.createDevice();
    graph = Graph(device.getTarget());
    graph.addCodelets(testArchive());
  }

  /// Data on \p tiles tiles of an IPU from its 32nd on.
  Tensor onIoTiles(unsigned ipu = 0, unsigned tiles = 32) {
    const Tensor t = graph.addVariable(INT, {tiles, Elements}, "data");
    for (unsigned i = 0; i != tiles; ++i)
      graph.setTileMapping(t[i], ipu * TilesPerIpu + 32 + i);
    return t;
  }
  Copy load(const Tensor &t) {
    const std::string name = "in" + std::to_string(streams.size());
    streams[name].resize(t.numElements());
    return Copy(graph.addHostToDeviceFIFO(name, INT, t.numElements()), t);
  }
  Copy store(const Tensor &t) {
    const std::string name = "out" + std::to_string(streams.size());
    streams[name].resize(t.numElements());
    return Copy(t, graph.addDeviceToHostFIFO(name, INT, t.numElements()));
  }

  /// A compute set on the first tile of an IPU. \p cycles is 5 more than a
  /// multiple of six.
  Execute work(std::uint64_t cycles, unsigned ipu = 0) {
    const Tensor in = graph.addVariable(INT, {}), out = graph.clone(in);
    graph.setTileMapping(in, ipu * TilesPerIpu);
    graph.setTileMapping(out, ipu * TilesPerIpu);
    const ComputeSet set = graph.addComputeSet("work");
    const VertexRef vertex =
        graph.addVertex(set, "Copy", {{"in", in}, {"out", out}});
    graph.setTileMapping(vertex, ipu * TilesPerIpu);
    EXPECT_EQ((cycles - Launch) % 6, 0u);
    graph.setCycleEstimate(vertex, (cycles - Launch) / 6);
    return Execute(set);
  }

  std::uint64_t cyclesOf(const program::Program &program) {
    Engine engine(
        graph, program,
        {{"debug.instrument", "true"}, {"debug.verifyLowering", "true"}});
    engine.load(device);
    for (auto &[name, data] : streams)
      engine.connectStream(name, data.data());
    engine.run();
    return engine.getExecutionProfile()["cycles"]["total"].asUint();
  }

  /// The time of a transfer of onIoTiles(): sync, round trip and the link.
  static constexpr std::uint64_t Transfer = 600 + 1330 + 4324;

  Device device;
  Graph graph;
  std::map<std::string, std::vector<std::int32_t>> streams;
};

} // namespace

TEST_F(IoTilesTest, ATransferTakesNoTimeBesideLongerWork) {
  EXPECT_EQ(cyclesOf(Sequence(load(onIoTiles()), work(10'001))), 10'001u);
  EXPECT_EQ(cyclesOf(Sequence(work(10'001), load(onIoTiles()))), 10'001u);
  EXPECT_EQ(cyclesOf(Sequence(store(onIoTiles()), work(10'001))), 10'001u);
}

TEST_F(IoTilesTest, TheLongerOfTheTwoDecides) {
  EXPECT_EQ(cyclesOf(Sequence(load(onIoTiles()), work(1'001))), Transfer);
  const Sequence several(load(onIoTiles()), work(3'005), store(onIoTiles()),
                         work(3'005));
  EXPECT_EQ(cyclesOf(several), 2 * Transfer);
}

// Data cannot be used before the transfer has brought them.
TEST_F(IoTilesTest, ComputeTilesWaitForDataThatTheyTake) {
  const Tensor data = onIoTiles();
  const Tensor word = graph.addVariable(INT, {});
  graph.setTileMapping(word, 0);
  const std::uint64_t cycles = cyclesOf(
      Sequence(load(data), work(1'001), Copy(data[0][0], word), work(1'001)));
  EXPECT_GT(cycles, Transfer + 1'001);
  EXPECT_LT(cycles, Transfer + 1'001 + 300); // a sync and a word
}

// Rounds that load the data of the next one while they work, to within 2 %.
TEST_F(IoTilesTest, ALoopTakesTheLongerOfTransferAndWork) {
  const Tensor data = onIoTiles();
  const Tensor copy = graph.addVariable(INT, {32, Elements}, "copy");
  for (unsigned i = 0; i != 32; ++i)
    graph.setTileMapping(copy[i], i);
  for (const std::uint64_t cycles : {1'001, 90'005}) {
    const Sequence round(Copy(data, copy), load(data), work(cycles));
    const std::uint64_t each = std::max(cycles, Transfer);
    const std::uint64_t exchange = 133 + 52 + Elements + 2;
    const std::uint64_t expected = Transfer + 10 * (each + exchange);
    const std::uint64_t found =
        cyclesOf(Sequence(load(data), Repeat(10, round)));
    EXPECT_GE(found, expected);
    EXPECT_LE(found, expected * 102 / 100);
  }
}

TEST_F(IoTilesTest, RemoteBuffersOverlapToo) {
  const RemoteBuffer buffer =
      graph.addRemoteBuffer("buffer", INT, 32 * Elements, 2);
  const Tensor row = graph.addConstant(UNSIGNED_INT, {1}, 1);
  graph.setTileMapping(row, 0);
  const Tensor data = onIoTiles();
  const Sequence all(Copy(buffer, data, row), work(10'001),
                     Copy(data, buffer, row), work(10'001));
  // The second transfer follows the row, which the compute tiles know then.
  EXPECT_EQ(cyclesOf(all), 20'002u);
}

// Each IPU has its own, and exchanges of the compute tiles do not wait for
// them.
TEST_F(IoTilesTest, EachIpuHasItsOwn) {
  const Tensor zero = graph.addVariable(INT, {}), one = graph.clone(zero);
  graph.setTileMapping(zero, 0);
  graph.setTileMapping(one, TilesPerIpu);
  const Sequence all(load(onIoTiles(0)), load(onIoTiles(1)), work(9'005),
                     Copy(zero, one), work(9'005, 1));
  EXPECT_EQ(cyclesOf(all), 600 + 333 + 9'005u);
}

TEST_F(IoTilesTest, CyclesCountedOnTheDeviceWaitForTransfers) {
  Sequence all(load(onIoTiles()), work(1'001));
  const Tensor count = cycleCount(graph, all, 0, SyncType::INTERNAL);
  graph.createHostRead("count", count);
  Engine engine(graph, all);
  engine.load(device);
  for (auto &[name, data] : streams)
    engine.connectStream(name, data.data());
  engine.run();
  std::uint64_t cycles = 0;
  engine.readTensor("count", &cycles, &cycles + 1);
  EXPECT_GE(cycles, Transfer);
  EXPECT_LE(cycles, Transfer * 102 / 100 + 200);
}

// Too few tiles, or tiles that compute, are no I/O tiles.
TEST_F(IoTilesTest, OtherTransfersTakeTheirTime) {
  EXPECT_GT(cyclesOf(Sequence(load(onIoTiles(0, 31)), work(10'001))), 12'000u);
  const Tensor data = onIoTiles();
  const ComputeSet set = graph.addComputeSet("all");
  for (unsigned i = 0; i != 32; ++i)
    graph.setTileMapping(
        graph.addVertex(set, "Copy", {{"in", data[i][0]}, {"out", data[i][1]}}),
        32 + i);
  EXPECT_GT(cyclesOf(Sequence(load(data), Execute(set), work(10'001))),
            12'000u);
}
