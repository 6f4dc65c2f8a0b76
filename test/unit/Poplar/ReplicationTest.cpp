// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replicated graphs of both kinds, and virtual graphs, on every kind of device
// with vertices where there is host code for them.

#include "test/unit/Poplar/DeviceKinds.h"
#include "test/unit/Poplar/TestArchive.h"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <numeric>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

namespace {

using Numbers = std::vector<std::int32_t>;

class ReplicationTest : public AllDevices {
protected:
  ReplicationTest() : device(makeDevice(GetParam(), 3, 4)) {}
  bool isCpu() const { return GetParam() == TargetType::CPU; }

  /// 1, 2, 3, ...
  static Numbers counted(std::size_t count) {
    Numbers numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1);
    return numbers;
  }

  Numbers read(Engine &engine, const char *handle, std::size_t count) {
    Numbers numbers(count);
    engine.readTensor(handle, numbers.data(), numbers.data() + count);
    return numbers;
  }

  Device device;
};

TEST_P(ReplicationTest, Targets) {
  if (isCpu())
    return;
  Graph whole(device.getTarget(), replication_factor(2));
  EXPECT_EQ(whole.getReplicationFactor(), 2u);
  EXPECT_EQ(whole.getTarget().getNumIPUs(), 2u);
  EXPECT_EQ(whole.getTarget().getNumTiles(), 6u);
  EXPECT_EQ(whole.getTopLevelGraph().getReplicationFactor(), 2u);
  EXPECT_THROW(whole.getNonReplicatedTensor(whole.addVariable(INT, {1}, "v")),
               graph_replication_error);

  Graph parent(device.getTarget());
  EXPECT_EQ(parent.getReplicationFactor(), 1u);
  Graph split = parent.createReplicatedGraph(4);
  EXPECT_EQ(split.getReplicationFactor(), 4u);
  EXPECT_EQ(split.getTarget().getNumIPUs(), 1u);
  EXPECT_EQ(split.getTarget().getTilesPerIPU(), 3u);
  EXPECT_EQ(split.getTopLevelGraph().getReplicationFactor(), 1u);
  EXPECT_EQ(parent.createReplicatedGraph(6).getTarget().getNumTiles(), 2u);

  Graph one = parent.createVirtualGraph(3, 6);
  EXPECT_EQ(one.getTarget().getNumIPUs(), 1u);
  EXPECT_EQ(one.getTarget().getTilesPerIPU(), 3u);
  // The numbers of tiles within each IPU.
  Graph some = parent.createVirtualGraph({2, 0});
  EXPECT_EQ(some.getTarget().getNumIPUs(), parent.getTarget().getNumIPUs());
  EXPECT_EQ(some.getTarget().getTilesPerIPU(), 2u);
  EXPECT_EQ(some.convertVirtualTileToPhysicalTile(3), 3u);
  EXPECT_THROW(parent.createVirtualGraph({1, 4}), invalid_tile_mapping);
  EXPECT_THROW(Graph(device.getTarget(), replication_factor(13)),
               graph_replication_error);
  // The example of the user guide.
  Graph eight(makeDevice(GetParam(), 2, 8).getTarget());
  EXPECT_EQ(eight.createReplicatedGraph(4).getTarget().getNumIPUs(), 2u);
  // Parts of different size would be no replicas.
  EXPECT_THROW(Graph(device.getTarget(), replication_factor(5)),
               graph_replication_error);
  EXPECT_THROW(split.createReplicatedGraph(2), graph_replication_error);
}

TEST_P(ReplicationTest, DataOfReplicas) {
  Graph graph(device.getTarget(), replication_factor(4));
  const Tensor value =
      graph.addVariable(INT, {2, 2}, VariableMappingMethod::LINEAR, "value");
  const Tensor sum = graph.addVariable(INT, {4}, "sum");
  graph.setTileMapping(sum, 1);
  const Tensor index = graph.addReplicationIndexConstant();
  graph.setTileMapping(index, 0);
  const Tensor first = graph.addConstant(INT, {3}, 7);
  graph.setTileMapping(first, 2);
  graph.createHostWrite("value", value);
  graph.createHostRead("value", value);
  graph.createHostRead("sum", sum);
  Engine engine(graph, Sequence{Copy(value.transpose().flatten(), sum),
                                Copy(index.reinterpret(INT).reshape({1}),
                                     value.flatten().slice(3, 4)),
                                Copy(first, value.flatten().slice(0, 3))});
  engine.load(device);
  const Numbers numbers = counted(16);
  engine.writeTensor("value", numbers.data(), numbers.data() + 16);
  engine.run();
  EXPECT_EQ(read(engine, "sum", 16),
            (Numbers{1, 3, 2, 4, 5, 7, 6, 8, 9, 11, 10, 12, 13, 15, 14, 16}));
  EXPECT_EQ(read(engine, "value", 16),
            (Numbers{7, 7, 7, 0, 7, 7, 7, 1, 7, 7, 7, 2, 7, 7, 7, 3}));
}

/// The parts of a graph profile that are about memory, as text.
std::string memoryOf(const ProfileValue &profile) {
  std::ostringstream text;
  serializeToJSON(text, profile["memory"], true);
  return std::move(text).str();
}

/// The lines of a summary below its first heading about memory.
std::string memoryLines(const ProfileValue &profile) {
  std::ostringstream text;
  printGraphSummary(
      text, profile,
      {{"showVarStorage", "true"}, {"showPerIpuMemoryUsage", "true"}});
  const std::string all = std::move(text).str();
  return all.substr(all.find("Memory Usage:"));
}

// The memory of a replica is that of the same graph on a target of its size.
TEST_P(ReplicationTest, MemoryIsThatOfOneReplica) {
  if (isCpu())
    return;
  const auto profileOf = [](Graph &graph) {
    const Tensor spread =
        graph.addVariable(INT, {12}, VariableMappingMethod::LINEAR, "spread");
    const Tensor sum = graph.addVariable(INT, {}, "sum");
    graph.setTileMapping(sum, 4);
    const Tensor far = graph.addVariable(INT, {12}, "far");
    graph.setTileMapping(far, 5);
    Sequence prog{Copy(spread, far), Copy(far.reverse(0), far)};
    if (graph.getTarget().getTargetType() == TargetType::IPU_MODEL) {
      graph.addCodelets(testArchive());
      const ComputeSet set = graph.addComputeSet("sums");
      const VertexRef vertex =
          graph.addVertex(set, "Sum", {{"in", spread}, {"out", sum}});
      graph.setTileMapping(vertex, 4);
      prog.add(Execute(set));
    }
    graph.createHostRead("far", far);
    graph.createHostRead("sum", sum);
    return Engine(graph, prog).getGraphProfile();
  };
  Graph whole(device.getTarget(), replication_factor(2));
  Graph alone(makeDevice(GetParam(), 3, 2).getTarget());
  const ProfileValue ofWhole = profileOf(whole), ofOne = profileOf(alone);
  EXPECT_EQ(memoryOf(ofWhole), memoryOf(ofOne));
  EXPECT_EQ(memoryLines(ofWhole), memoryLines(ofOne));
  EXPECT_EQ(ofWhole["memory"]["byTile"]["total"].size(), 6u);
  EXPECT_EQ(ofWhole["target"]["numTiles"].asUint(), 12u);

  std::ostringstream text;
  printGraphSummary(text, ofWhole);
  for (const char *line :
       {"  Total Tiles:            12\n", "  Number of Replicas:     2\n",
        "  IPUs per Replica:       2\n", "  Tiles per Replica:      6\n",
        "\nMemory on all IPUs of a replica:\n"})
    EXPECT_NE(text.str().find(line), std::string::npos) << line;
  // Replicas of a part of the graph are not all that there is.
  Graph parent(device.getTarget());
  Graph split = parent.createReplicatedGraph(2);
  EXPECT_EQ(profileOf(split)["memory"]["byTile"]["total"].size(), 12u);
  // A replica may be a part of an IPU.
  Graph small(makeDevice(GetParam(), 12).getTarget(), replication_factor(2));
  std::ostringstream partOfIpu;
  printGraphSummary(partOfIpu, profileOf(small));
  EXPECT_NE(partOfIpu.str().find("  IPUs per Replica:       1 / 2\n"),
            std::string::npos);
}

TEST_P(ReplicationTest, StreamsOfReplicas) {
  Graph graph(device.getTarget(), replication_factor(2));
  const Tensor own = graph.addVariable(INT, {2}, "own");
  const Tensor common = graph.addVariable(INT, {2}, "common");
  graph.setTileMapping(own, 0);
  graph.setTileMapping(common, 1);
  const DataStream in = graph.addHostToDeviceFIFO("in", INT, 2);
  const DataStream broadcast = graph.addHostToDeviceFIFO(
      "broadcast", INT, 2, ReplicatedStreamMode::BROADCAST);
  const DataStream out = graph.addDeviceToHostFIFO("out", INT, 2);
  EXPECT_EQ(in.replicationFactor(), 2u);
  const Program prog = Sequence{Copy(in, own), Copy(broadcast, common),
                                Copy(own, out), Copy(common, out)};
  std::stringstream file;
  compileGraph(graph, {prog}).serialize(file);
  Engine engine(Executable::deserialize(file));
  engine.load(device);
  Numbers inputs = counted(4), shared = {8, 9}, outputs(8);
  engine.connectStream("in", inputs.data(), inputs.data() + 4);
  engine.connectStream("broadcast", shared.data());
  engine.connectStream("out", outputs.data(), outputs.data() + 8);
  engine.run();
  EXPECT_EQ(outputs, (Numbers{1, 2, 3, 4, 8, 9, 8, 9}));

  // A callback for each replica.
  std::vector<Numbers> got(2);
  for (unsigned r = 0; r != 2; ++r) {
    engine.connectStreamToCallback("in", r, [r](void *buffer) {
      static_cast<std::int32_t *>(buffer)[0] = 10 * r;
      static_cast<std::int32_t *>(buffer)[1] = 10 * r + 1;
    });
    engine.connectStreamToCallback("out", r, [&got, r](void *buffer) {
      const auto *data = static_cast<const std::int32_t *>(buffer);
      got[r].insert(got[r].end(), data, data + 2);
    });
  }
  engine.run();
  EXPECT_EQ(got[0], (Numbers{0, 1, 8, 9}));
  EXPECT_EQ(got[1], (Numbers{10, 11, 8, 9}));
  EXPECT_THROW(engine.connectStreamToCallback("in", 2, [](void *) {}),
               stream_connection_error);
}

TEST_P(ReplicationTest, CopyBetweenReplicas) {
  Graph graph(device.getTarget(), replication_factor(4));
  const Tensor from = graph.addVariable(INT, {2}, "from");
  const Tensor to = graph.addVariable(INT, {2}, "to");
  graph.setTileMapping(from, 0);
  graph.setTileMapping(to, 1);
  graph.createHostWrite("from", from);
  graph.createHostRead("to", to);
  graph.createHostRead("from", from);
  const std::map<unsigned, unsigned> ring = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
  Engine engine(graph, Sequence{CrossReplicaCopy(from, to, ring),
                                CrossReplicaCopy(from, from, {{2, 0}})});
  engine.load(device);
  const Numbers numbers = counted(8);
  engine.writeTensor("from", numbers.data(), numbers.data() + 8);
  engine.run();
  EXPECT_EQ(read(engine, "to", 8), (Numbers{7, 8, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(read(engine, "from", 8), (Numbers{5, 6, 3, 4, 5, 6, 7, 8}));
  EXPECT_THROW(CrossReplicaCopy(from, to, {{0, 1}, {1, 1}}),
               control_program_error);
  EXPECT_THROW(Engine(graph, CrossReplicaCopy(from, to, {{0, 4}})),
               graph_replication_error);
}

TEST_P(ReplicationTest, ParentOfReplicas) {
  Graph parent(device.getTarget());
  Graph replicas = parent.createReplicatedGraph(4);
  const Tensor part = replicas.addVariable(INT, {2}, "part");
  replicas.setTileMapping(part[0], 0);
  replicas.setTileMapping(part[1], isCpu() ? 0 : 1);
  const Tensor all = parent.getNonReplicatedTensor(part);
  EXPECT_EQ(all.shape(), (std::vector<std::size_t>{4, 2}));
  if (!isCpu()) {
    const auto mapping = parent.getTileMapping(all);
    EXPECT_EQ(mapping[0], (std::vector<Interval>{{0, 1}}));
    EXPECT_EQ(mapping[10], (std::vector<Interval>{{7, 8}}));
    EXPECT_THROW(parent.setTileMapping(all, 0), invalid_tile_mapping);
  }
  const Tensor total = parent.addVariable(INT, {4, 2}, "total");
  parent.setTileMapping(total, isCpu() ? 0 : 11);
  parent.createHostWrite("all", all);
  parent.createHostRead("all", all);
  parent.createHostRead("total", total);
  // In each replica, then across them.
  Engine engine(parent, Sequence{Copy(part.reverse(0), part), Copy(all, total),
                                 Copy(all[3], all[0])});
  engine.load(device);
  const Numbers numbers = counted(8);
  engine.writeTensor("all", numbers.data(), numbers.data() + 8);
  engine.run();
  EXPECT_EQ(read(engine, "total", 8), (Numbers{2, 1, 4, 3, 6, 5, 8, 7}));
  EXPECT_EQ(read(engine, "all", 8), (Numbers{8, 7, 4, 3, 6, 5, 8, 7}));
  EXPECT_THROW(Engine(parent, Copy(part, total[0])), graph_replication_error);
}

TEST_P(ReplicationTest, InitialValues) {
  Graph parent(device.getTarget());
  Graph replicas = parent.createReplicatedGraph(3);
  const Tensor part = replicas.addVariable(INT, {2}, "part");
  replicas.setTileMapping(part, 0);
  replicas.setInitialValue<std::int32_t>(part, {1, 2});
  const Tensor all = parent.getNonReplicatedTensor(part);
  parent.setInitialValue(all[1][1], 5);
  replicas.createHostRead("part", part);
  Engine engine(parent, Sequence());
  engine.load(device);
  EXPECT_EQ(read(engine, "part", 6), (Numbers{1, 2, 1, 5, 1, 2}));
}

TEST_P(ReplicationTest, RemoteBuffersOfReplicas) {
  Graph graph(device.getTarget(), replication_factor(2));
  const RemoteBuffer buffer = graph.addRemoteBuffer("remote", INT, 2, 2);
  const Tensor row = graph.addVariable(INT, {1, 2}, "row");
  const Tensor index = graph.addReplicationIndexConstant();
  graph.setTileMapping(row, 0);
  graph.setTileMapping(index, 0);
  graph.createHostWrite("row", row);
  Engine engine(graph, Copy(row, buffer, index.reshape({1})));
  engine.load(device);
  const Numbers numbers = counted(4);
  engine.writeTensor("row", numbers.data(), numbers.data() + 4);
  engine.run();
  Numbers result(8);
  for (unsigned r = 0; r != 2; ++r)
    for (int i = 0; i != 2; ++i)
      engine.copyFromRemoteBuffer("remote", &result[4 * r + 2 * i], i, r);
  EXPECT_EQ(result, (Numbers{1, 2, 0, 0, 0, 0, 3, 4}));
  EXPECT_THROW(engine.copyFromRemoteBuffer("remote", result.data(), 0, 2),
               stream_connection_error);
}

TEST_P(ReplicationTest, Decisions) {
  Graph graph(device.getTarget(), replication_factor(2));
  const Tensor flag = graph.addVariable(BOOL, {}, "flag");
  const Tensor value = graph.addVariable(INT, {}, "value");
  const Tensor one = graph.addConstant(INT, {}, 1);
  for (const Tensor &tensor : {flag, value, one})
    graph.setTileMapping(tensor, 0);
  graph.createHostWrite("flag", flag);
  graph.createHostRead("value", value);
  graph.createHostWrite("value", value);
  Engine engine(graph, Sequence{AssumeEqualAcrossReplicas(flag),
                                If(flag, Copy(one, value), Sequence())});
  engine.load(device);
  const bool equal[2] = {true, true}, different[2] = {true, false};
  engine.writeTensor("flag", equal);
  engine.run();
  EXPECT_EQ(read(engine, "value", 2), (Numbers{1, 1}));
  // Each takes its own branch (ReplicaBranchesTest.cpp).
  const std::int32_t zeros[2] = {};
  engine.writeTensor("value", zeros, zeros + 2);
  engine.writeTensor("flag", different);
  engine.run();
  EXPECT_EQ(read(engine, "value", 2), (Numbers{1, 0}));
}

TEST_P(ReplicationTest, Vertices) {
  if (GetParam() == TargetType::IPU)
    return; // the test's codelets are host code
  Graph parent(device.getTarget());
  parent.addCodelets(testArchive());
  Graph graph = parent.createReplicatedGraph(4);
  const Tensor in = graph.addVariable(INT, {3}, "in");
  const Tensor out = graph.addVariable(INT, {}, "out");
  const Tensor plain = parent.addVariable(INT, {3}, "plain");
  graph.setTileMapping(in, 0);
  graph.setTileMapping(out, isCpu() ? 0 : 1);
  parent.setTileMapping(plain, isCpu() ? 0 : 9);
  parent.setInitialValue(plain, 100);
  graph.createHostWrite("in", in);
  graph.createHostRead("out", out);
  const ComputeSet set = graph.addComputeSet("set");
  const auto addSum = [&](Graph &owner, ComputeSet where, const Tensor &from,
                          const Tensor &to) {
    const VertexRef vertex =
        owner.addVertex(where, "Sum", {{"in", from}, {"out", to}});
    owner.setInitialValue(vertex["scale"], 1);
    owner.setTileMapping(vertex, isCpu() ? 0 : 2);
  };
  addSum(graph, set, concat(in, plain.slice(0, 1)), out);
  Engine engine(parent, Execute(set));
  engine.load(device);
  const Numbers numbers = counted(12);
  engine.writeTensor("in", numbers.data(), numbers.data() + 12);
  engine.run();
  EXPECT_EQ(read(engine, "out", 4), (Numbers{106, 115, 124, 133}));

  // Replicas must not all write what there is once.
  const ComputeSet wrong = graph.addComputeSet("wrong");
  addSum(graph, wrong, in, plain[0]);
  EXPECT_THROW(Engine(parent, Execute(wrong)), graph_replication_error);
  // Nor has the parent a way to say which replica it means.
  const ComputeSet outside = parent.addComputeSet("outside");
  addSum(parent, outside, in, plain[0]);
  EXPECT_THROW(Engine(parent, Execute(outside)), graph_replication_error);
}

TEST_P(ReplicationTest, VirtualGraphs) {
  if (isCpu())
    return;
  Graph graph(device.getTarget());
  Graph second = graph.createVirtualGraph(3, 6);
  const Tensor value =
      second.addVariable(INT, {6}, VariableMappingMethod::LINEAR, "value");
  EXPECT_EQ(second.getTileMapping(value)[0], (std::vector<Interval>{{0, 2}}));
  const auto mapping = graph.getTileMapping(value);
  EXPECT_TRUE(mapping[0].empty());
  EXPECT_EQ(mapping[3], (std::vector<Interval>{{0, 2}}));
  EXPECT_EQ(second.convertVirtualTileToPhysicalTile(1), 4u);
  // A variable of the parent appears there with the elements on its tiles.
  const Tensor ofParent = graph.addVariable(INT, {3}, "ofParent");
  for (unsigned i = 0; i != 3; ++i)
    graph.setTileMapping(ofParent[i], 3 + i);
  EXPECT_EQ(second.getTileMapping(ofParent),
            (Graph::TileToTensorMapping{{{0, 1}}, {{1, 2}}, {{2, 3}}}));
  // From one IPU to another.
  const Tensor there = graph.addVariable(INT, {6}, "there");
  graph.setTileMapping(there, 11);
  graph.createHostWrite("value", value);
  graph.createHostRead("there", there);
  Engine engine(graph, Copy(value, there));
  engine.load(device);
  const Numbers numbers = counted(6);
  engine.writeTensor("value", numbers.data(), numbers.data() + 6);
  engine.run();
  EXPECT_EQ(read(engine, "there", 6), numbers);
}

INSTANTIATE_TEST_SUITE_P(Devices, ReplicationTest, allDeviceKinds(),
                         deviceKindName);

/// A program without streams, from which the number could be seen.
TEST(ReplicationReport, SaysHowManyReplicasThereAre) {
  Graph graph(Target::createIPUTarget(4, 4, "ipu2"), replication_factor(2));
  Tensor variable = graph.addVariable(FLOAT, {4}, "variable");
  graph.setTileMapping(variable, 0);
  graph.createHostWrite("variable", variable);
  Engine engine(graph, {Sequence()});
  ProfileValue target = engine.getGraphProfile()["target"];
  EXPECT_EQ(target["numReplicas"].asUint(), 2u);
  EXPECT_EQ(target["numIPUs"].asUint(), 4u);
}

} // namespace
