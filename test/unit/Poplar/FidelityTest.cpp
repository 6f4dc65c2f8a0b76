// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The modelled machine beside figures that were published about the real one:
// what small programs measure on it is within 10 % of them. docs/fidelity.md
// lists all figures, with the reasons where the difference is larger.

#include <poplar/CycleCount.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>

using namespace poplar;

namespace {

/// The emulator with all tiles of a target.
class Machine {
public:
  explicit Machine(const std::string &name)
      : target(Target::createIPUTarget(1, name)),
        device(Device::createSimulatorDevice(target)) {}

  unsigned tiles() const { return target.getNumTiles(); }
  double clock() const { return target.getTileClockFrequency(); }

  /// Cycles of a program, without the sync in front of a counter.
  std::uint64_t
  cycles(const std::function<program::Sequence(Graph &)> &make) const {
    Graph graph(target);
    program::Sequence none, program = make(graph);
    graph.createHostRead("none", cycleCount(graph, none, 0));
    graph.createHostRead("count", cycleCount(graph, program, 0));
    program::Sequence all;
    all.add(none);
    all.add(program);
    Engine engine(graph, all);
    engine.load(device);
    engine.run();
    return read(engine, "count") - read(engine, "none");
  }

  Target target;
  Device device;

private:
  static std::uint64_t read(Engine &engine, const std::string &name) {
    std::uint32_t words[2];
    engine.readTensor(name, words, words + 2);
    return words[0] | std::uint64_t(words[1]) << 32;
  }
};

/// A copy of \p words words of each tile to the tile \p distance further on.
program::Sequence shift(Graph &graph, unsigned words, unsigned distance) {
  const unsigned tiles = graph.getTarget().getNumTiles();
  const Tensor from = graph.addVariable(FLOAT, {tiles, words}, "from");
  const Tensor to = graph.addVariable(FLOAT, {tiles, words}, "to");
  for (unsigned tile = 0; tile != tiles; ++tile) {
    graph.setTileMapping(from[tile], tile);
    graph.setTileMapping(to[tile], (tile + distance) % tiles);
  }
  graph.createHostRead("to", to); // so that it is needed
  graph.createHostWrite("from", from);
  return program::Sequence{program::Copy(from, to)};
}

void expectNear(double measured, double published, const char *what) {
  EXPECT_NEAR(measured, published, 0.1 * published) << what;
}

TEST(Fidelity, SizesAndClocks) {
  const Machine mk1("ipu1"), mk2("ipu2"), bow("ipu21");
  EXPECT_EQ(mk1.tiles(), 1216u);
  EXPECT_EQ(mk2.tiles(), 1472u);
  EXPECT_EQ(bow.tiles(), 1472u);
  EXPECT_EQ(mk1.target.getBytesPerTile(), 256u << 10);
  EXPECT_EQ(mk2.target.getBytesPerTile(), 624u << 10);
  EXPECT_EQ(mk1.target.getNumWorkerContexts(), 6u);
  EXPECT_EQ(mk1.clock(), 1.6e9);
  expectNear(mk2.clock(), 1.325e9, "clock of an M2000");
  EXPECT_EQ(bow.clock(), 1.85e9);
}

TEST(Fidelity, ExchangeBandwidth) {
  constexpr unsigned Words = 8192;
  for (const auto &[name, published] :
       {std::pair("ipu2", 7.8e12), std::pair("ipu21", 10.9e12)}) {
    const Machine machine(name);
    for (unsigned distance : {1u, 736u}) {
      const auto cycles = static_cast<double>(machine.cycles(
          [&](Graph &graph) { return shift(graph, Words, distance); }));
      const double bytes = 4.0 * Words * machine.tiles();
      expectNear(bytes / cycles * machine.clock(), published, name);
    }
  }
}

TEST(Fidelity, AWordAndItsSync) {
  // 100 ns for the sync, 52 cycles from send to arrival, and the word itself.
  const Machine machine("ipu2");
  const auto cycles = static_cast<double>(
      machine.cycles([&](Graph &graph) { return shift(graph, 1, 1); }));
  expectNear(cycles, 100e-9 * machine.clock() + 52 + 1, "a word");
}

TEST(Fidelity, CopiesWithinATile) {
  // 288 cycles for the call and 8 bytes a cycle.
  constexpr unsigned Words = 8192;
  const Machine machine("ipu2");
  const auto cycles = static_cast<double>(
      machine.cycles([&](Graph &graph) { return shift(graph, Words, 0); }));
  expectNear(cycles, 288 + 4.0 * Words / 8, "a copy");
}

} // namespace
