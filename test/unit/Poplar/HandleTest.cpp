// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles that nothing was assigned to, or whose contents were moved to
// another: whatever is done with them is an exception that says so, not a
// crash.

#include "TestArchive.h"

#include <poplar/CycleCount.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/RandomSeed.hpp>
#include <pva/pva.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <sstream>
#include <vector>

using namespace poplar;
using namespace poplar::program;

namespace {

/// Each action throws a poplar_error with `part` in its message.
void expectErrors(const char *part,
                  const std::vector<std::function<void()>> &actions) {
  for (std::size_t i = 0; i != actions.size(); ++i)
    try {
      actions[i]();
      ADD_FAILURE() << "action " << i << " throws nothing";
    } catch (const poplar_error &error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
          << "action " << i << ": " << error.what();
    }
}

class HandleTest : public ::testing::Test {
protected:
  HandleTest() {
    IPUModel model;
    model.numIPUs = 2;
    model.tilesPerIPU = 2;
    device = model.createDevice();
    graph = Graph(device.getTarget());
    value = graph.addVariable(INT, {4}, "value");
    graph.setTileMapping(value, 0);
  }

  Device device;
  Graph graph;
  Tensor value;
};

TEST_F(HandleTest, MovedEngine) {
  Engine engine(graph, Sequence());
  const Engine other = std::move(engine);
  int buffer[4];
  std::ostringstream out;
  expectErrors(
      "moved to another",
      {
          [&] { engine.load(device); },
          [&] { engine.prepare(device); },
          [&] { engine.deploy(); },
          [&] { engine.run(); },
          [&] { engine.run(0, "name", RuntimeOptions()); },
          [&] { engine.loadAndRun(device); },
          [&] { engine.readTensor("handle", buffer); },
          [&] { engine.writeTensor("handle", buffer); },
          [&] { engine.connectStream("handle", buffer); },
          [&] { engine.connectStreamToCallback("handle", [](void *) {}); },
          [&] { engine.listStreams(); },
          [&] {
            engine.connectHostFunction(
                "handle", [](ArrayRef<const void *>, ArrayRef<void *>) {});
          },
          [&] { engine.copyToRemoteBuffer(buffer, "handle", 0); },
          [&] { engine.copyFromRemoteBuffer("handle", buffer, 0); },
          [&] { engine.setPrintStream(out); },
          [&] { engine.enableExecutionProfiling(); },
          [&] { engine.disableExecutionProfiling(); },
          [&] { engine.resetExecutionProfile(); },
          [&] { engine.getGraphProfile(); },
          [&] { engine.getExecutionProfile(); },
          [&] { engine.printProfileSummary(out); },
          [&] { engine.getReport(); },
          [&] { engine.reportIntervals(out); },
          [&] { engine.serializeExecutable(out); },
      });
  engine = Engine(graph, Sequence());
  engine.loadAndRun(device);
}

TEST_F(HandleTest, MovedGraph) {
  Sequence program;
  const ComputeSet set = graph.addComputeSet();
  const Graph other = std::move(graph);
  std::ostringstream out;
  expectErrors("moved to another",
               {
                   [&] { graph.addVariable(INT, {1}); },
                   [&] { graph.addConstant(INT, {1}, 1); },
                   [&] { graph.addReplicationIndexConstant(); },
                   [&] { graph.clone(value); },
                   [&] { graph.setTileMapping(value, 0); },
                   [&] { graph.getTileMapping(value); },
                   [&] { graph.addComputeSet(); },
                   [&] { graph.addVertex(set, "Sum"); },
                   [&] { graph.hasCodelet("Sum"); },
                   [&] { graph.addFunction(program); },
                   [&] { graph.addHostToDeviceFIFO("stream", INT, 1); },
                   [&] { graph.addRemoteBuffer("rows", INT, 1); },
                   [&] { graph.addHostFunction("function", {}, {}); },
                   [&] { graph.createHostRead("handle", value); },
                   [&] { graph.createVirtualGraph(1); },
                   [&] { graph.createVirtualGraph(0, 1); },
                   [&] { graph.createReplicatedGraph(2); },
                   [&] { graph.getTopLevelGraph(); },
                   [&] { graph.outputComputeGraph(out); },
                   [&] { graph.serialize(out); },
                   [&] { cycleCount(graph, program, 0); },
                   [&] { getHwSeeds(graph, program); },
                   [&] { compileGraph(graph, {program}); },
                   [&] { Engine engine(graph, program); },
               });
}

TEST_F(HandleTest, Unassigned) {
  Engine engine(graph, Sequence());
  Device noDevice;
  unsigned version[3];
  std::ostringstream out;
  expectErrors("never assigned",
               {
                   [&] { noDevice.getTarget(); },
                   [&] { noDevice.attach(); },
                   [&] { noDevice.supportsRemoteBuffers(); },
                   [&] {
                     noDevice.getDriverVersion(version[0], version[1],
                                               version[2]);
                   },
                   [&] { noDevice.getNumaNodesUsedForIPUs(); },
                   [&] { engine.load(noDevice); },
                   [&] { Executable().serialize(out); },
                   [&] { Engine none((Executable())); },
                   [&] { Tensor().shape(); },
                   [&] { concat(Tensor(), value); },
                   [&] { Copy(value, Tensor()); },
                   [&] { Engine none(graph, WriteUndef(Tensor())); },
                   [&] { VertexRef()["field"]; },
               });
  EXPECT_THROW(Executable::deserialize(std::unique_ptr<std::istream>()),
               graph_object_load_error);
  EXPECT_THROW(graph.connect(FieldRef(), value), graph_connection_error);
  EXPECT_THROW(Engine none(graph, Execute(ComputeSet())), poplar_error);
  EXPECT_THROW(Engine none(graph, Call(Function())), poplar_error);
  EXPECT_THROW(Copy(DataStream(), value), poplar_error);
  EXPECT_THROW(Copy(RemoteBuffer(), value), poplar_error);
  EXPECT_THROW(Call(HostFunction(), {}, {}), poplar_error);
}

TEST_F(HandleTest, TensorsOfAGraphThatIsGone) {
  Tensor tensor;
  {
    Graph other(device.getTarget());
    tensor = other.addVariable(INT, {4}, "other");
    const Graph kept = std::move(other);
    tensor.slice(0, 2); // moving is not destroying
  }
  EXPECT_EQ(tensor.getDebugStr(), "<tensor of a graph that was destroyed>");
  expectErrors("graph was destroyed",
               {
                   [&] { tensor.shape(); },
                   [&] { tensor[0]; },
                   [&] { tensor.containsConstant(); },
                   [&] { concat(value, tensor); },
                   [&] { graph.setTileMapping(tensor, 0); },
                   [&] { graph.clone(tensor); },
                   [&] { Copy(tensor, value); },
                   [&] { PrintTensor print(tensor); },
               });
  EXPECT_NE(tensor, value);
  tensor = value;
  EXPECT_EQ(tensor, value);
}

TEST_F(HandleTest, VerticesOfAGraphThatIsGone) {
  VertexRef vertex;
  FieldRef field;
  {
    Graph other(device.getTarget());
    other.addCodelets(testArchive());
    vertex = other.addVertex(other.addComputeSet("set"), "Sum");
    field = vertex["in"];
  }
  expectErrors("graph was destroyed", {[&] { vertex["in"]; }});
  EXPECT_THROW(graph.connect(field, value), graph_connection_error);
  EXPECT_THROW(graph.setTileMapping(vertex, 0), poplar_error);
  EXPECT_THROW(graph.setPerfEstimate(vertex, 1), poplar_error);
}

TEST_F(HandleTest, MovedTargetsKeepTheirFacts) {
  Target target = device.getTarget();
  const Target other = std::move(target);
  EXPECT_EQ(target.getNumTiles(), 4u);
  EXPECT_EQ(target, other);
}

TEST_F(HandleTest, MovedProgramsAreEmpty) {
  Sequence first(Copy(value, value));
  Sequence second = std::move(first);
  EXPECT_TRUE(first.isEmpty());
  EXPECT_FALSE(second.isEmpty());
  // It may be used again, and what it held before is not there.
  first.add(Copy(value, value));
  EXPECT_FALSE(first.isEmpty());
  Program third;
  third = std::move(second);
  EXPECT_TRUE(second.isEmpty());
  EXPECT_FALSE(third.isEmpty());
  Program &same = third;
  third = std::move(same);
  EXPECT_FALSE(third.isEmpty());
  const std::vector<Program> none(2, Program(std::move(first)));
  EXPECT_TRUE(first.isEmpty());
  EXPECT_EQ(none[0], none[1]);
  Switch choice(value.reinterpret(INT).flatten()[0].reshape({}), {{1, third}});
  const Program kept = std::move(choice);
  EXPECT_TRUE(choice.isEmpty());
  EXPECT_THROW(choice.add(2, third), control_program_error);
  Engine engine(graph, Sequence({first, second, third, kept, choice}));
  engine.loadAndRun(device);
}

} // namespace
