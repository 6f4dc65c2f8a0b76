// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies, run on every kind of device: random views of randomly mapped
// variables, of elements of one, two and four bytes, must end up as the same
// copies of a plain array would.

#include "test/unit/Poplar/DeviceKinds.h"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <algorithm>
#include <numeric>
#include <random>

using namespace poplar;

namespace {

constexpr unsigned Tiles = 5;

class CopyTest : public AllDevices {};

/// One variable and programs that copy between parts of it.
template <typename T> class RandomCopies {
public:
  RandomCopies(const Device &device, Type type, unsigned seed)
      : device(device), random(seed), graph(device.getTarget()) {
    variable = graph.addVariable(type, {Size}, "v");
    for (std::size_t begin = 0; begin != Size;) {
      const std::size_t end = std::min(Size, begin + pick(1, 9));
      graph.setTileMapping(variable.slice(begin, end), pick(0, 4));
      begin = end;
    }
    expected.resize(Size);
    std::iota(expected.begin(), expected.end(), T(1));
    start = expected;
    graph.createHostWrite("in", variable);
    graph.createHostRead("out", variable);
    program::Sequence prog;
    for (int i = 0; i != 8; ++i)
      prog.add(randomCopy());
    program = prog;
  }

  void check() {
    Engine engine(graph, program);
    engine.load(device);
    engine.writeTensor("in", start.data());
    engine.run();
    std::vector<T> result(Size);
    engine.readTensor("out", result.data(), result.data() + Size);
    EXPECT_EQ(result, expected);
  }

private:
  static constexpr std::size_t Size = 120;

  std::size_t pick(std::size_t least, std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(least, most)(random);
  }

  /// A view of a part of the variable, and the indices it has in it.
  std::pair<Tensor, std::vector<std::size_t>> randomView(std::size_t count) {
    const std::size_t begin = pick(0, Size - count);
    std::vector<std::size_t> indices(count);
    std::iota(indices.begin(), indices.end(), begin);
    const Tensor part = variable.slice(begin, begin + count);
    switch (pick(0, 2)) {
    case 0:
      return {part, indices};
    case 1:
      std::reverse(indices.begin(), indices.end());
      return {part.reverse(0), indices};
    default: {
      std::vector<std::size_t> transposed;
      for (std::size_t column = 0; column != 4; ++column)
        for (std::size_t row = 0; row != count / 4; ++row)
          transposed.push_back(indices[row * 4 + column]);
      return {part.reshape({count / 4, 4}).transpose().flatten(), transposed};
    }
    }
  }

  program::Program randomCopy() {
    const std::size_t count = 4 * pick(1, 20);
    const auto [source, from] = randomView(count);
    const auto [destination, to] = randomView(count);
    const std::vector<T> before = expected;
    for (std::size_t i = 0; i != count; ++i)
      expected[to[i]] = before[from[i]];
    return program::Copy(source, destination);
  }

  const Device &device;
  std::mt19937 random;
  Graph graph;
  Tensor variable;
  std::vector<T> start, expected;
  program::Program program;
};

TEST_P(CopyTest, RandomCopies) {
  const Device device = makeDevice(GetParam(), Tiles);
  for (unsigned seed = 0; seed != 20; ++seed) {
    RandomCopies<std::int32_t>(device, INT, seed).check();
    RandomCopies<std::uint16_t>(device, HALF, seed).check();
    RandomCopies<std::uint8_t>(device, UNSIGNED_CHAR, seed).check();
  }
}

TEST_P(CopyTest, TheCompilersThreadsDoNotMatter) {
  const Device device = makeDevice(GetParam(), 64);
  Graph graph(device.getTarget());
  program::Sequence prog;
  Tensor last;
  for (unsigned i = 0; i != 50; ++i) {
    const Tensor next = graph.addVariable(INT, {500});
    for (unsigned element = 0; element != 500; ++element)
      graph.setTileMapping(next[element], (element * (i + 1)) % 64);
    if (i != 0)
      prog.add(program::Copy(last, next));
    last = next;
  }
  const auto compile = [&](const char *threads) {
    std::stringstream file;
    compileGraph(graph, {prog}, {{"opt.maxCompilationThreads", threads}})
        .serialize(file);
    return file.str();
  };
  const std::string alone = compile("1");
  EXPECT_TRUE(alone == compile("4"));
  EXPECT_TRUE(alone == compile("-1"));
}

TEST_P(CopyTest, BroadcastConstant) {
  const Device device = makeDevice(GetParam(), Tiles);
  Graph graph(device.getTarget());
  const Tensor constant = graph.addConstant<float>(FLOAT, {2}, {1.5f, 2.5f});
  graph.setTileMapping(constant, 4);
  const Tensor variable =
      graph.addVariable(FLOAT, {5, 2}, VariableMappingMethod::LINEAR);
  graph.createHostRead("out", variable);
  Engine engine(graph,
                program::Copy(constant.expand({0}).broadcast(5, 0), variable));
  engine.load(device);
  engine.run();
  std::vector<float> result(10);
  engine.readTensor("out", result.data());
  for (int i = 0; i != 10; ++i)
    EXPECT_EQ(result[i], i % 2 ? 2.5f : 1.5f);
}

TEST_P(CopyTest, ControlFlowAndStreams) {
  const Device device = makeDevice(GetParam(), Tiles);
  Graph graph(device.getTarget());
  const Tensor flag = graph.addVariable(BOOL, {}, "flag");
  const Tensor selector = graph.addVariable(INT, {}, "selector");
  const Tensor value = graph.addVariable(INT, {3}, "value");
  graph.setTileMapping(flag, 1);
  graph.setTileMapping(selector, 2);
  graph.setTileMapping(value, 3);
  const DataStream input = graph.addHostToDeviceFIFO("input", INT, 3);
  const DataStream output = graph.addDeviceToHostFIFO("output", INT, 3);
  graph.createHostWrite("flag", flag);
  graph.createHostWrite("selector", selector);
  const auto constant = [&](int number) {
    const Tensor c = graph.addConstant<int>(INT, {1}, number);
    graph.setTileMapping(c, 0);
    return program::Copy(c, value.slice(0, 1));
  };
  const Function store = graph.addFunction(program::Copy(value, output));
  const program::Sequence prog{
      program::Repeat(2, program::Copy(input, value)),
      program::If(flag, constant(10), program::Sequence()),
      program::Switch(selector, {{1, constant(21)}, {2, constant(22)}}),
      program::Call(store)};
  Engine engine(graph, prog);
  engine.load(device);
  std::vector<int> source(12), sink(3);
  std::iota(source.begin(), source.end(), 0);
  engine.connectStream("input", source.data(), source.data() + 12);
  engine.connectStreamToCallback("output", [&](void *data) {
    const int *values = static_cast<const int *>(data);
    sink.assign(values, values + 3);
  });
  const auto run = [&](bool condition, int choice) {
    engine.writeTensor("flag", &condition);
    engine.writeTensor("selector", &choice);
    engine.run(0);
    return sink;
  };
  EXPECT_EQ(run(false, 0), (std::vector<int>{3, 4, 5}));
  EXPECT_EQ(run(true, 0), (std::vector<int>{10, 10, 11}));
  EXPECT_EQ(run(true, 2), (std::vector<int>{22, 4, 5}));
}

TEST_P(CopyTest, UnusedStreamsMayBeConnected) {
  const Device device = makeDevice(GetParam(), Tiles);
  Graph graph(device.getTarget());
  const Tensor value = graph.addVariable(INT, {2}, "value");
  graph.setTileMapping(value, 0);
  graph.addHostToDeviceFIFO("unused", INT, 2);
  const DataStream used = graph.addHostToDeviceFIFO("used", INT, 2);
  graph.createHostRead("out", value);
  Engine engine(graph, program::Copy(used, value));
  int zeros[2] = {}, numbers[2] = {5, 6}, result[2] = {};
  engine.connectStream("unused", zeros);
  engine.connectStream("used", numbers);
  engine.load(device);
  engine.run();
  engine.readTensor("out", result);
  EXPECT_EQ(result[0], 5);
  EXPECT_EQ(result[1], 6);
}

TEST_P(CopyTest, SavedExecutableRuns) {
  const Device device = makeDevice(GetParam(), Tiles);
  Graph graph(device.getTarget());
  const Tensor value = graph.addVariable(FLOAT, {2}, "value");
  graph.setTileMapping(value, 0);
  graph.setInitialValue<float>(value, {3.0f, 4.0f});
  graph.createHostRead("out", value);
  std::stringstream file;
  compileGraph(graph, {program::Sequence()}).serialize(file);
  Engine engine(Executable::deserialize(file));
  engine.load(device);
  engine.run();
  float result[2] = {};
  engine.readTensor("out", result, result + 2);
  EXPECT_EQ(result[0], 3.0f);
  EXPECT_EQ(result[1], 4.0f);
}

INSTANTIATE_TEST_SUITE_P(Devices, CopyTest, allDeviceKinds(), deviceKindName);

} // namespace
