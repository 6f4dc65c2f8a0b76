// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The user guide's chapter on profiling, field by field: every name that it
// lists is in the profiles, with a value of the kind that it shows.

#include "test/unit/Poplar/TestArchive.h"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>

using namespace poplar;

namespace {

constexpr unsigned Tiles = 3;

class GuideFields : public ::testing::Test {
protected:
  GuideFields() {
    IPUModel model;
    model.tilesPerIPU = Tiles;
    Device device = model.createDevice();
    Graph graph(device.getTarget());
    graph.addCodelets(testArchive());
    const Tensor in = graph.addVariable(INT, {12}, "in");
    const Tensor out = graph.addVariable(INT, {1}, "out");
    graph.setTileMapping(in, 0);
    graph.setTileMapping(out, 1);
    const ComputeSet set = graph.addComputeSet("sums");
    const VertexRef vertex =
        graph.addVertex(set, "Sum", {{"in", in}, {"out", out[0]}});
    graph.setTileMapping(vertex, 1);
    graph.setPerfEstimate(vertex, 100);
    const DataStream stream =
        graph.addHostToDeviceFIFO("stream", INT, in.numElements());
    const Function function =
        graph.addFunction(program::Sequence{program::Execute(set)});
    engine.reset(new Engine(graph, program::Sequence{program::Copy(stream, in),
                                                     program::Call(function),
                                                     program::Call(function)}));
    engine->connectStream("stream", data, data + 12);
    engine->load(device);
    engine->run();
  }

  int data[12] = {};
  std::unique_ptr<Engine> engine;
};

/// The value at a path such as "memory.byTile"; null: there is none.
const ProfileValue *find(const ProfileValue &value, const std::string &path) {
  const std::size_t dot = path.find('.');
  const ProfileValue *member = value.getOrNull(path.substr(0, dot));
  return member && dot != std::string::npos
             ? find(*member, path.substr(dot + 1))
             : member;
}

void expectNumbers(const ProfileValue &value,
                   std::initializer_list<const char *> paths) {
  for (const char *path : paths) {
    const ProfileValue *found = find(value, path);
    ASSERT_NE(found, nullptr) << path;
    EXPECT_EQ(found->type(), ProfileValue::Type::NUMBER) << path;
  }
}

void expectLists(const ProfileValue &value, std::size_t size,
                 std::initializer_list<const char *> paths) {
  for (const char *path : paths) {
    const ProfileValue *found = find(value, path);
    ASSERT_NE(found, nullptr) << path;
    EXPECT_EQ(found->asVector().size(), size) << path;
  }
}

TEST_F(GuideFields, Target) {
  const ProfileValue graph = engine->getGraphProfile();
  EXPECT_EQ(graph["target"]["type"].asString(), "IPU_MODEL");
  expectNumbers(graph["target"],
                {"bytesPerIPU", "bytesPerTile", "clockFrequency", "numIPUs",
                 "tilesPerIPU", "numTiles", "totalMemory", "minSyncDelay"});
  expectLists(graph, Tiles, {"target.relativeSyncDelayByTile"});
}

TEST_F(GuideFields, Graph) {
  const ProfileValue graph = engine->getGraphProfile();
  for (const auto &[name, value] : graph["optimizationInfo"].asMap())
    EXPECT_EQ(value.type(), ProfileValue::Type::NUMBER) << name;
  EXPECT_FALSE(graph["optimizationInfo"].asMap().empty());
  expectNumbers(graph["graph"],
                {"numComputeSets", "numEdges", "numVars", "numVertices"});
  expectLists(graph, 1,
              {"vertexTypes.names", "vertexTypes.sizes", "computeSets.names",
               "computeSets.vertexCounts", "computeSets.vertexTypes",
               "computeSets.cycleEstimates.activeCyclesByTile",
               "computeSets.cycleEstimates.activeCyclesByVertexType",
               "computeSets.cycleEstimates.cyclesByTile",
               "exchanges.bytesReceivedByTile", "exchanges.bytesSentByTile",
               "exchanges.cyclesByTile", "hostExchanges.bytesReceivedByTile",
               "hostExchanges.bytesSentByTile",
               "hostExchanges.estimatedCyclesByTile", "controlPrograms",
               "functionPrograms"});
  expectLists(graph, 0,
              {"externalExchanges.bytesReceivedByTile",
               "externalExchanges.bytesSentByTile",
               "externalExchanges.estimatedCyclesByTile"});
  EXPECT_EQ(graph["exchanges"]["cyclesByTile"][0].size(), Tiles);
}

TEST_F(GuideFields, Programs) {
  const ProfileValue graph = engine->getGraphProfile();
  std::map<std::string, const ProfileValue *> byType;
  for (const ProfileValue &program : graph["programs"].asVector())
    byType[program["type"].asString()] = &program;
  for (const char *type :
       {"Sequence", "StreamCopy", "Call", "DoExchange", "OnTileExecute"})
    ASSERT_TRUE(byType.count(type)) << type;
  EXPECT_NE(byType["Sequence"]->getOrNull("children"), nullptr);
  EXPECT_NE(byType["StreamCopy"]->getOrNull("exchange"), nullptr);
  EXPECT_NE(byType["Call"]->getOrNull("target"), nullptr);
  EXPECT_NE(byType["OnTileExecute"]->getOrNull("computeSet"), nullptr);
  EXPECT_NE(byType["DoExchange"]->getOrNull("exchange"), nullptr);
  const ProfileValue &code = (*byType["DoExchange"])["memoryByInstruction"];
  std::uint64_t sum = 0;
  for (const char *kind :
       {"delay", "exchange", "other", "receiveAddress", "receiveFormat",
        "receiveMux", "send", "sendWithPutAddress", "sendWithPutFormat",
        "sendWithPutMux"})
    sum += code[kind].asUint();
  EXPECT_EQ(code["total"].asUint(), sum);
  EXPECT_GT(sum, 0u);
}

TEST_F(GuideFields, Memory) {
  const ProfileValue graph = engine->getGraphProfile();
  expectLists(graph["memory"]["byTile"], Tiles,
              {"interleaved", "interleavedIncludingGaps", "nonInterleaved",
               "nonInterleavedIncludingGaps", "overflowed",
               "overflowedIncludingGaps", "total", "totalIncludingGaps"});
  // Categories without memory are left out.
  const std::set<std::string> known = {"constant",
                                       "controlCode",
                                       "hostExchangeCode",
                                       "internalExchangeCode",
                                       "message",
                                       "outputEdge",
                                       "rearrangement",
                                       "sharedDataStorage",
                                       "stack",
                                       "variable",
                                       "vertexCode",
                                       "vertexFieldData",
                                       "vertexInstanceState"};
  const auto &byCategory = graph["memory"]["byCategory"].asMap();
  for (const char *category : {"variable", "message", "vertexInstanceState"})
    EXPECT_TRUE(byCategory.count(category)) << category;
  for (const auto &[name, category] : byCategory) {
    EXPECT_TRUE(known.count(name)) << name;
    expectLists(category, Tiles,
                {"interleaved.nonOverlapped", "interleaved.overlapped",
                 "nonInterleaved.nonOverlapped", "nonInterleaved.overlapped",
                 "overflowed.nonOverlapped", "overflowed.overlapped", "total"});
  }
  for (const char *by : {"byComputeSet", "byVertexType"})
    expectLists(graph["memory"][by], 1,
                {"codeBytes", "copyPtrBytes", "descriptorBytes", "edgePtrBytes",
                 "paddingBytes", "totalBytes", "vertexDataBytes"});
}

/// The sums over regions and over categories equal the totals of the tiles.
TEST_F(GuideFields, MemoryAddsUp) {
  const ProfileValue graph = engine->getGraphProfile();
  const ProfileValue &memory = graph["memory"];
  const ProfileValue &byTile = memory["byTile"];
  for (unsigned tile = 0; tile != Tiles; ++tile) {
    const auto at = [&](const ProfileValue &list) {
      return list[tile].asUint();
    };
    EXPECT_EQ(at(byTile["interleaved"]) + at(byTile["nonInterleaved"]) +
                  at(byTile["overflowed"]),
              at(byTile["total"]));
    for (const auto &[name, category] : memory["byCategory"].asMap())
      EXPECT_EQ(at(category["interleaved"]["nonOverlapped"]) +
                    at(category["nonInterleaved"]["nonOverlapped"]) +
                    at(category["overflowed"]["nonOverlapped"]),
                at(category["total"]))
          << name;
    const ProfileValue &types = memory["byVertexType"];
    EXPECT_EQ(at(types["vertexDataBytes"][0]) + at(types["edgePtrBytes"][0]) +
                  at(types["paddingBytes"][0]),
              at(memory["byCategory"]["vertexInstanceState"]["total"]));
  }
}

TEST_F(GuideFields, Execution) {
  const ProfileValue execution = engine->getExecutionProfile();
  EXPECT_EQ(execution["profilerMode"].asString(), "IPU_MODEL");
  EXPECT_FALSE(execution["programTrace"].asVector().empty());
  expectNumbers(execution["simulation"],
                {"cycles", "tileCycles.activeCompute", "tileCycles.compute",
                 "tileCycles.copySharedStructure", "tileCycles.doExchange",
                 "tileCycles.globalExchange", "tileCycles.streamCopy",
                 "tileCycles.sync"});
  std::map<std::string, const ProfileValue *> byType;
  for (const ProfileValue &step : execution["simulation"]["steps"].asVector())
    byType[step["type"].asString()] = &step;
  for (const char *type : {"Sync", "StreamCopy", "DoExchange", "OnTileExecute"})
    ASSERT_TRUE(byType.count(type)) << type;
  EXPECT_NE(byType["Sync"]->getOrNull("syncType"), nullptr);
  for (const char *type : {"StreamCopy", "DoExchange", "OnTileExecute"})
    expectNumbers(*byType[type],
                  {"program", "tileBalance", "activeTiles", "activeTileBalance",
                   "cycles", "cyclesFrom", "cyclesTo"});
  for (const char *type : {"StreamCopy", "DoExchange"})
    expectNumbers(*byType[type], {"totalData", "dataBalance"});
  expectNumbers(*byType["OnTileExecute"],
                {"threadBalance", "computeSet", "cyclesOverlapped"});
  expectNumbers(*byType["DoExchange"], {"exchange", "cyclesOverlapped"});
  expectNumbers(*byType["StreamCopy"], {"hostExchange"});
  // A worker issues in one cycle of six, and its launch takes some.
  const double threads = (*byType["OnTileExecute"])["threadBalance"].asDouble();
  EXPECT_GT(threads, 0.1);
  EXPECT_LT(threads, 1.0 / 6);
}

/// On a device that counts, the modes that the guide lists, with the fields of
/// each.
TEST(GuideFieldsOfModes, Execution) {
  const Device device =
      Device::createSimulatorDevice(Target::createIPUTarget(1, Tiles, "ipu2"));
  Graph graph(device.getTarget());
  std::stringstream source(R"(
    #include <poplar/Vertex.hpp>
    struct Sum : poplar::Vertex {
      poplar::Input<poplar::Vector<int>> in;
      poplar::Output<int> out;
      bool compute() {
        int sum = 0;
        for (int value : in)
          sum += value;
        *out = sum;
        return true;
      }
    };)");
  graph.addCodelets(source);
  const Tensor in = graph.addVariable(INT, {12}, "in");
  const Tensor out = graph.addVariable(INT, {2}, "out");
  graph.setTileMapping(in, 0);
  graph.setTileMapping(out, 1);
  const ComputeSet set = graph.addComputeSet("sums");
  for (unsigned i = 0; i != 2; ++i)
    graph.setTileMapping(
        graph.addVertex(set, "Sum", {{"in", in}, {"out", out[i]}}), 1);
  const DataStream stream = graph.addHostToDeviceFIFO("stream", INT, 12);
  int data[12] = {};
  const auto profileOf = [&](const char *level) {
    Engine engine(graph,
                  program::Sequence{program::Copy(stream, in),
                                    program::Repeat(3, program::Execute(set))},
                  {{"debug.computeInstrumentationLevel", level}});
    engine.connectStream("stream", data, data + 12);
    engine.load(device);
    engine.run();
    return engine.getExecutionProfile();
  };
  const std::map<const char *, const char *> modes = {
      {"tile", "COMPUTE_SETS"},
      {"vertex", "VERTICES"},
      {"device", "SINGLE_TILE_COMPUTE_SETS"},
      {"ipu", "SINGLE_TILE_COMPUTE_SETS"}};
  for (const auto &[level, mode] : modes) {
    const ProfileValue profile = profileOf(level);
    EXPECT_EQ(profile["profilerMode"].asString(), mode);
    expectLists(
        profile, 1,
        {"computeSetCyclesByTile", "computeSetCycles", "hostExchangeCycles"});
    expectLists(profile, 0, {"externalExchangeCycles"});
    const std::uint64_t slowest = profile["computeSetCycles"][0].asUint();
    EXPECT_GT(slowest, 0u);
    EXPECT_EQ(profile["computeSetCyclesByTile"][0][1].asUint(), slowest);
    EXPECT_GT(profile["hostExchangeCycles"][0][0].asUint(), 0u);
    const std::size_t vertices = mode == std::string("VERTICES") ? 2 : 0;
    expectLists(profile, vertices,
                {"vertexCycles", "vertexComputeSet", "vertexType"});
    if (vertices == 0)
      continue;
    // They run beside each other, after their launches.
    EXPECT_GT(profile["vertexCycles"][0].asUint(), 0u);
    EXPECT_LT(profile["vertexCycles"][0].asUint(), slowest / 3);
    EXPECT_EQ(profile["vertexCycles"][0].asUint(),
              profile["vertexCycles"][1].asUint());
    EXPECT_EQ(profile["vertexComputeSet"][1].asUint(), 0u);
  }
  EXPECT_THROW(profileOf("tiles"), invalid_option);
}

/// The options that say what an IPU counts, and the modes that they lead to.
TEST(GuideFieldsOfModes, Instrumentation) {
  const Device ipus =
      Device::createSimulatorDevice(Target::createIPUTarget(2, Tiles, "ipu2"));
  IPUModel model;
  model.numIPUs = 2;
  model.tilesPerIPU = Tiles;
  const Device modelled = model.createDevice();
  const auto profileOf = [](const Device &device, const OptionFlags &options) {
    Graph graph(device.getTarget());
    const Tensor near = graph.addVariable(INT, {12}, "near");
    const Tensor far = graph.addVariable(INT, {12}, "far");
    graph.setTileMapping(near, 0);
    graph.setTileMapping(far, Tiles);
    const DataStream stream = graph.addHostToDeviceFIFO("stream", INT, 12);
    Engine engine(
        graph,
        program::Sequence{program::Copy(stream, near),
                          program::Repeat(2, program::Copy(near, far))},
        options);
    int data[12] = {};
    engine.connectStream("stream", data, data + 12);
    engine.load(device);
    engine.run();
    return engine.getExecutionProfile();
  };
  const ProfileValue all = profileOf(ipus, {});
  EXPECT_EQ(all["profilerMode"].asString(), "COMPUTE_SETS");
  expectLists(all, 1, {"externalExchangeCycles", "hostExchangeCycles"});
  const ProfileValue &cycles = all["externalExchangeCycles"][0];
  for (unsigned tile = 0; tile != 2 * Tiles; ++tile)
    EXPECT_EQ(cycles[tile].asUint() != 0, tile % Tiles == 0) << tile;
  EXPECT_EQ(cycles[Tiles].asUint() % 2, 0u);

  struct Case {
    OptionFlags options;
    const char *mode;
    bool compute, external, host;
  };
  const Case cases[] = {
      {{{"debug.instrument", "true"}}, "COMPUTE_SETS", true, true, true},
      {{{"debug.instrument", "false"}}, "NONE", false, false, false},
      {{{"debug.instrument", "false"}, {"debug.instrumentCompute", "true"}},
       "COMPUTE_SETS",
       true,
       false,
       false},
      {{{"debug.instrumentCompute", "false"}},
       "EXTERNAL_EXCHANGES",
       false,
       true,
       true},
      {{{"debug.instrumentExternalExchange", "false"}},
       "COMPUTE_SETS",
       true,
       false,
       false},
      {{{"debug.executionProfile", "no_profile"}}, "NONE", false, false, false},
      {{{"debug.executionProfile", "vertices"}},
       "VERTICES",
       true,
       false,
       false},
      {{{"debug.executionProfile", "external_exchanges"}},
       "EXTERNAL_EXCHANGES",
       false,
       true,
       false},
      {{{"debug.executionProfile", "host_exchanges"}},
       "HOST_EXCHANGES",
       false,
       false,
       true}};
  for (const Case &each : cases) {
    const ProfileValue profile = profileOf(ipus, each.options);
    const std::string what = each.options.begin()->first;
    EXPECT_EQ(profile["profilerMode"].asString(), each.mode) << what;
    const auto has = [&](const char *key) {
      return profile.getOrNull(key) != nullptr;
    };
    EXPECT_EQ(has("computeSetCycles"), each.compute) << what;
    EXPECT_EQ(has("computeSetCyclesByTile"), each.compute) << what;
    EXPECT_EQ(has("externalExchangeCycles"), each.external) << what;
    EXPECT_EQ(has("hostExchangeCycles"), each.host) << what;
    EXPECT_EQ(has("simulation"), each.mode != std::string("NONE")) << what;
    EXPECT_EQ(profileOf(modelled, each.options)["profilerMode"].asString(),
              "IPU_MODEL");
  }
  for (const char *key :
       {"debug.executionProfile", "debug.instrument", "debug.instrumentCompute",
        "debug.instrumentExternalExchange"})
    EXPECT_THROW(profileOf(ipus, {{key, "perhaps"}}), invalid_option) << key;
}

/// With compileIPUCode the memory of an IPU Model is that of an IPU.
TEST(GuideFieldsOfModes, MemoryOfTheModel) {
  IPUModel model("ipu2");
  model.tilesPerIPU = Tiles;
  model.compileIPUCode = true;
  const auto profileOf = [](const Device &device) {
    Graph graph(device.getTarget());
    std::stringstream source(R"(
      #include <poplar/Vertex.hpp>
      struct SumEach : poplar::Vertex {
        poplar::Vector<poplar::Input<poplar::Vector<int>>> in;
        poplar::Output<poplar::Vector<int>> out;
        poplar::Vector<int> factors;
        short scale;
        bool compute() {
          for (unsigned i = 0; i != in.size(); ++i) {
            out[i] = 0;
            for (int value : in[i])
              out[i] += value * factors[i] * scale;
          }
          return true;
        }
      };)");
    graph.addCodelets(source);
    const Tensor in = graph.addVariable(INT, {2, 5}, "in");
    const Tensor out = graph.addVariable(INT, {2}, "out");
    graph.setTileMapping(in, 0);
    graph.setTileMapping(out, 1);
    const ComputeSet set = graph.addComputeSet("sums");
    const VertexRef vertex =
        graph.addVertex(set, "SumEach", {{"in", in}, {"out", out}});
    graph.setFieldSize(vertex["factors"], 2);
    const int factors[] = {1, 2};
    graph.setInitialValue(vertex["factors"], ArrayRef<int>(factors, 2));
    graph.setInitialValue(vertex["scale"], short(3));
    graph.setTileMapping(vertex, 1);
    graph.createHostRead("out", out);
    Engine engine(graph, program::Execute(set));
    engine.load(device);
    engine.run();
    return engine.getGraphProfile();
  };
  const auto text = [](const ProfileValue &value) {
    std::ostringstream out;
    serializeToJSON(out, value, true);
    return std::move(out).str();
  };
  const ProfileValue onModel = profileOf(model.createDevice());
  const ProfileValue onIpu = profileOf(
      Device::createSimulatorDevice(Target::createIPUTarget(1, Tiles, "ipu2")));
  EXPECT_EQ(text(onModel["memory"]), text(onIpu["memory"]));
  EXPECT_EQ(text(onModel["vertexTypes"]), text(onIpu["vertexTypes"]));
  EXPECT_GT(onModel["memory"]["byVertexType"]["codeBytes"][0][1].asUint(), 0u);
  model.compileIPUCode = false;
  const ProfileValue onHost = profileOf(model.createDevice());
  EXPECT_NE(text(onHost["vertexTypes"]), text(onIpu["vertexTypes"]));
}

TEST_F(GuideFields, Summary) {
  std::ostringstream out;
  engine->printProfileSummary(out, {{"showExecutionSteps", "true"},
                                    {"showVarStorage", "true"},
                                    {"showOptimizations", "true"},
                                    {"showPerIpuMemoryUsage", "true"}});
  const std::string text = out.str();
  for (const char *part : {"Target:",
                           "Number of IPUs:",
                           "Tiles per IPU:",
                           "Total Tiles:",
                           "Memory Per-Tile:",
                           "Total Memory:",
                           "Clock Speed (approx):",
                           "Number of Replicas:",
                           "IPUs per Replica:",
                           "Tiles per Replica:",
                           "Memory per Replica:",
                           "Graph:",
                           "Number of vertices:",
                           "Number of edges:",
                           "Number of variables:",
                           "Number of compute sets:",
                           "Memory on all IPUs:",
                           "Including Gaps:",
                           "Excluding Gaps:",
                           "By Memory Region:",
                           "Non-interleaved:",
                           "Interleaved:",
                           "Overflowed:",
                           "By Data Type:",
                           "Not Overlapped",
                           "Variables:",
                           "Vertex Instances:",
                           "Vertex Data (",
                           "By Category:",
                           "Internal vertex state:",
                           "Edge pointers:",
                           "Copy pointers:",
                           "Padding:",
                           "Descriptors:",
                           "By Type:",
                           "By Tile (Excluding Gaps):",
                           "Maximum (Including Gaps):",
                           "Maximum (Excluding Gaps):",
                           "0 tile(s) out of memory",
                           "By IPU (Including Gaps):",
                           "Optimizations:",
                           "Variable Storage Liveness: All tiles",
                           "Always-live bytes:",
                           "Maximum live bytes (including always-live):",
                           "Execution:",
                           "Total cycles:",
                           "Total compute cycles (including idle threads):",
                           "Total compute cycles (excluding idle threads):",
                           "Total IPU exchange cycles:",
                           "Total global exchange cycles:",
                           "Total host exchange cycles:",
                           "Total shared structure copy cycles:",
                           "Total sync cycles:",
                           "Total tile balance:",
                           "Total thread balance:",
                           "Cycles by vertex type:",
                           "Steps",
                           "--- External Sync ---",
                           "--- Internal Sync ---",
                           "(0 overlapped with previous)",
                           "Active Tiles:",
                           "Thread Balance:",
                           "Tile Balance:",
                           "Active Tile Balance:",
                           "By vertex type:",
                           "Total Data:",
                           "Data Balance (mean / max data per tile):"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

} // namespace
