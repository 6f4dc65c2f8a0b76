// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices with every kind of field, run as host code: what they read and write
// must not depend on where elements and vertices are mapped.

#include "test/unit/Poplar/TestArchive.h"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <sstream>

using namespace poplar;

namespace {

constexpr unsigned Tiles = 4;

class VertexTest : public ::testing::TestWithParam<TargetType> {
protected:
  void SetUp() override {
    if (GetParam() == TargetType::CPU) {
      device = Device::createCPUDevice();
    } else {
      IPUModel model;
      model.tilesPerIPU = Tiles;
      device = model.createDevice();
    }
    graph = Graph(device.getTarget());
    graph.addCodelets(testArchive());
  }

  /// A variable whose elements are on random tiles.
  Tensor scattered(const Type &type, std::vector<std::size_t> shape,
                   const std::string &name) {
    const Tensor variable = graph.addVariable(type, shape, name);
    const Tensor flat = variable.flatten();
    for (std::size_t i = 0; i != flat.numElements(); ++i)
      graph.setTileMapping(flat[i], pick(Tiles));
    return variable;
  }
  unsigned pick(unsigned count) {
    return std::uniform_int_distribution<unsigned>(0, count - 1)(random);
  }

  void run(const program::Program &program) {
    engine.reset(new Engine(graph, program));
    engine->load(device);
  }

  std::mt19937 random{1};
  Device device;
  Graph graph;
  std::unique_ptr<Engine> engine;
};

TEST_P(VertexTest, SumsOfScatteredElements) {
  const Tensor in = scattered(INT, {6, 5}, "in");
  const Tensor out = scattered(INT, {6}, "out");
  const ComputeSet set = graph.addComputeSet("sum");
  for (unsigned i = 0; i != 6; ++i) {
    const VertexRef vertex =
        graph.addVertex(set, "Sum", {{"in", in[i]}, {"out", out[i]}});
    graph.setInitialValue(vertex["scale"], i % 2 ? 10.0 : 1);
    graph.setTileMapping(vertex, i % Tiles);
  }
  graph.createHostWrite("in", in);
  graph.createHostRead("out", out);
  run(program::Execute(set));
  std::vector<int> values(30), sums(6);
  std::iota(values.begin(), values.end(), 0);
  engine->writeTensor("in", values.data());
  engine->run();
  engine->readTensor("out", sums.data());
  for (int i = 0; i != 6; ++i)
    EXPECT_EQ(sums[i], (25 * i + 10) * (i % 2 ? 10 : 1)) << i;
}

// Inputs without a tensor, given when the vertex is made, connected or set,
// before and after it has a tile.
// The CPU has one tile, so nothing needs a tile there.
TEST(CpuVertices, NeedNoMapping) {
  const Device device = Device::createCPUDevice();
  Graph graph(device.getTarget());
  graph.addCodelets(testArchive());
  const Tensor in = graph.addVariable(INT, {3}, "in");
  const Tensor out = graph.addVariable(INT, {}, "out");
  graph.setInitialValue<std::int32_t>(in, {1, 2, 3});
  graph.createHostRead("out", out);
  const ComputeSet set = graph.addComputeSet("sum");
  const VertexRef vertex =
      graph.addVertex(set, "Sum", {{"in", in}, {"out", out}});
  graph.setInitialValue(vertex["scale"], 7);
  Engine engine(graph, program::Execute(set));
  engine.load(device);
  engine.run();
  std::int32_t result = 0;
  engine.readTensor("out", &result, &result + 1);
  EXPECT_EQ(result, 42);
}

TEST_P(VertexTest, ConstantsForInputs) {
  const Tensor out = scattered(INT, {5}, "out");
  const ComputeSet set = graph.addComputeSet("sum");
  const std::vector<int> numbers{1, 2, 3};
  VertexRef vertices[4];
  for (unsigned i = 0; i != 4; ++i) {
    vertices[i] =
        graph.addVertex(set, "Sum", {{"out", out[i]}, {"scale", i + 1}});
    if (i % 2)
      graph.setTileMapping(vertices[i], pick(Tiles));
    if (i < 2)
      graph.connect(vertices[i]["in"], ArrayRef<int>(numbers));
    else
      graph.setInitialValue(vertices[i]["in"], numbers);
    graph.setTileMapping(vertices[i], pick(Tiles));
  }
  const VertexRef copy =
      graph.addVertex(set, "Copy", {{"in", 7.0f}, {"out", out[4]}});
  graph.setTileMapping(copy, pick(Tiles));
  EXPECT_THROW(graph.connect(copy["in"], 8), graph_connection_error)
      << "it has a value already";
  EXPECT_THROW(graph.connect(copy["out"], 8), graph_connection_error)
      << "the vertex writes it";
  graph.createHostRead("out", out);
  run(program::Execute(set));
  std::vector<int> sums(5);
  engine->run();
  engine->readTensor("out", sums.data());
  EXPECT_EQ(sums, (std::vector<int>{6, 12, 18, 24, 7}));
}

// An element that several tiles read is broadcast; one that a tile reads twice
// is received once.
TEST_P(VertexTest, ManyReadTheSame) {
  const Tensor in = scattered(INT, {20}, "in");
  const Tensor views[] = {in, in.slice(3, 9), in.reverse(0),
                          concat(in.slice(5, 20), in.slice(0, 5))};
  constexpr unsigned Count = 40;
  const Tensor out = scattered(INT, {Count}, "out");
  const ComputeSet set = graph.addComputeSet("sum");
  std::vector<int> expected;
  for (unsigned i = 0; i != Count; ++i) {
    const unsigned view = pick(4);
    expected.push_back(view == 1 ? 3 + 4 + 5 + 6 + 7 + 8 : 190);
    const VertexRef vertex =
        graph.addVertex(set, "Sum", {{"in", views[view]}, {"out", out[i]}});
    graph.setInitialValue(vertex["scale"], 1);
    graph.setTileMapping(vertex, pick(Tiles));
  }
  graph.createHostWrite("in", in);
  graph.createHostRead("out", out);
  run(program::Execute(set));
  std::vector<int> values(20), sums(Count);
  std::iota(values.begin(), values.end(), 0);
  engine->writeTensor("in", values.data());
  engine->run();
  engine->readTensor("out", sums.data());
  EXPECT_EQ(sums, expected);
}

TEST(BroadcastTest, TheFileDoesNotNameEachReceiverOfEachPiece) {
  constexpr unsigned Many = 256;
  IPUModel model;
  model.tilesPerIPU = Many;
  const Device device = model.createDevice();
  Graph graph(device.getTarget());
  graph.addCodelets(testArchive());
  const Tensor in = graph.addVariable(INT, {Many}, "in");
  const Tensor out = graph.addVariable(INT, {Many}, "out");
  const ComputeSet set = graph.addComputeSet("sum");
  for (unsigned i = 0; i != Many; ++i) {
    graph.setTileMapping(in[i], i);
    graph.setTileMapping(out[i], i);
    const VertexRef vertex =
        graph.addVertex(set, "Sum", {{"in", in}, {"out", out[i]}});
    graph.setInitialValue(vertex["scale"], 1);
    graph.setTileMapping(vertex, i);
  }
  std::ostringstream file;
  compileGraph(graph, {program::Execute(set)}).serialize(file);
  EXPECT_LT(file.str().size(), 20 * Many * Many / 4);
}

TEST(PatternTest, TheFileDoesNotNameEachElementOfATranspose) {
  constexpr unsigned Side = 256;
  IPUModel model;
  model.tilesPerIPU = 2;
  const Device device = model.createDevice();
  Graph graph(device.getTarget());
  const Tensor in = graph.addVariable(INT, {Side, Side}, "in");
  const Tensor out = graph.addVariable(INT, {Side, Side}, "out");
  for (unsigned i = 0; i != Side; ++i)
    for (const Tensor &tensor : {in, out})
      graph.setTileMapping(tensor[i], 2 * i / Side);
  graph.createHostWrite("in", in);
  graph.createHostRead("out", out);
  Executable executable =
      compileGraph(graph, {program::Copy(in.transpose(), out)});
  std::ostringstream file;
  executable.serialize(file);
  EXPECT_LT(file.str().size(), 20 * Side * Side / 32);
  Engine engine(std::move(executable));
  engine.load(device);
  std::vector<int> values(Side * Side), result(Side * Side);
  std::iota(values.begin(), values.end(), 0);
  engine.writeTensor("in", values.data());
  engine.run();
  engine.readTensor("out", result.data());
  for (unsigned i = 0; i != Side * Side; ++i)
    ASSERT_EQ(result[i], values[i % Side * Side + i / Side]) << i;
}

TEST_P(VertexTest, BytesOfNeighbours) {
  // Twelve bytes on one tile, three for each vertex: no vertex may store to a
  // word that another one has bytes of.
  const Tensor data = graph.addVariable(UNSIGNED_CHAR, {12}, "data");
  graph.setTileMapping(data, 1);
  const ComputeSet set = graph.addComputeSet("bytes");
  for (unsigned i = 0; i != 4; ++i) {
    const VertexRef vertex = graph.addVertex(
        set, "AddOne", {{"data", data.slice(3 * i, 3 * i + 3)}});
    graph.setTileMapping(vertex, 1);
  }
  graph.createHostWrite("in", data);
  graph.createHostRead("out", data);
  run(program::Repeat(5, program::Execute(set)));
  std::vector<unsigned char> bytes(12);
  std::iota(bytes.begin(), bytes.end(), 100);
  engine->writeTensor("in", bytes.data());
  engine->run();
  engine->readTensor("out", bytes.data());
  for (int i = 0; i != 12; ++i)
    EXPECT_EQ(bytes[i], 105 + i);
}

TEST_P(VertexTest, ListsOfVectorsAndStateVectors) {
  const Tensor in = scattered(INT, {10}, "in");
  const Tensor out = scattered(INT, {3}, "out");
  const ComputeSet set = graph.addComputeSet("lists");
  const VertexRef vertex = graph.addVertex(set, "SumEach");
  graph.connect(vertex["in"],
                {in.slice(0, 4), in.slice(4, 4), in.slice(2, 10)});
  graph.connect(vertex["out"], out);
  graph.setInitialValue(vertex["factors"], std::vector<unsigned>{1, 2, 3});
  graph.setTileMapping(vertex, 2);
  graph.createHostWrite("in", in);
  graph.createHostRead("out", out);
  run(program::Execute(set));
  std::vector<int> values(10), sums(3);
  std::iota(values.begin(), values.end(), 1);
  engine->writeTensor("in", values.data());
  engine->run();
  engine->readTensor("out", sums.data());
  EXPECT_EQ(sums, (std::vector<int>{10, 0, 3 * 52}));
}

TEST_P(VertexTest, StateVectorsSetOneByOne) {
  const Tensor in = scattered(INT, {6}, "in");
  const Tensor out = scattered(INT, {3}, "out");
  const ComputeSet set = graph.addComputeSet("lists");
  const VertexRef vertex = graph.addVertex(set, "SumEach", {{"out", out}});
  graph.connect(vertex["in"], {in.slice(0, 2), in.slice(2, 4), in.slice(4, 6)});
  EXPECT_THROW(graph.setInitialValue(vertex["factors"][0], 7),
               graph_connection_error);
  graph.setFieldSize(vertex["factors"], 3);
  graph.setInitialValue(vertex["factors"][2], 5);
  graph.setInitialValue(vertex["factors"][0], 7);
  EXPECT_THROW(graph.setInitialValue(vertex["factors"][3], 7),
               graph_connection_error);
  EXPECT_THROW(graph.setFieldSize(vertex["factors"], 4),
               graph_connection_error);
  graph.setTileMapping(vertex, 2);
  graph.createHostWrite("in", in);
  graph.createHostRead("out", out);
  run(program::Execute(set));
  const int values[] = {1, 2, 3, 4, 5, 6};
  std::vector<int> sums(3);
  engine->writeTensor("in", values);
  engine->run();
  engine->readTensor("out", sums.data());
  EXPECT_EQ(sums, (std::vector<int>{7 * 3, 0, 5 * 11}));
}

TEST_P(VertexTest, ListsConnectedOneByOne) {
  const Tensor in = scattered(INT, {3}, "in");
  const Tensor out = scattered(INT, {}, "out");
  const ComputeSet set = graph.addComputeSet("scalars");
  const VertexRef vertex = graph.addVertex(set, "SumScalars", {{"out", out}});
  graph.setFieldSize(vertex["in"], 3);
  for (unsigned i : {2, 0, 1})
    graph.connect(vertex["in"][i], in[i]);
  graph.setTileMapping(vertex, 0);
  graph.createHostWrite("in", in);
  graph.createHostRead("out", out);
  run(program::Execute(set));
  const int values[] = {1, 20, 300};
  int sum = 0;
  engine->writeTensor("in", values);
  engine->run();
  engine->readTensor("out", &sum);
  EXPECT_EQ(sum, 321);
}

TEST_P(VertexTest, AlignmentIsKept) {
  const Tensor in = graph.addVariable(INT, {40}, "in");
  const Tensor out = graph.addVariable(INT, {40}, "out");
  graph.setTileMapping(in, 0);
  graph.setTileMapping(out, 0);
  const ComputeSet set = graph.addComputeSet("alignment");
  for (unsigned i = 0; i != 40; ++i)
    graph.setTileMapping(
        graph.addVertex(set, "Alignment",
                        {{"in", in.slice(i, 40)}, {"out", out[i]}}),
        i % 2);
  graph.createHostRead("out", out);
  run(program::Execute(set));
  engine->run();
  std::vector<int> remainders(40, 1);
  engine->readTensor("out", remainders.data());
  EXPECT_EQ(remainders, std::vector<int>(40, 0));
}

TEST_P(VertexTest, EstimatesBecomeCycles) {
  const Tensor in = graph.addVariable(INT, {8}, "in");
  const Tensor out = graph.addVariable(INT, {2}, "out");
  graph.setTileMapping(in, 0);
  graph.setTileMapping(out, 0);
  graph.registerPerfEstimator(
      "Sum", [](const VertexIntrospector &vertex, const Target &target) {
        return 1000 * vertex.getFieldInfo("in").size() +
               vertex.getFieldInfo("scale").getInitialValue<unsigned>(target);
      });
  const ComputeSet set = graph.addComputeSet("estimate");
  for (unsigned i = 0; i != 2; ++i) {
    const VertexRef vertex = graph.addVertex(
        set, "Sum", {{"in", in.slice(0, 4 + i)}, {"out", out[i]}});
    graph.setInitialValue(vertex["scale"], 7);
    graph.setTileMapping(vertex, 0);
  }
  run(program::Execute(set));
  engine->run();
  const ProfileValue profile = engine->getExecutionProfile();
  if (GetParam() == TargetType::CPU) {
    EXPECT_EQ(profile.getOrNull("cycles"), nullptr)
        << "the CPU device has no time";
    return;
  }
  const std::uint64_t compute = profile["cycles"]["compute"].asUint();
  // Two workers: the longer one decides, six cycles for an instruction.
  EXPECT_GE(compute, 6 * 5007u);
  EXPECT_LT(compute, 6 * 5007u + 200);
}

/// Compute sets that follow each other, on the IPU Model.
class MergingTest : public ::testing::Test {
protected:
  static constexpr std::uint64_t Sync = 133;

  MergingTest() {
    IPUModel model;
    model.tilesPerIPU = Tiles;
    device = model.createDevice();
    graph = Graph(device.getTarget());
    graph.addCodelets(testArchive());
  }

  Tensor add(const std::string &name, unsigned tile, unsigned size = 1) {
    const Tensor tensor = graph.addVariable(INT, {size}, name);
    graph.setTileMapping(tensor, tile);
    graph.createHostWrite(name, tensor);
    graph.createHostRead(name, tensor);
    return tensor;
  }
  ComputeSet sum(const Tensor &in, const Tensor &out, unsigned tile) {
    const ComputeSet set = graph.addComputeSet("sum");
    const VertexRef vertex =
        graph.addVertex(set, "Sum", {{"in", in}, {"out", out}});
    graph.setInitialValue(vertex["scale"], 2);
    graph.setTileMapping(vertex, tile);
    return set;
  }
  void compile(const program::Program &program) {
    engine.reset(new Engine(graph, program));
    engine->load(device);
  }
  void write(const std::string &name, std::vector<int> values) {
    engine->writeTensor(name, values.data());
  }
  int read(const std::string &name) {
    int value = 0;
    engine->readTensor(name, &value);
    return value;
  }
  std::uint64_t numComputeSets() {
    return engine->getGraphProfile()["graph"]["numComputeSets"].asUint();
  }
  std::uint64_t syncs() {
    return engine->getExecutionProfile()["cycles"]["sync"].asUint() / Sync;
  }

  Device device;
  Graph graph;
  std::unique_ptr<Engine> engine;
};

TEST_F(MergingTest, IndependentComputeSetsRunAsOne) {
  const Tensor in = add("in", 0, 3);
  const Tensor a = add("a", 1), b = add("b", 1), c = add("c", 2);
  compile(program::Sequence{
      program::Execute(sum(in, a, 1)),
      program::Sequence{program::Execute(sum(in.slice(0, 2), b, 1)),
                        program::Execute(sum(in.slice(1, 3), c, 2))}});
  write("in", {3, 4, 5});
  engine->run();
  EXPECT_EQ(read("a"), 24);
  EXPECT_EQ(read("b"), 14);
  EXPECT_EQ(read("c"), 18);
  EXPECT_EQ(numComputeSets(), 1u);
  EXPECT_EQ(syncs(), 1u);
}

TEST_F(MergingTest, ComputeSetsThatNeedEachOtherStayApart) {
  const Tensor in = add("in", 0, 3), a = add("a", 1), b = add("b", 1);
  compile(program::Sequence{
      program::Execute(sum(in, a, 1)), // a = 2 * in
      program::Execute(sum(a, b, 1)),  // reads a
      program::Execute(sum(b, a, 1)),  // overwrites what was read
  });
  write("in", {1, 2, 3});
  engine->run();
  EXPECT_EQ(read("b"), 24);
  EXPECT_EQ(read("a"), 48);
  EXPECT_EQ(numComputeSets(), 3u);
}

TEST_F(MergingTest, WhatIsOverwrittenAtTheSameTimeIsReadFromACopy) {
  const Tensor in = add("in", 1, 3), a = add("a", 1), b = add("b", 2);
  compile(program::Repeat(
      3, program::Sequence{
             program::Execute(sum(in, a, 1)),    // a = 2 * (in0 + in1 + in2)
             program::Execute(sum(in[1], b, 2)), // b = 2 * in1
             program::Execute(sum(in.slice(1, 2), in[1], 1)), // in1 *= 2
         }));
  write("in", {1, 2, 3});
  engine->run();
  EXPECT_EQ(read("a"), 24);
  EXPECT_EQ(read("b"), 16);
  std::vector<int> values(3);
  engine->readTensor("in", values.data());
  EXPECT_EQ(values, (std::vector<int>{1, 16, 3}));
  EXPECT_EQ(numComputeSets(), 1u);
}

TEST_F(MergingTest, MuchThatWouldBeOverwrittenIsNotCopied) {
  const Tensor in = add("in", 1, 20), a = add("a", 1), b = add("b", 2);
  const ComputeSet overwrite = sum(b, in[0], 1);
  for (unsigned i = 1; i != 20; ++i) {
    const VertexRef vertex =
        graph.addVertex(overwrite, "Sum", {{"in", b}, {"out", in[i]}});
    graph.setInitialValue(vertex["scale"], 1);
    graph.setTileMapping(vertex, 1);
  }
  compile(program::Sequence{program::Execute(sum(in, a, 1)),
                            program::Execute(overwrite)});
  EXPECT_EQ(numComputeSets(), 2u);
}

TEST_F(MergingTest, AComputeSetOfSeveralPlacesIsOneEverywhere) {
  const Tensor in = add("in", 0, 2);
  const Tensor a = add("a", 1), b = add("b", 1), c = add("c", 1);
  const ComputeSet shared = sum(in, a, 1);
  compile(program::Sequence{
      program::Execute(shared), program::Execute(sum(in, b, 1)),
      program::Execute(shared), program::Execute(sum(a, c, 1))});
  write("in", {1, 2});
  engine->run();
  EXPECT_EQ(read("b"), 6);
  EXPECT_EQ(read("c"), 12);
  EXPECT_EQ(numComputeSets(), 3u);
}

TEST_F(MergingTest, LargeComputeSetsStayApart) {
  const Tensor in = add("in", 0, 2000), a = add("a", 1), b = add("b", 1);
  compile(program::Sequence{program::Execute(sum(in, a, 1)),
                            program::Execute(sum(in, b, 1))});
  EXPECT_EQ(numComputeSets(), 2u);
}

TEST_F(MergingTest, ACopyJoinsTheInputsBehindIt) {
  const Tensor in = add("in", 0, 2), from = add("from", 2), to = add("to", 3);
  const Tensor a = add("a", 1);
  compile(program::Sequence{program::Copy(from, to),
                            program::Execute(sum(in, a, 1))});
  write("in", {1, 2});
  write("from", {7});
  engine->run();
  EXPECT_EQ(read("a"), 6);
  EXPECT_EQ(read("to"), 7);
  EXPECT_EQ(syncs(), 1u);
}

TEST_F(MergingTest, InputsWaitForTheCopyThatBringsThem) {
  const Tensor in = add("in", 0, 2), from = add("from", 2, 2);
  const Tensor a = add("a", 1);
  compile(program::Sequence{program::Copy(from, in),
                            program::Execute(sum(in, a, 1))});
  write("from", {7, 8});
  engine->run();
  EXPECT_EQ(read("a"), 30);
  EXPECT_EQ(syncs(), 2u);
}

TEST_F(MergingTest, InputsWaitForOutputsThatAreStillInBuffers) {
  const Tensor in = add("in", 0, 2), a = add("a", 2), b = add("b", 2);
  compile(program::Sequence{program::Execute(sum(in, a, 1)), // out goes to 2
                            program::Execute(sum(concat(in, a), b, 1))});
  write("in", {1, 2});
  engine->run();
  EXPECT_EQ(read("a"), 6);
  EXPECT_EQ(read("b"), 18);
}

TEST_F(MergingTest, ComputeSetsAroundACopyRunAsOne) {
  const Tensor in = add("in", 0, 2), from = add("from", 2), to = add("to", 1);
  const Tensor a = add("a", 1), b = add("b", 1);
  compile(program::Sequence{program::Execute(sum(in, a, 1)),
                            program::Copy(from, to),
                            program::Execute(sum(to, b, 1))});
  write("in", {1, 2});
  write("from", {7});
  engine->run();
  EXPECT_EQ(read("a"), 6);
  EXPECT_EQ(read("b"), 14);
  EXPECT_EQ(numComputeSets(), 1u);
  EXPECT_EQ(syncs(), 1u);
}

TEST_F(MergingTest, ACopyOfAResultStaysBehind) {
  const Tensor in = add("in", 0, 2), a = add("a", 1), to = add("to", 2);
  const Tensor b = add("b", 1);
  compile(program::Sequence{program::Execute(sum(in, a, 1)),
                            program::Copy(a, to),
                            program::Execute(sum(in, b, 1))});
  write("in", {1, 2});
  engine->run();
  EXPECT_EQ(read("to"), 6);
  EXPECT_EQ(read("b"), 6);
  EXPECT_EQ(numComputeSets(), 2u);
}

TEST_F(MergingTest, ACopyOverAnInputStaysBehind) {
  const Tensor in = add("in", 0, 2), from = add("from", 2, 2);
  const Tensor a = add("a", 1), b = add("b", 1);
  compile(program::Sequence{program::Execute(sum(in, a, 1)),
                            program::Copy(from, in),
                            program::Execute(sum(from, b, 1))});
  write("in", {1, 2});
  write("from", {7, 8});
  engine->run();
  EXPECT_EQ(read("a"), 6);
  EXPECT_EQ(read("b"), 30);
  EXPECT_EQ(numComputeSets(), 2u);
}

TEST_F(MergingTest, CopiesThatChangePlacesKeepTheirOrder) {
  const Tensor in = add("in", 0, 2), from = add("from", 2), to = add("to", 1);
  const Tensor a = add("a", 1), b = add("b", 1), last = add("last", 3);
  compile(program::Sequence{program::Execute(sum(in, a, 1)),
                            program::Copy(from, to), program::Copy(to, last),
                            program::Copy(in[0], to[0]),
                            program::Execute(sum(to, b, 1))});
  write("in", {1, 2});
  write("from", {7});
  engine->run();
  EXPECT_EQ(read("a"), 6);
  EXPECT_EQ(read("b"), 2);
  EXPECT_EQ(read("last"), 7);
  EXPECT_EQ(numComputeSets(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Devices, VertexTest,
                         ::testing::Values(TargetType::CPU,
                                           TargetType::IPU_MODEL),
                         [](const auto &info) { return toString(info.param); });

} // namespace
