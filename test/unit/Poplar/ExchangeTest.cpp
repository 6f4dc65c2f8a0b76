// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchanges that are not made: copies that follow each other are done at once,
// and copies whose two sides can have the same memory not at all. What a
// program computes must not depend on it. Modelled cycles show it: a sync and
// the latency for each exchange, nothing for none.

#include "test/unit/Poplar/DeviceKinds.h"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <algorithm>
#include <numeric>
#include <optional>

using namespace poplar;
using namespace poplar::program;

namespace {

using Numbers = std::vector<std::int32_t>;

class ExchangeTest : public ::testing::TestWithParam<TargetType> {
protected:
  static constexpr unsigned Tiles = 4, Size = 16;
  /// Cycles of an exchange between tiles before any data is sent.
  static constexpr std::uint64_t Sync = 133;

  ExchangeTest()
      : device(makeDevice(GetParam(), Tiles)), graph(device.getTarget()) {}

  Tensor add(const std::string &name, unsigned tile) {
    const Tensor tensor = graph.addVariable(INT, {Size}, name);
    graph.setTileMapping(tensor, tile);
    return tensor;
  }
  /// Adds a variable that the host reads and writes by its name.
  Tensor addVisible(const std::string &name, unsigned tile) {
    const Tensor tensor = add(name, tile);
    graph.createHostWrite(name, tensor);
    graph.createHostRead(name, tensor);
    return tensor;
  }

  void compile(const Program &program) {
    engine.emplace(graph, program);
    engine->load(device);
  }
  void write(const std::string &name, int first) {
    Numbers numbers(Size);
    std::iota(numbers.begin(), numbers.end(), first);
    engine->writeTensor(name, numbers.data(), numbers.data() + Size);
  }
  void expect(const std::string &name, int first) {
    Numbers numbers(Size), expected(Size);
    engine->readTensor(name, numbers.data(), numbers.data() + Size);
    std::iota(expected.begin(), expected.end(), first);
    EXPECT_EQ(numbers, expected) << name;
  }
  /// Runs a program on three variables, on tiles of their own: `a`, which has
  /// numbers from 1 on, `b` from 100 on, and `c`.
  template <typename Make> void runWithThree(Make make) {
    const Tensor a = addVisible("a", 0), b = addVisible("b", 1);
    const Tensor c = addVisible("c", 2);
    compile(make(a, b, c));
    write("a", 1);
    write("b", 100);
    engine->run();
  }
  /// Cycles of an activity in the last run.
  std::uint64_t cycles(const char *activity) {
    return engine->getExecutionProfile()["cycles"][activity].asUint();
  }

  Device device;
  Graph graph;
  std::optional<Engine> engine;
};

TEST_P(ExchangeTest, CopiesThatFollowEachOtherAreOneExchange) {
  const Tensor a = addVisible("a", 0), b = addVisible("b", 1);
  const Tensor c = addVisible("c", 2), d = addVisible("d", 3);
  compile(Sequence{Copy(a, c), Sequence{Copy(b, d)}});
  write("a", 1);
  write("b", 100);
  engine->run();
  expect("c", 1);
  expect("d", 100);
  EXPECT_EQ(cycles("sync"), Sync);
  EXPECT_EQ(cycles("exchange"), 52u + Size + 2);
}

TEST_P(ExchangeTest, ACopyThatNeedsAnotherOnesResultWaits) {
  runWithThree([](Tensor a, Tensor b, Tensor c) {
    return Sequence{Copy(a, b), Copy(b, c)};
  });
  expect("c", 1);
  EXPECT_EQ(cycles("sync"), 2 * Sync);
}

TEST_P(ExchangeTest, ACopyThatOverwritesAnotherOnesSourceWaits) {
  runWithThree([](Tensor a, Tensor b, Tensor c) {
    return Sequence{Copy(b, c), Copy(a, b)};
  });
  expect("b", 1);
  expect("c", 100);
  EXPECT_EQ(cycles("sync"), 2 * Sync);
}

TEST_P(ExchangeTest, TheLastOfTwoCopiesToOnePlaceCounts) {
  runWithThree([](Tensor a, Tensor b, Tensor c) {
    return Sequence{Copy(a, c), Copy(b, c)};
  });
  expect("c", 100);
}

TEST_P(ExchangeTest, ACopyOfWhatIsNotNeededAnyMoreIsLeftOut) {
  const Tensor in = addVisible("in", 0), out = addVisible("out", 0);
  const Tensor x = add("x", 1), y = add("y", 1), z = add("z", 1);
  compile(Sequence{Copy(in, x), Copy(x, y), Copy(y, z), Copy(z, out)});
  write("in", 1);
  engine->run();
  expect("out", 1);
  EXPECT_EQ(cycles("exchange"), 2 * (52u + Size + 2));
  EXPECT_EQ(cycles("sync"), 2 * Sync);
}

TEST_P(ExchangeTest, AChangedCopyLeavesTheOldValue) {
  const Tensor in = addVisible("in", 0), out = addVisible("out", 0);
  const Tensor old = addVisible("old", 0);
  const Tensor x = add("x", 1), y = add("y", 1);
  const Tensor one = graph.addConstant<int>(INT, {Size}, 1);
  graph.setTileMapping(one, 2);
  compile(Sequence{Copy(in, x), Copy(x, y), Copy(one, y), Copy(x, old),
                   Copy(y, out)});
  write("in", 5);
  engine->run();
  expect("old", 5);
  Numbers numbers(Size);
  engine->readTensor("out", numbers.data(), numbers.data() + Size);
  EXPECT_EQ(numbers, Numbers(Size, 1));
}

TEST_P(ExchangeTest, ValuesGoRoundALoop) {
  const Tensor in = addVisible("in", 0), out = addVisible("out", 0);
  const Tensor x = add("x", 1), y = add("y", 1), z = add("z", 1);
  // x and y change places three times.
  compile(Sequence{Copy(in, x), Copy(x.reverse(0), y),
                   Repeat(3, Sequence{Copy(x, z), Copy(y, x), Copy(z, y)}),
                   Copy(y, out)});
  write("in", 7);
  engine->run();
  expect("out", 7);
}

/// Systems of several IPUs: each computes on what it was sent by the one before
/// it, through its own virtual graph.
TEST_P(ExchangeTest, ARingOfIpus) {
  for (unsigned ipus : {2u, 4u, 16u}) {
    const Device system = makeDevice(GetParam(), Tiles, ipus);
    Graph all(system.getTarget());
    std::vector<Tensor> parts;
    for (unsigned ipu = 0; ipu != ipus; ++ipu) {
      Graph own = all.createVirtualGraph(ipu * Tiles, (ipu + 1) * Tiles);
      const Tensor part = own.addVariable(INT, {Size});
      for (unsigned i = 0; i != Size; ++i)
        own.setTileMapping(part[i], i % Tiles);
      parts.push_back(part);
    }
    const Tensor ring = concat(parts);
    all.createHostWrite("ring", ring);
    all.createHostRead("ring", ring);
    std::vector<Tensor> turned(parts.begin() + 1, parts.end());
    turned.push_back(parts.front());
    Engine run(all, Copy(ring, concat(turned)));
    run.load(system);
    Numbers numbers(ring.numElements()), result(numbers.size());
    std::iota(numbers.begin(), numbers.end(), 1);
    run.writeTensor("ring", numbers.data(), numbers.data() + numbers.size());
    run.run();
    run.readTensor("ring", result.data(), result.data() + result.size());
    std::rotate(numbers.begin(), numbers.end() - Size, numbers.end());
    EXPECT_EQ(result, numbers) << ipus;
    // All IPUs meet, wait for the links' latency and send for a cycle; then
    // each tile sends what is in its buffer to itself, in one piece.
    const ProfileValue cycles = run.getExecutionProfile()["cycles"];
    EXPECT_EQ(cycles["sync"].asUint(), 600u) << ipus;
    EXPECT_EQ(cycles["exchange"].asUint(), 333u + 1 + 52 + 4 + 2) << ipus;
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, ExchangeTest,
                         ::testing::Values(TargetType::IPU_MODEL,
                                           TargetType::IPU),
                         deviceKindName);

} // namespace
