// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Time on several IPUs: work on different IPUs overlaps, and IPUs wait for each
// other only where they exchange data or decide together. Vertices take the
// cycles that the test gives them, so the expected times are sums by hand.

#include "test/unit/Poplar/TestArchive.h"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <pva/pva.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

using namespace poplar;
using program::Copy;
using program::Execute;
using program::Sequence;

namespace {

constexpr unsigned TilesPerIpu = 4;
constexpr std::uint64_t Launch = 11;       // of a vertex
constexpr std::uint64_t GlobalSync = 600;  // with other IPUs or the host
constexpr std::uint64_t LinkLatency = 333; // 250 ns
constexpr std::uint64_t Decision = 6;

class IpuClocksTest : public ::testing::Test {
protected:
  explicit IpuClocksTest(unsigned ipus = 4) {
    IPUModel model;
    model.numIPUs = ipus;
    model.tilesPerIPU = TilesPerIpu;
    device = model.createDevice();
    graph = Graph(device.getTarget());
    graph.addCodelets(testArchive());
    for (unsigned ipu = 0; ipu != ipus; ++ipu) {
      words.push_back(graph.addVariable(INT, {}, "word"));
      graph.setTileMapping(words.back(), ipu * TilesPerIpu);
      results.push_back(graph.addVariable(INT, {}, "result"));
      graph.setTileMapping(results.back(), ipu * TilesPerIpu);
    }
  }

  /// A compute set whose vertex takes \p cycles on \p ipu. The estimate of a
  /// vertex counts bundles, so \p cycles is 5 more than a multiple of six.
  Execute work(unsigned ipu, std::uint64_t cycles) {
    const ComputeSet set = graph.addComputeSet("work");
    const VertexRef vertex = graph.addVertex(
        set, "Copy", {{"in", words[ipu]}, {"out", results[ipu]}});
    graph.setTileMapping(vertex, ipu * TilesPerIpu);
    EXPECT_EQ((cycles - Launch) % 6, 0u);
    graph.setCycleEstimate(vertex, (cycles - Launch) / 6);
    return Execute(set);
  }

  /// A word from an IPU to another one.
  Copy send(unsigned from, unsigned to) {
    return Copy(results[from], words[to]);
  }
  static constexpr std::uint64_t SendCycles = GlobalSync + LinkLatency;

  /// Cycles of a run; the loop of the host around it takes none.
  std::uint64_t cyclesOf(const program::Program &program) {
    Engine engine(
        graph, program,
        {{"debug.instrument", "true"}, {"debug.verifyLowering", "true"}});
    engine.load(device);
    connect(engine);
    engine.run();
    return engine.getExecutionProfile()["cycles"]["total"].asUint();
  }

  std::function<void(Engine &)> connect = [](Engine &) {};
  Device device;
  Graph graph;
  std::vector<Tensor> words, results; // by IPU
};

TEST_F(IpuClocksTest, IndependentWorkOverlaps) {
  Sequence all;
  for (unsigned i = 0; i != 10; ++i)
    for (unsigned ipu = 0; ipu != 4; ++ipu)
      all.add(work(ipu, 1001 + 102 * ipu));
  EXPECT_EQ(cyclesOf(all), 10 * 1307u);
}

TEST_F(IpuClocksTest, AnExchangeOfTwoDelaysNoThird) {
  const Sequence all(work(0, 1001), send(0, 1), work(1, 203), work(2, 1505));
  EXPECT_EQ(cyclesOf(all), 1001 + SendCycles + 203);
  const Sequence longer(work(0, 1001), send(0, 1), work(2, 5003), send(2, 3));
  EXPECT_EQ(cyclesOf(longer), 5003 + SendCycles);
}

// IPU 1 cannot receive before it has arrived, and IPU 0 waits for it.
TEST_F(IpuClocksTest, IpusThatExchangeWaitForEachOther) {
  const Sequence all(work(1, 4001), work(0, 1001), send(0, 1), work(0, 53));
  EXPECT_EQ(cyclesOf(all), 4001 + SendCycles + 53);
}

TEST_F(IpuClocksTest, APipelineTakesItsSlowestStage) {
  // Each round, a stage works on what the one before sent in the last round.
  Sequence round;
  for (unsigned ipu = 4; ipu-- != 0;)
    round.add(work(ipu, 10'001));
  for (unsigned ipu = 3; ipu-- != 0;)
    round.add(send(ipu, ipu + 1));
  const std::uint64_t cycles = cyclesOf(program::Repeat(20, round));
  // The first and last IPU send or receive once a round, others twice.
  EXPECT_GE(cycles, 20 * (10'001 + SendCycles));
  EXPECT_LE(cycles, 20 * (10'001 + 3 * SendCycles + Decision));
}

// The same written stage after stage, as a program of one IPU would be: the
// first stage goes on with the next round while the others are at work.
TEST_F(IpuClocksTest, StagesInSequenceOverlapFromRoundToRound) {
  Sequence round;
  for (unsigned ipu = 0; ipu != 4; ++ipu) {
    round.add(work(ipu, 10'001));
    if (ipu != 3)
      round.add(send(ipu, ipu + 1));
  }
  const std::uint64_t cycles = cyclesOf(program::Repeat(20, round));
  EXPECT_GT(cycles, (20 + 3) * (10'001 + SendCycles));
  EXPECT_LE(cycles, (20 + 3) * (10'001 + 2 * SendCycles + Decision));
}

// Each stage is built in a virtual graph of its own.
TEST_F(IpuClocksTest, StagesMayBeVirtualGraphs) {
  Sequence round;
  for (unsigned ipu = 4; ipu-- != 0;) {
    Graph stage =
        graph.createVirtualGraph(ipu * TilesPerIpu, (ipu + 1) * TilesPerIpu);
    const ComputeSet set = stage.addComputeSet("work");
    const VertexRef vertex = stage.addVertex(
        set, "Copy", {{"in", words[ipu]}, {"out", results[ipu]}});
    stage.setTileMapping(vertex, 0);
    stage.setCycleEstimate(vertex, (10'001 - Launch) / 6);
    round.add(Execute(set));
  }
  for (unsigned ipu = 3; ipu-- != 0;)
    round.add(send(ipu, ipu + 1));
  EXPECT_LE(cyclesOf(program::Repeat(20, round)),
            20 * (10'001 + 3 * SendCycles + Decision));
}

// Filled and flushed, beside the same work on one IPU.
TEST_F(IpuClocksTest, APipelineOfFourTakesAboutAThird) {
  constexpr unsigned Rounds = 20, Stages = 4;
  Sequence pipeline, onOne;
  for (unsigned cycle = 0; cycle != Rounds + Stages - 1; ++cycle) {
    for (unsigned ipu = 0; ipu != Stages; ++ipu)
      if (cycle >= ipu && cycle < ipu + Rounds) {
        pipeline.add(work(ipu, 10'001));
        onOne.add(work(0, 10'001));
      }
    for (unsigned ipu = Stages - 1; ipu-- != 0;)
      if (cycle >= ipu && cycle < ipu + Rounds)
        pipeline.add(send(ipu, ipu + 1));
  }
  const auto cycles = static_cast<double>(cyclesOf(pipeline));
  const double part = cycles / static_cast<double>(cyclesOf(onOne));
  EXPECT_GT(part, 1.0 / Stages);
  EXPECT_LT(part, 0.35);
}

TEST_F(IpuClocksTest, ADecisionOnDataIsTakenTogether) {
  const Tensor flag = words[0];
  const Sequence all(
      work(1, 3005),
      program::If(flag, Sequence(), Sequence(work(1, 101), work(2, 701))));
  // IPUs 0, 1 and 2 take part, and 0 has arrived long before.
  EXPECT_EQ(cyclesOf(all), 3005 + GlobalSync + Decision + 701);
  const Sequence alone(work(1, 3005),
                       program::If(flag, Sequence(), Sequence(work(0, 101))));
  EXPECT_EQ(cyclesOf(alone), 3005u);
}

// An empty branch involves no IPU, not IPU 0.
TEST_F(IpuClocksTest, ADecisionOfOneIpuDelaysNoOther) {
  const Sequence all(work(0, 9005),
                     program::If(words[1], Sequence(), Sequence(work(1, 101))),
                     work(1, 101));
  EXPECT_EQ(cyclesOf(all), 9005u);
}

TEST_F(IpuClocksTest, EachIpuHasALinkToTheHost) {
  connect = [](Engine &engine) {
    static std::vector<std::int32_t> data(4'000);
    for (const char *name : {"one", "two"})
      engine.connectStream(name, data.data());
  };
  const auto stream = [&](const char *name, unsigned ipus) {
    const Tensor data = graph.addVariable(INT, {ipus, 1000}, name);
    for (unsigned ipu = 0; ipu != ipus; ++ipu)
      graph.setTileMapping(data[ipu], ipu * TilesPerIpu + 1);
    const DataStream from =
        graph.addHostToDeviceFIFO(name, INT, data.numElements());
    return Copy(from, data);
  };
  const Sequence both(stream("one", 1), work(0, 1001), stream("two", 4));
  const std::uint64_t alone = 600 + 1330 + 1000; // sync, round trip, busy tile
  EXPECT_EQ(cyclesOf(both), 2 * alone + 1001);
}

TEST_F(IpuClocksTest, EachReplicaHasALinkToTheHost) {
  static std::vector<std::int32_t> data(4'000);
  connect = [](Engine &engine) {
    engine.connectStream("in", data.data(), data.data() + data.size());
  };
  for (const unsigned replicas : {1, 2, 4}) {
    graph = Graph(device.getTarget(), replication_factor(replicas));
    const Tensor own = graph.addVariable(INT, {1000}, "own");
    graph.setTileMapping(own, 1);
    const DataStream in = graph.addHostToDeviceFIFO("in", INT, 1000);
    EXPECT_EQ(cyclesOf(Copy(in, own)), 600 + 1330 + 1000u) << replicas;
  }
}

TEST_F(IpuClocksTest, StreamCopiesInARowAreOneTransaction) {
  static std::vector<std::int32_t> data(1000);
  connect = [](Engine &engine) {
    for (const char *name : {"a", "b", "c", "d"})
      engine.connectStream(name, data.data());
  };
  Sequence copies;
  for (const char *name : {"a", "b", "c", "d"}) {
    const Tensor word = graph.addVariable(INT, {1}, name);
    graph.setTileMapping(word, 1);
    copies.add(Copy(graph.addHostToDeviceFIFO(name, INT, 1), word));
  }
  EXPECT_EQ(cyclesOf(copies), GlobalSync + 1330 + 4u);
  // The other direction is another transaction, and so is another IPU's.
  const Tensor there = graph.addVariable(INT, {1}, "there");
  graph.setTileMapping(there, TilesPerIpu);
  copies.add(Copy(there, graph.addDeviceToHostFIFO("out", INT, 1)));
  connect = [inputs = connect](Engine &engine) {
    inputs(engine);
    engine.connectStream("out", data.data());
  };
  EXPECT_EQ(cyclesOf(copies), GlobalSync + 1330 + 4u);
}

// IPU 1 reads what IPU 0 has written, although its own clock is far behind.
TEST_F(IpuClocksTest, RemoteBuffersAreReadAfterTheyAreWritten) {
  const RemoteBuffer buffer = graph.addRemoteBuffer("buffer", INT, 1);
  const Sequence all(work(0, 50'003), Copy(results[0].flatten(), buffer),
                     Copy(buffer, words[1].flatten()));
  const std::uint64_t transfer = GlobalSync + 1330 + 1;
  EXPECT_EQ(cyclesOf(all), 50'003 + 2 * transfer);
}

TEST_F(IpuClocksTest, ReportsHaveADomainForEachIpu) {
  Engine engine(graph, Sequence(work(0, 1001), work(2, 305), send(2, 3)),
                {{"debug.instrument", "true"}});
  engine.load(device);
  engine.run();
  const ProfileValue profile = engine.getExecutionProfile();
  EXPECT_EQ(profile["cycles"]["total"].asUint(), 305 + SendCycles);
  const pva::Report report = engine.getReport();
  std::uint64_t steps = 0;
  for (const auto &run : report.execution().runs())
    steps += run.steps().size();
  EXPECT_GE(steps, 3u);
}

} // namespace
