// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of data that never changes are made when a program is loaded, if there
// is memory for it. Modelled cycles show which are: a sync for each exchange
// that is left. The values must be the same either way.

#include "test/unit/Poplar/DeviceKinds.h"
#include "test/unit/Poplar/TestArchive.h"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <numeric>
#include <optional>

using namespace poplar;
using namespace poplar::program;

namespace {

using Numbers = std::vector<std::int32_t>;

class ResidentConstantsTest : public AllDevices {
protected:
  static constexpr unsigned Tiles = 4, Runs = 2;
  static constexpr std::size_t Size = 16;
  /// An exchange between tiles waits so long.
  static constexpr std::uint64_t Sync = 133;

  ResidentConstantsTest()
      : device(makeDevice(GetParam(), Tiles)), graph(device.getTarget()) {}

  static Numbers from(int first, std::size_t size = Size) {
    Numbers numbers(size);
    std::iota(numbers.begin(), numbers.end(), first);
    return numbers;
  }
  Tensor addConstant(int first, unsigned tile, std::size_t size = Size) {
    const Tensor tensor = graph.addConstant(
        INT, {size}, ArrayRef<std::int32_t>(from(first, size)), "constant");
    graph.setTileMapping(tensor, tile);
    return tensor;
  }
  Tensor add(const std::string &name, unsigned tile, std::size_t size = Size) {
    const Tensor tensor = graph.addVariable(INT, {size}, name);
    graph.setTileMapping(tensor, tile);
    return tensor;
  }
  Tensor addVisible(const std::string &name, unsigned tile,
                    std::size_t size = Size) {
    const Tensor tensor = add(name, tile, size);
    graph.createHostWrite(name, tensor);
    graph.createHostRead(name, tensor);
    return tensor;
  }
  Tensor addInitial(const std::string &name, int first, unsigned tile) {
    const Tensor tensor = add(name, tile);
    graph.setInitialValue(tensor, ArrayRef<std::int32_t>(from(first)));
    return tensor;
  }

  void run(const Program &program) {
    engine.emplace(graph, program);
    engine->load(device);
    for (unsigned i = 0; i != Runs; ++i)
      engine->run();
  }
  void expect(const std::string &name, int first, std::size_t size = Size) {
    Numbers numbers(size);
    engine->readTensor(name, numbers.data(), numbers.data() + size);
    EXPECT_EQ(numbers, from(first, size)) << name;
  }
  /// Checks the number of exchanges that the program waits for; a CPU has none.
  void expectExchanges(unsigned count) {
    if (GetParam() == TargetType::CPU)
      return;
    EXPECT_EQ(engine->getExecutionProfile()["cycles"]["sync"].asUint(),
              Runs * count * Sync);
  }

  Device device;
  Graph graph;
  std::optional<Engine> engine;
};

/// The archive has code for the host only.
class WithVertices : public ResidentConstantsTest {
protected:
  WithVertices() { graph.addCodelets(testArchive()); }
};

TEST_P(ResidentConstantsTest, ACopyOfAConstant) {
  const Tensor copy = add("copy", 1), out = addVisible("out", 2);
  run(Sequence{Copy(addConstant(5, 0), copy), Copy(copy, out)});
  expect("out", 5);
  expectExchanges(1);
}

TEST_P(ResidentConstantsTest, InPiecesAndTwice) {
  const Tensor copy = add("copy", 1), out = addVisible("out", 2);
  const Tensor constant = addConstant(5, 0);
  const Program halves =
      Sequence{Copy(constant.slice(0, 8).reverse(0), copy.slice(0, 8)),
               Copy(constant.slice(8, Size), copy.slice(8, Size))};
  run(Sequence{Repeat(2, Sequence{halves, Copy(copy.slice(0, 8).reverse(0),
                                               out.slice(0, 8))}),
               halves, Copy(copy.slice(8, Size), out.slice(8, Size))});
  expect("out", 5);
  expectExchanges(3);
}

TEST_P(ResidentConstantsTest, AnInitialValueThatNothingChanges) {
  const Tensor in = addInitial("in", 7, 0);
  const Tensor copy = add("copy", 1), out = addVisible("out", 2);
  graph.createHostRead("in", in);
  run(Sequence{Copy(in, copy), Copy(copy, out)});
  expect("out", 7);
  expectExchanges(1);
}

TEST_P(ResidentConstantsTest, AnInitialValueThatTheHostChanges) {
  const Tensor in = addInitial("in", 7, 0);
  const Tensor copy = add("copy", 1), out = addVisible("out", 2);
  graph.createHostWrite("in", in);
  run(Sequence{Copy(in, copy), Copy(copy, out)});
  expect("out", 7);
  expectExchanges(2);
  const Numbers numbers = from(30);
  engine->writeTensor("in", numbers.data(), numbers.data() + Size);
  engine->run();
  expect("out", 30);
}

TEST_P(ResidentConstantsTest, AnInitialValueThatTheProgramChanges) {
  const Tensor in = addInitial("in", 7, 0), next = addVisible("next", 3);
  const Tensor copy = add("copy", 1), out = addVisible("out", 2);
  engine.emplace(graph,
                 Sequence{Copy(in, copy), Copy(copy, out), Copy(next, in)});
  engine->load(device);
  const Numbers numbers = from(30);
  engine->writeTensor("next", numbers.data(), numbers.data() + Size);
  engine->run();
  expect("out", 7);
  engine->run();
  expect("out", 30);
}

TEST_P(ResidentConstantsTest, AVariableForSeveralConstants) {
  const Tensor copy = add("copy", 1);
  const Tensor a = addVisible("a", 2), b = addVisible("b", 3);
  run(Sequence{Copy(addConstant(5, 0), copy), Copy(copy, a),
               Copy(addConstant(50, 0), copy), Copy(copy, b)});
  expect("a", 5);
  expect("b", 50);
  expectExchanges(4);
}

TEST_P(ResidentConstantsTest, AVariableThatIsOverwritten) {
  const Tensor copy = add("copy", 1), in = addVisible("in", 0);
  const Tensor a = addVisible("a", 2), b = addVisible("b", 3);
  engine.emplace(graph, Sequence{Copy(addConstant(5, 0), copy), Copy(copy, a),
                                 Copy(in, copy), Copy(copy, b)});
  engine->load(device);
  const Numbers numbers = from(30);
  engine->writeTensor("in", numbers.data(), numbers.data() + Size);
  engine->run();
  engine->run();
  expect("a", 5);
  expect("b", 30);
}

// A read before the copy returns the old contents: zeros in the first run.
TEST_P(ResidentConstantsTest, AVariableThatIsReadBefore) {
  const Tensor copy = add("copy", 1), out = addVisible("out", 2);
  engine.emplace(graph,
                 Sequence{Copy(copy, out), Copy(addConstant(5, 0), copy)});
  engine->load(device);
  const Numbers numbers = from(30);
  engine->writeTensor("out", numbers.data(), numbers.data() + Size);
  engine->run();
  Numbers got(Size);
  engine->readTensor("out", got.data(), got.data() + Size);
  EXPECT_EQ(got, Numbers(Size));
  engine->run();
  expect("out", 5);
}

// Its copy has the same memory, and is changed.
TEST_P(WithVertices, ACopyThatIsChangedInPlace) {
  const auto addBytes = [&](const std::string &name, unsigned tile) {
    const Tensor tensor = graph.addVariable(UNSIGNED_CHAR, {8}, name);
    graph.setTileMapping(tensor, tile);
    return tensor;
  };
  const std::vector<std::uint8_t> bytes = {1, 2, 3, 4, 5, 6, 7, 8};
  const Tensor constant =
      graph.addConstant(UNSIGNED_CHAR, {8}, ArrayRef<std::uint8_t>(bytes));
  graph.setTileMapping(constant, 0);
  const Tensor copy = addBytes("copy", 1), changed = addBytes("changed", 1);
  const Tensor out = addBytes("out", 2);
  graph.createHostRead("out", out);
  const ComputeSet set = graph.addComputeSet();
  const VertexRef vertex = graph.addVertex(set, "AddOne", {{"data", changed}});
  graph.setTileMapping(vertex, 1);
  run(Sequence{Copy(constant, copy), Copy(copy, changed), Execute(set),
               Copy(changed, out)});
  std::vector<std::uint8_t> got(8);
  engine->readTensor("out", got.data(), got.data() + 8);
  EXPECT_EQ(got, (std::vector<std::uint8_t>{2, 3, 4, 5, 6, 7, 8, 9}));
}

// A constant is resident on all tiles whose vertices read it.
TEST_P(WithVertices, OperandsOfVertices) {
  const Tensor constant = addConstant(1, 0);
  const Tensor out = add("sums", 0, Tiles);
  graph.createHostRead("sums", out);
  const ComputeSet set = graph.addComputeSet();
  for (unsigned i = 0; i != Tiles; ++i) {
    graph.setTileMapping(out[i], i);
    const VertexRef vertex = graph.addVertex(
        set, "Sum", {{"in", constant.reverse(0)}, {"out", out[i]}});
    graph.setInitialValue(vertex["scale"], i + 1);
    graph.setTileMapping(vertex, i);
  }
  run(Execute(set));
  Numbers sums(Tiles);
  engine->readTensor("sums", sums.data(), sums.data() + Tiles);
  EXPECT_EQ(sums, (Numbers{136, 272, 408, 544}));
  expectExchanges(0);
}

// A vertex on one of the tiles also reads what changes, in a buffer that holds
// constants otherwise: there the constant must still come each time.
TEST_P(WithVertices, OperandsOfSomeTilesOnly) {
  const Tensor constant = addConstant(1, 0), changes = addInitial("in", 1, 3);
  graph.createHostWrite("in", changes);
  const Tensor out = add("sums", 0, Tiles + 1);
  graph.createHostRead("sums", out);
  for (unsigned odd = 0; odd != Tiles; ++odd) {
    const ComputeSet set = graph.addComputeSet();
    const auto addSum = [&](const Tensor &in, unsigned index, unsigned tile) {
      const VertexRef vertex = graph.addVertex(
          set, "Sum", {{"in", in.reverse(0)}, {"out", out[index]}});
      graph.setInitialValue(vertex["scale"], tile + 1);
      graph.setTileMapping(vertex, tile);
    };
    for (unsigned tile = 0; tile != Tiles; ++tile)
      addSum(constant, tile, tile);
    addSum(changes, Tiles, odd);
    run(Execute(set));
    Numbers sums(Tiles + 1);
    engine->readTensor("sums", sums.data(), sums.data() + sums.size());
    const int last = 136 * (static_cast<int>(odd) + 1);
    EXPECT_EQ(sums, (Numbers{136, 272, 408, 544, last})) << odd;
  }
}

// Operands of more than half a tile each, which are needed one after the other:
// also where a program is too long to find out when.
TEST_P(WithVertices, OperandsShareMemory) {
  constexpr std::size_t Large = 90000;
  const Tensor out = add("sum", 2, 1);
  Sequence prog;
  for (unsigned i = 0; i != 2; ++i) {
    const ComputeSet set = graph.addComputeSet();
    const VertexRef vertex = graph.addVertex(
        set, "Sum", {{"in", addConstant(0, i, Large)}, {"out", out[0]}});
    graph.setInitialValue(vertex["scale"], 1);
    graph.setTileMapping(vertex, 2);
    prog.add(Execute(set));
  }
  EXPECT_NO_THROW(Engine(graph, prog));
  Program all = prog;
  for (int depth = 0; depth != 5; ++depth) {
    const Function function = graph.addFunction(all);
    Sequence calls;
    for (int i = 0; i != 16; ++i)
      calls.add(Call(function));
    all = calls;
  }
  EXPECT_NO_THROW(Engine(graph, all));
}

// A fifth of a tile's memory each. They fit one after the other, so they must
// fit still; of those that could stay some do.
TEST_P(ResidentConstantsTest, NoMoreThanFit) {
  constexpr std::size_t Large = 32000, Count = 7;
  const Tensor out = addVisible("out", 2, Large);
  Sequence prog;
  for (std::size_t i = 0; i != Count; ++i) {
    const Tensor copy = add("copy" + std::to_string(i), 1, Large);
    const Tensor constant = addConstant(static_cast<int>(i), 0, Large / 16);
    prog.add(Copy(constant.broadcast(16, 0), copy));
    prog.add(Copy(copy, out));
  }
  run(prog);
  const Numbers last = from(Count - 1, Large / 16);
  Numbers expected, got(Large);
  for (int i = 0; i != 16; ++i)
    expected.insert(expected.end(), last.begin(), last.end());
  engine->readTensor("out", got.data(), got.data() + Large);
  EXPECT_EQ(got, expected);
  expectExchanges(2 * Count - 2);
}

INSTANTIATE_TEST_SUITE_P(All, ResidentConstantsTest, allDeviceKinds(),
                         deviceKindName);
INSTANTIATE_TEST_SUITE_P(Host, WithVertices,
                         ::testing::Values(TargetType::CPU,
                                           TargetType::IPU_MODEL),
                         deviceKindName);

} // namespace
