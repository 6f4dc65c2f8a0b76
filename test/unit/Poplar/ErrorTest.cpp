// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mistakes of users: each throws an exception of the right type, whose message
// names the object and says what to do.

#include "test/unit/Poplar/TestArchive.h"

#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/EngineOptions.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/MetadataCreation.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <functional>

using namespace poplar;

namespace {

class ErrorTest : public ::testing::Test {
protected:
  ErrorTest() {
    IPUModel model;
    model.tilesPerIPU = 2;
    device = model.createDevice();
    graph = Graph(device.getTarget());
    graph.addCodelets(testArchive());
    set = graph.addComputeSet("my set");
    value = graph.addVariable(INT, {4}, "my value");
    graph.setTileMapping(value, 0);
  }

  /// Runs `action`, which must throw E with a message that has all `parts`.
  template <typename E, typename F>
  void expectError(F action, std::initializer_list<const char *> parts) {
    try {
      action();
      ADD_FAILURE() << "no exception";
    } catch (const E &error) {
      for (const char *part : parts)
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
            << "'" << part << "' is not in: " << error.what();
    }
  }

  Device device;
  Graph graph;
  ComputeSet set;
  Tensor value;
};

TEST_F(ErrorTest, UnknownVertexType) {
  expectError<unknown_vertex_type>([&] { graph.addVertex(set, "Summ"); },
                                   {"'Summ'", "did you mean 'Sum'?"});
  Graph empty(device.getTarget());
  expectError<unknown_vertex_type>(
      [&] { empty.addVertex(empty.addComputeSet(), "Sum"); },
      {"'Sum'", "addCodelets"});
}

TEST_F(ErrorTest, UnknownField) {
  const VertexRef vertex = graph.addVertex(set, "Sum");
  expectError<unknown_field>([&] { vertex["inn"]; },
                             {"'Sum'", "'inn'", "did you mean 'in'?"});
}

TEST_F(ErrorTest, Connections) {
  const VertexRef vertex = graph.addVertex(set, "Sum");
  expectError<graph_connection_error>(
      [&] { graph.connect(vertex["in"], value.reinterpret(FLOAT)); },
      {"'in'", "'Sum'", "'my set'", "int", "float", "'my value'"});
  expectError<graph_connection_error>(
      [&] { graph.connect(vertex["out"], value); },
      {"'out'", "single element", "4 elements"});
  const Tensor constant = graph.addConstant<int>(INT, {}, 1, "my constant");
  expectError<graph_connection_error>(
      [&] { graph.connect(vertex["out"], constant); },
      {"'out'", "written", "'my constant'"});
  expectError<graph_connection_error>(
      [&] { graph.connect(vertex["scale"], value[0]); },
      {"'scale'", "setInitialValue"});
  expectError<graph_connection_error>(
      [&] { graph.setInitialValue(vertex["in"], 1); }, {"'in'", "connected"});
  graph.connect(vertex["in"], value);
  expectError<graph_connection_error>(
      [&] { graph.connect(vertex["in"], value); }, {"'in'", "twice"});
}

TEST_F(ErrorTest, MatrixForAVector) {
  const VertexRef vertex = graph.addVertex(set, "Sum");
  expectError<graph_connection_error>(
      [&] { graph.connect(vertex["in"], value.reshape({2, 2})); },
      {"'in'", "'Sum'", "'my set'", "'my value'", "2 dimensions", "flatten"});
  // A list of tensors is put together, whatever their shapes.
  graph.connect(vertex["in"],
                ArrayRef<Tensor>({value.slice(0, 2), value.slice(2, 4)}));
}

TEST_F(ErrorTest, UnconnectedField) {
  const VertexRef vertex = graph.addVertex(set, "Sum", {{"in", value}});
  graph.setTileMapping(vertex, 0);
  expectError<graph_connection_error>(
      [&] { Engine engine(graph, program::Execute(set)); },
      {"'out'", "'Sum'", "'my set'", "not connected"});
}

TEST_F(ErrorTest, TwoVerticesWriteOneElement) {
  for (unsigned i = 0; i != 2; ++i)
    graph.setTileMapping(
        graph.addVertex(set, "Sum", {{"in", value}, {"out", value[1]}}), 1);
  expectError<graph_connection_error>(
      [&] { Engine engine(graph, program::Execute(set)); },
      {"my set", "'my value'", "two vertices"});
}

TEST_F(ErrorTest, TwoVerticesWriteOneElementInPlace) {
  // Both on the element's own tile.
  VertexRef vertices[2];
  for (VertexRef &vertex : vertices) {
    vertex = graph.addVertex(set, "Sum", {{"in", value.slice(1, 4)}});
    graph.setInitialValue(vertex["scale"], 1);
    graph.connect(vertex["out"], value[0]);
    graph.setTileMapping(vertex, 0);
  }
  expectError<graph_connection_error>(
      [&] { Engine engine(graph, program::Execute(set)); },
      {"vertex 0", "vertex 1", "'Sum'", "'my set'", "'my value'"});
  // One there, and one that sends its result.
  graph.setTileMapping(vertices[1], 1);
  expectError<graph_connection_error>(
      [&] { Engine engine(graph, program::Execute(set)); },
      {"'my set'", "two vertices", "'my value'"});
}

TEST_F(ErrorTest, MovedGraph) {
  const Graph other = std::move(graph);
  expectError<poplar_error>([&] { graph.addVariable(INT, {1}); },
                            {"moved to another"});
  expectError<poplar_error>([&] { Engine engine(graph, program::Sequence()); },
                            {"moved"});
}

TEST_F(ErrorTest, TwoGraphs) {
  Graph other(device.getTarget());
  other.addCodelets(testArchive());
  const Tensor foreign = other.addVariable(INT, {4}, "foreign");
  other.setTileMapping(foreign, 0);
  const VertexRef vertex = graph.addVertex(set, "Sum");
  const auto expectForeign = [&](std::function<void()> action) {
    expectError<poplar_error>(action, {"'foreign'", "another graph"});
  };
  expectForeign([&] { graph.setTileMapping(foreign, 0); });
  expectForeign([&] { graph.getTileMapping(foreign); });
  expectForeign([&] { graph.setInitialValue(foreign, 3); });
  expectForeign([&] { graph.clone(foreign); });
  expectForeign([&] { graph.createHostRead("foreign", foreign); });
  expectForeign([&] { graph.connect(vertex["in"], foreign); });
  expectForeign([&] { Engine(graph, program::Copy(foreign, value)); });
  expectForeign([&] { Engine(graph, program::PrintTensor("it", foreign)); });
  expectError<poplar_error>([&] { concat(value, foreign); }, {"another graph"});
  expectError<poplar_error>([&] { other.connect(vertex["in"], foreign); },
                            {"another graph"});
  expectError<poplar_error>([&] { other.setInitialValue(vertex["scale"], 1); },
                            {"another graph"});
}

TEST_F(ErrorTest, GraphChangedAfterCompile) {
  graph.createHostRead("result", value);
  Engine engine(graph, program::Sequence());
  // The engine has no tensors that are added later.
  const Tensor later = graph.addVariable(INT, {4}, "later");
  graph.createHostRead("later", later);
  engine.load(device);
  int buffer[4];
  expectError<tensor_io_state_error>(
      [&] { engine.readTensor("later", buffer); }, {"'later'"});
  engine.readTensor("result", buffer);
}

TEST_F(ErrorTest, Unmapped) {
  const VertexRef vertex =
      graph.addVertex(set, "Sum", {{"in", value}, {"out", value[0]}});
  expectError<invalid_tile_mapping>(
      [&] { Engine engine(graph, program::Execute(set)); },
      {"'Sum'", "'my set'", "setTileMapping"});
  graph.setTileMapping(vertex, 0);
  const Tensor lost = graph.addVariable(INT, {4}, "lost");
  graph.setTileMapping(lost.slice(0, 2), 0);
  expectError<invalid_tile_mapping>(
      [&] { Engine engine(graph, program::Copy(value, lost)); },
      {"'lost'", "element 2", "setTileMapping"});
  expectError<invalid_tile_mapping>([&] { graph.setTileMapping(lost, 2); },
                                    {"'lost'", "tile 2", "2 tiles"});
  expectError<invalid_tile_mapping>([&] { graph.setTileMapping(vertex, 3); },
                                    {"'Sum'", "'my set'", "tile 3"});
}

TEST_F(ErrorTest, Views) {
  expectError<poplar_error>([&] { value.slice(1, 5); },
                            {"slice", "'my value'", "{4}", "[1,5)"});
  expectError<poplar_error>([&] { value.reshape({3}); },
                            {"reshape", "'my value'", "{3}"});
  // A tensor of many variables names some of them.
  Tensor all = value;
  for (unsigned i = 0; i != 6; ++i)
    all = concat(all, graph.addVariable(INT, {1}, 'v' + std::to_string(i)));
  expectError<poplar_error>([&] { all[10]; },
                            {"'my value' 'v0' 'v1' 'v2' and 3 more"});
}

TEST_F(ErrorTest, Copies) {
  const Tensor other = graph.addVariable(INT, {3}, "other");
  expectError<control_program_error>([&] { program::Copy(value, other, "c"); },
                                     {"'c'", "4 elements", "3"});
  expectError<control_program_error>(
      [&] { program::Copy(value.reinterpret(FLOAT), value); },
      {"float", "int"});
  expectError<control_program_error>(
      [&] { program::Copy(value, value.slice(0, 1).broadcast(4, 0)); },
      {"twice", "'my value'"});
}

TEST_F(ErrorTest, MemoryOfATile) {
  const Tensor large = graph.addVariable(FLOAT, {200, 1000}, "large one");
  graph.setTileMapping(large, 1);
  const program::Program use = program::PrintTensor(large);
  // 800,000 bytes on a tile that has 638,976.
  expectError<graph_memory_allocation_error>(
      [&] { Engine engine(graph, use); },
      {"tile 1", "800,000", "161,024 more", "'large one'"});
  Engine engine(graph, use, {{"debug.allowOutOfMemory", "true"}});
  engine.load(device);
}

TEST_F(ErrorTest, Options) {
  expectError<invalid_option>(
      [&] {
        Engine engine(graph, program::Sequence(),
                      {{"debug.instrumnt", "true"}});
      },
      {"'debug.instrumnt'", "did you mean 'debug.instrument'?"});
  expectError<invalid_option>(
      [&] {
        Engine engine(graph, program::Sequence(),
                      {{"debug.allowOutOfMemory", "yes"}});
      },
      {"debug.allowOutOfMemory", "'yes'"});
  expectError<invalid_option>(
      [&] {
        compileGraph(graph, {program::Sequence()},
                     {{"opt.maxCompilationThreads", "many"}});
      },
      {"opt.maxCompilationThreads", "'many'", "a number"});
}

TEST_F(ErrorTest, EngineUse) {
  graph.createHostRead("result", value);
  const DataStream stream = graph.addHostToDeviceFIFO("numbers", INT, 4);
  Engine engine(graph, program::Copy(stream, value));
  int buffer[4] = {};
  expectError<poplar_error>([&] { engine.run(); }, {"load"});
  expectError<poplar_error>([&] { engine.load(Device::createCPUDevice()); },
                            {"IPU_MODEL", "CPU"});
  engine.load(device);
  expectError<application_runtime_error>([&] { engine.run(); }, {"numbers"});
  expectError<poplar_error>([&] { engine.run(1); }, {"program 1"});
  expectError<tensor_io_state_error>(
      [&] { engine.readTensor("resul", buffer); },
      {"'resul'", "did you mean 'result'?"});
  expectError<tensor_io_state_error>(
      [&] { engine.readTensor("result", buffer, buffer + 3); }, {"16", "12"});
  expectError<tensor_io_state_error>(
      [&] { engine.readTensor("result", buffer + 4, buffer); },
      {"16 bytes", "has 0"});
  expectError<stream_connection_error>(
      [&] { engine.connectStream("number", buffer); },
      {"'number'", "did you mean 'numbers'?"});
}

TEST_F(ErrorTest, NullPointers) {
  graph.createHostRead("result", value);
  graph.createHostWrite("start", value);
  const DataStream stream = graph.addHostToDeviceFIFO("numbers", INT, 4);
  graph.addHostFunction("function", {}, {});
  Engine engine(graph, program::Copy(stream, value));
  engine.load(device);
  expectError<tensor_io_state_error>(
      [&] { engine.readTensor("result", nullptr); }, {"'result'", "null"});
  expectError<tensor_io_state_error>(
      [&] { engine.writeTensor("start", nullptr); }, {"'start'", "null"});
  const auto expectUnconnected = [&](std::function<void()> action,
                                     const char *name) {
    expectError<stream_connection_error>(action, {name, "was connected to"});
  };
  expectUnconnected([&] { engine.connectStream("numbers", nullptr); },
                    "'numbers'");
  expectUnconnected(
      [&] {
        engine.connectStreamToCallback("numbers",
                                       std::unique_ptr<StreamCallback>());
      },
      "'numbers'");
  expectUnconnected(
      [&] {
        engine.connectHostFunction("function", std::unique_ptr<HostCallback>());
      },
      "'function'");
}

TEST_F(ErrorTest, EmptyFunctions) {
  graph.addHostToDeviceFIFO("numbers", INT, 4);
  graph.addHostFunction("function", {}, {});
  Engine engine(graph, program::Sequence());
  const std::function<void(void *)> nothing;
  void (*const nowhere)(void *) = nullptr;
  const std::function<void(ArrayRef<const void *>, ArrayRef<void *>)> none;
  const auto expectRefused = [&](std::function<void()> action) {
    expectError<stream_connection_error>(action, {"connected to no callback"});
  };
  expectRefused([&] { engine.connectStreamToCallback("numbers", nothing); });
  expectRefused([&] { engine.connectStreamToCallback("numbers", 0, nothing); });
  expectRefused([&] { engine.connectStreamToCallback("numbers", nowhere); });
  expectRefused([&] { engine.connectHostFunction("function", none); });
}

TEST_F(ErrorTest, Buffers) {
  graph.addHostToDeviceFIFO("numbers", INT, 4);
  graph.addRemoteBuffer("rows", INT, 4);
  Engine engine(graph, program::Sequence());
  engine.load(device);
  int buffer[4] = {};
  expectError<stream_connection_error>(
      [&] { engine.connectStream("numbers", buffer + 4, buffer); },
      {"'numbers'", "16 bytes", "has 0"});
  expectError<stream_connection_error>(
      [&] { engine.copyToRemoteBuffer(nullptr, "rows", 0); },
      {"'rows'", "null"});
  expectError<stream_connection_error>(
      [&] { engine.copyFromRemoteBuffer("rows", nullptr, 0); },
      {"'rows'", "null"});
  const float *const numbers = nullptr;
  expectError<tensor_creation_error>(
      [&] { graph.addConstant(FLOAT, {2}, numbers, "my numbers"); },
      {"'my numbers'", "null"});
}

TEST_F(ErrorTest, VirtualGraphs) {
  expectError<invalid_tile_mapping>([&] { graph.createVirtualGraph({1, 1}); },
                                    {"tile 1", "twice"});
  expectError<invalid_tile_mapping>([&] { graph.createVirtualGraph({0, 2}); },
                                    {"tile 2"});
  expectError<poplar_error>([&] { graph.createVirtualGraph(3); }, {"3 tiles"});
}

TEST_F(ErrorTest, ReorderToSimplify) {
  Tensor reference = value, shorter = value.slice(0, 2);
  Tensor matrix = value.reshape({2, 2});
  expectError<poplar_error>([&] { graph.reorderToSimplify(nullptr, {}); },
                            {"no tensor"});
  expectError<poplar_error>(
      [&] { graph.reorderToSimplify(&reference, {&shorter}); },
      {"'my value'", "{2}", "{4}"});
  expectError<poplar_error>([&] { graph.reorderToSimplify(&matrix, {}); },
                            {"'my value'", "{2,2}"});
}

TEST_F(ErrorTest, DeviceAndStreamOptions) {
  const DeviceManager manager;
  const OptionFlags wrong = {{"syncConfigration", "default"}};
  const auto expectRefused = [&](std::function<void()> action) {
    expectError<invalid_option>(action, {"did you mean 'syncConfiguration'?"});
  };
  expectRefused([&] { manager.getDevices(wrong); });
  expectRefused([&] { manager.getDevices(TargetType::IPU, 1, wrong); });
  expectRefused([&] { manager.getDevice(0, wrong); });
  const auto devices =
      manager.getDevices(TargetType::IPU, 2, {{"ipuLinkDomainSize", "64"}});
  EXPECT_EQ(devices.at(0).getTarget().getIpuLinkDomainSize(), 64u);
  expectError<invalid_option>(
      [&] {
        graph.addDeviceToHostFIFO("numbers", INT, 4,
                                  {{"bufferingDepth", "deep"}});
      },
      {"'numbers'", "bufferingDepth", "'deep'"});
}

TEST_F(ErrorTest, NotSupported) {
  expectError<not_supported_error>(
      [&] { graph.addExternalExchangeVertex(set, "Sum", 1, false); },
      {"addExternalExchangeVertex", "'Sum'"});
}

TEST_F(ErrorTest, OptionsOfARun) {
  expectError<invalid_option>(
      [&] { RuntimeOptions({{"debug.instrument", "true"}}); },
      {"'debug.instrument'", "cannot change"});
  expectError<invalid_option>(
      [&] { RuntimeOptions({{"target.hostSyncTimeout", "soon"}}); },
      {"target.hostSyncTimeout", "'soon'"});
  expectError<invalid_option>(
      [&] { EngineOptions(device.getTarget(), {{"target.nothing", "1"}}); },
      {"'target.nothing'"});
  const program::Repeat longer(100, program::Sync(SyncType::INTERNAL));
  Engine engine(
      graph, longer,
      EngineOptions(device.getTarget(), {{"debug.allowOutOfMemory", "false"}}));
  engine.load(device);
  expectError<application_runtime_error>(
      [&] {
        engine.run(0, "short",
                   RuntimeOptions({{"target.hostSyncTimeout", "1e-8"}}));
      },
      {"timeout"});
  engine.run(); // with the engine's own option again
  engine.prepare(device, RuntimeOptions({{"target.hostSyncTimeout", "1e-8"}}));
  expectError<application_runtime_error>([&] { engine.run(); }, {"timeout"});
}

TEST_F(ErrorTest, Files) {
  expectError<file_load_error>([&] { graph.addCodelets("missing.gp"); },
                               {"missing.gp"});
  expectError<file_load_error>([&] { graph.addCodelets("missing.cpp"); },
                               {"missing.cpp"});
  std::stringstream damaged("this is no executable");
  EXPECT_THROW(Executable::deserialize(damaged), poplar_error);
}

TEST_F(ErrorTest, CodeForAnotherTarget) {
  Graph ipu(Target::createIPUTarget(1, 2, "ipu2"));
  ipu.addCodelets(testArchive());
  const ComputeSet ipuSet = ipu.addComputeSet("set");
  const Tensor v = ipu.addVariable(INT, {4}, "v");
  ipu.setTileMapping(v, 0);
  ipu.setTileMapping(ipu.addVertex(ipuSet, "Sum", {{"in", v}, {"out", v[0]}}),
                     0);
  expectError<graph_object_load_error>(
      [&] { Engine engine(ipu, program::Execute(ipuSet)); },
      {"'Sum'", "ipu2", "only for cpu"});
}

} // namespace
