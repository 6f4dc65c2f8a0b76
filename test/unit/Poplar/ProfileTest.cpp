// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles of a program that is small enough to work out every figure by hand.

#include "test/unit/Poplar/TestArchive.h"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/exceptions.hpp>

#include "runtime/Target/Timing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace poplar;
namespace timing = populus::runtime::timing;

namespace {

constexpr unsigned Tiles = 4;

/// Tile 1 adds up twelve numbers that lie on tile 0, and tile 0 three of them,
/// twice.
class ProfileTest : public ::testing::Test {
protected:
  void build(const Device &device, const OptionFlags &options = {}) {
    Graph graph(device.getTarget());
    graph.addCodelets(testArchive());
    const Tensor in = graph.addVariable(INT, {12}, "in");
    const Tensor out = graph.addVariable(INT, {2}, "out");
    graph.setTileMapping(in, 0);
    graph.setTileMapping(out[0], 0);
    graph.setTileMapping(out[1], 1);
    const ComputeSet set = graph.addComputeSet("sums");
    const unsigned counts[] = {3, 12};
    for (unsigned tile = 0; tile != 2; ++tile) {
      const VertexRef vertex = graph.addVertex(
          set, "Sum", {{"in", in.slice(0, counts[tile])}, {"out", out[tile]}});
      graph.setTileMapping(vertex, tile);
      graph.setPerfEstimate(vertex, 100 * (tile + 1));
    }
    const program::Execute once(set);
    engine.reset(new Engine(graph, program::Repeat(2, once), options));
    engine->load(device);
    clock = device.getTarget().getTileClockFrequency();
  }
  void buildForModel(const OptionFlags &options = {}) {
    IPUModel model;
    model.tilesPerIPU = Tiles;
    build(model.createDevice(), options);
  }

  std::unique_ptr<Engine> engine;
  double clock = 0;
};

std::vector<std::uint64_t> numbers(const ProfileValue &list) {
  std::vector<std::uint64_t> result;
  for (const ProfileValue &value : list.asVector())
    result.push_back(value.asUint());
  return result;
}

using Numbers = std::vector<std::uint64_t>;

// A vertex issues 100 or 200 instructions, each of which takes six cycles.
constexpr std::uint64_t Cycles0 = timing::VertexLaunchCycles + 6 * 100;
constexpr std::uint64_t Cycles1 = timing::VertexLaunchCycles + 6 * 200;
// 48 bytes at four in a cycle, as one piece.
constexpr std::uint64_t ExchangeCycles =
    timing::ExchangeLatencyCycles + 12 + timing::ExchangePieceCycles;

TEST_F(ProfileTest, GraphOfTheModel) {
  buildForModel();
  const ProfileValue profile = engine->getGraphProfile();
  EXPECT_EQ(profile["target"]["type"].asString(), "IPU_MODEL");
  EXPECT_EQ(profile["target"]["numTiles"].asUint(), Tiles);
  EXPECT_EQ(profile["target"]["totalMemory"].asUint(),
            Tiles * profile["target"]["bytesPerTile"].asUint());
  EXPECT_EQ(profile["graph"]["numVertices"].asUint(), 2u);
  EXPECT_EQ(profile["graph"]["numEdges"].asUint(), 4u);
  EXPECT_EQ(profile["graph"]["numVars"].asUint(), 2u);
  EXPECT_EQ(profile["graph"]["numComputeSets"].asUint(), 1u);
  EXPECT_EQ(profile["vertexTypes"]["names"][0].asString(), "Sum");

  const ProfileValue &sets = profile["computeSets"];
  EXPECT_EQ(sets["names"][0].asString(), "sums");
  EXPECT_EQ(numbers(sets["vertexCounts"][0]), Numbers{2});
  EXPECT_EQ(numbers(sets["vertexTypes"][0]), Numbers{0});
  const ProfileValue &estimates = sets["cycleEstimates"];
  EXPECT_EQ(numbers(estimates["activeCyclesByTile"][0]),
            (Numbers{100, 200, 0, 0}));
  EXPECT_EQ(numbers(estimates["activeCyclesByVertexType"][0]), Numbers{300});
  EXPECT_EQ(numbers(estimates["cyclesByTile"][0]),
            (Numbers{Cycles0, Cycles1, 0, 0}));

  const ProfileValue &exchanges = profile["exchanges"];
  EXPECT_EQ(numbers(exchanges["bytesSentByTile"][0]), (Numbers{48, 0, 0, 0}));
  EXPECT_EQ(numbers(exchanges["bytesReceivedByTile"][0]),
            (Numbers{0, 48, 0, 0}));
  EXPECT_EQ(numbers(exchanges["cyclesByTile"][0]),
            (Numbers{ExchangeCycles, ExchangeCycles, 0, 0}));
}

TEST_F(ProfileTest, MemoryOfTheModel) {
  buildForModel();
  const ProfileValue memory = engine->getGraphProfile()["memory"];
  const ProfileValue &categories = memory["byCategory"];
  // Twelve numbers on tile 0, a sum on tiles 0 and 1, where the numbers are
  // brought; and a vertex on each. The numbers are always live, since an
  // earlier run may have left them; the sums are not.
  EXPECT_EQ(numbers(categories["variable"]["total"]), (Numbers{48, 0, 0, 0}));
  EXPECT_EQ(memory["overlapped"].asUint(), 8u);
  EXPECT_EQ(memory["afterOverlapping"].asUint(), 8u);
  EXPECT_EQ(numbers(categories["message"]["total"]), (Numbers{0, 48, 0, 0}));
  EXPECT_EQ(numbers(categories["vertexInstanceState"]["total"]),
            (Numbers{32, 32, 0, 0}));
  EXPECT_EQ(numbers(memory["byTile"]["total"]), (Numbers{84, 84, 0, 0}));
  EXPECT_EQ(numbers(memory["byVertexType"]["totalVertexDataBytes"]),
            Numbers{64});
  EXPECT_EQ(categories.getOrNull("stack"), nullptr)
      << "what uses no memory is left out";
}

TEST_F(ProfileTest, ExecutionOfTheModel) {
  buildForModel();
  engine->run();
  const std::uint64_t sync =
      static_cast<std::uint64_t>(timing::InternalSyncSeconds * clock + 0.5);
  const std::uint64_t once = sync + ExchangeCycles + Cycles1;
  const ProfileValue profile = engine->getExecutionProfile();
  EXPECT_EQ(profile["profilerMode"].asString(), "IPU_MODEL");
  EXPECT_EQ(profile["programTrace"].size(), 4u);
  const ProfileValue &simulation = profile["simulation"];
  EXPECT_EQ(simulation["cycles"].asUint(), 2 * (once + timing::ControlCycles));
  const ProfileValue &tiles = simulation["tileCycles"];
  EXPECT_EQ(tiles["compute"].asUint(), 2 * (Cycles0 + Cycles1));
  EXPECT_EQ(tiles["activeCompute"].asUint(), 600u);
  EXPECT_EQ(tiles["doExchange"].asUint(), 4 * ExchangeCycles);
  EXPECT_EQ(tiles["sync"].asUint(), 2 * Tiles * sync);

  const ProfileValue &steps = simulation["steps"];
  ASSERT_EQ(steps.size(), 6u);
  EXPECT_EQ(steps[0]["type"].asString(), "Sync");
  EXPECT_EQ(steps[1]["type"].asString(), "DoExchange");
  EXPECT_EQ(steps[1]["totalData"].asUint(), 48u);
  // One tile sends what another receives.
  EXPECT_DOUBLE_EQ(steps[1]["dataBalance"].asDouble(), 2.0 / Tiles);
  EXPECT_EQ(steps[1]["activeTiles"].asUint(), 2u);
  EXPECT_EQ(steps[2]["type"].asString(), "OnTileExecute");
  EXPECT_EQ(steps[2]["name"].asString(), "sums");
  EXPECT_EQ(steps[2]["cyclesFrom"].asUint(),
            timing::ControlCycles + sync + ExchangeCycles);
  EXPECT_EQ(steps[2]["cyclesTo"].asUint(), timing::ControlCycles + once);
  EXPECT_DOUBLE_EQ(steps[2]["activeTileBalance"].asDouble(),
                   double(Cycles0 + Cycles1) / (2 * Cycles1));

  engine->resetExecutionProfile();
  EXPECT_EQ(engine->getExecutionProfile()["simulation"]["cycles"].asUint(), 0u);
}

/// Buffers have the category of their only use, and are message buffers where
/// they have several.
TEST_F(ProfileTest, BuffersByUse) {
  IPUModel model;
  model.tilesPerIPU = Tiles;
  const Device device = model.createDevice();
  const auto categoriesOf = [&](bool readsFar, bool writesFar, bool reverses) {
    Graph graph(device.getTarget());
    graph.addCodelets(testArchive());
    const Tensor in = graph.addVariable(INT, {12}, "in");
    const Tensor out = graph.addVariable(INT, {}, "out");
    graph.setTileMapping(in, readsFar ? 0 : 1);
    graph.setTileMapping(out, writesFar ? 2 : 1);
    const ComputeSet set = graph.addComputeSet("sum");
    graph.setTileMapping(
        graph.addVertex(set, "Sum", {{"in", in}, {"out", out}}), 1);
    program::Sequence prog{program::Execute(set)};
    if (reverses)
      prog.add(program::Copy(in.reverse(0), in));
    graph.createHostRead("in", in);
    graph.createHostRead("out", out);
    Engine engine(graph, prog);
    std::map<std::string, Numbers> found;
    const ProfileValue profile = engine.getGraphProfile();
    for (const auto &[name, category] : profile["memory"]["byCategory"].asMap())
      found[name] = numbers(category["total"]);
    std::ostringstream text;
    engine.printProfileSummary(text);
    for (const auto &[name, line] :
         {std::make_pair("message", "Internal Exchange Message Buffers:"),
          std::make_pair("outputEdge", "Output Edge Buffers:"),
          std::make_pair("rearrangement", "Data Rearrangement Buffers:")})
      EXPECT_EQ(text.str().find(line) != std::string::npos, found.count(name))
          << text.str();
    return found;
  };
  auto found = categoriesOf(false, false, false);
  EXPECT_EQ(found.count("message") + found.count("outputEdge") +
                found.count("rearrangement"),
            0u);
  found = categoriesOf(true, false, false);
  EXPECT_EQ(found["message"], (Numbers{0, 48, 0, 0}));
  EXPECT_EQ(found.count("outputEdge"), 0u);
  found = categoriesOf(false, true, false);
  EXPECT_EQ(found["outputEdge"], (Numbers{0, 4, 0, 0}));
  EXPECT_EQ(found.count("message"), 0u);
  found = categoriesOf(true, true, true);
  EXPECT_EQ(found["message"], (Numbers{0, 52, 0, 0}));
  EXPECT_EQ(found["rearrangement"], (Numbers{48, 0, 0, 0}));
}

/// A vertex on another IPU than its input has a GlobalExchange before it; the
/// first name of an estimate counts as the later one does.
TEST_F(ProfileTest, VertexOfAnotherIpu) {
  IPUModel model;
  model.numIPUs = 2;
  model.tilesPerIPU = Tiles;
  const Device device = model.createDevice();
  Graph graph(device.getTarget());
  graph.addCodelets(testArchive());
  const Tensor in = graph.addVariable(INT, {12}, "in");
  const Tensor out = graph.addVariable(INT, {2}, "out");
  graph.setTileMapping(in, 0);
  graph.setTileMapping(out, Tiles);
  const ComputeSet set = graph.addComputeSet("sum");
  const VertexRef sum =
      graph.addVertex(set, "Sum", {{"in", in}, {"out", out[0]}});
  const VertexRef copy =
      graph.addVertex(set, "Copy", {{"in", in[0]}, {"out", out[1]}});
  graph.setTileMapping(sum, Tiles);
  graph.setTileMapping(copy, Tiles);
  graph.setCycleEstimate(sum, 100);
  graph.setCycleEstimate(copy, 10);
  graph.createHostRead("out", out);
  Engine twoIpus(graph, program::Execute(set));
  const ProfileValue profile = twoIpus.getGraphProfile();
  const ProfileValue &programs = profile["programs"];
  std::vector<std::string> types;
  for (const ProfileValue &program : programs.asVector())
    types.push_back(program["type"].asString());
  EXPECT_EQ(std::count(types.begin(), types.end(), "DoExchange"), 0);
  const auto exchange = std::find(types.begin(), types.end(), "GlobalExchange");
  ASSERT_NE(exchange, types.end());
  EXPECT_NE(std::find(exchange, types.end(), "OnTileExecute"), types.end());
  EXPECT_EQ(profile["computeSets"]["cycleEstimates"]["cyclesByTile"][0][Tiles]
                .asUint(),
            Cycles0);
  // Vertex types with more bytes come first.
  std::ostringstream text;
  twoIpus.printProfileSummary(text);
  const std::string byType =
      text.str().substr(text.str().find("        By Type:\n"));
  EXPECT_NE(byType.find("Sum"), std::string::npos);
  EXPECT_LT(byType.find("Sum"), byType.find("Copy"));
}

TEST_F(ProfileTest, CpuHasNoLimitOfTileMemory) {
  Graph graph(Device::createCPUDevice().getTarget());
  const Tensor large = graph.addVariable(FLOAT, {1000000}, "large");
  const Tensor other = graph.addVariable(FLOAT, {1000000}, "other");
  graph.setTileMapping(large, 0);
  graph.setTileMapping(other, 0);
  graph.createHostRead("large", large);
  EXPECT_NO_THROW(Engine(graph, program::Copy(other, large)));
}

// An engine's programs are children of one control program.
TEST_F(ProfileTest, ControlProgram) {
  IPUModel model;
  model.tilesPerIPU = Tiles;
  const Device device = model.createDevice();
  Graph graph(device.getTarget());
  const Tensor from = graph.addVariable(INT, {2}, "from");
  const Tensor to = graph.addVariable(INT, {2}, "to");
  graph.setTileMapping(from, 0);
  graph.setTileMapping(to, 1);
  const program::Program copy = program::Copy(from, to);
  const auto profileOf = [&](ArrayRef<program::Program> programs) {
    return Engine(graph, programs).getGraphProfile();
  };
  for (const auto &[count, type] :
       {std::make_pair(1u, "Sequence"), std::make_pair(2u, "Switch")}) {
    const ProfileValue profile =
        profileOf(std::vector<program::Program>(count, copy));
    EXPECT_EQ(numbers(profile["controlPrograms"]), Numbers{0});
    const ProfileValue &control = profile["programs"][0];
    EXPECT_EQ(control["type"].asString(), type);
    ASSERT_EQ(control["children"].size(), count);
    for (const ProfileValue &child : control["children"].asVector())
      EXPECT_EQ(profile["programs"][child.asUint()]["type"].asString(),
                "DoExchange");
  }
}

// An If that has nothing to do otherwise is an If, and has one child.
TEST_F(ProfileTest, TypesOfPrograms) {
  IPUModel model;
  model.tilesPerIPU = Tiles;
  const Device device = model.createDevice();
  Graph graph(device.getTarget());
  const Tensor from = graph.addVariable(INT, {2}, "from");
  const Tensor to = graph.addVariable(INT, {2}, "to");
  const Tensor flag = graph.addVariable(BOOL, {}, "flag");
  graph.setTileMapping(from, 0);
  graph.setTileMapping(to, 1);
  graph.setTileMapping(flag, 0);
  const auto typesOf = [&](const program::Program &program) {
    Engine engine(graph, program);
    const ProfileValue profile = engine.getGraphProfile();
    const ProfileValue &programs = profile["programs"];
    std::map<std::string, std::size_t> children;
    for (const ProfileValue &entry : programs.asVector()) {
      const ProfileValue *list = entry.getOrNull("children");
      children[entry["type"].asString()] = list ? list->size() : 0;
    }
    return children;
  };
  const program::Program copy = program::Copy(from, to);
  auto types = typesOf(program::If(flag, copy, program::Sequence()));
  EXPECT_EQ(types["If"], 1u);
  EXPECT_EQ(types.count("IfElse"), 0u);
  types = typesOf(program::If(flag, program::Sequence(), copy));
  EXPECT_EQ(types["IfElse"], 2u);
  EXPECT_EQ(types.count("If"), 0u);
  types = typesOf(program::Sequence{program::WriteUndef(to), copy});
  EXPECT_EQ(types.count("WriteUndef"), 1u);
  // It is no block, and takes no time.
  Engine engine(graph, program::Sequence{program::WriteUndef(to), copy});
  engine.load(device);
  engine.run();
  EXPECT_EQ(engine.getExecutionProfile()["programTrace"].size(), 1u);
  std::ostringstream text;
  engine.printProfileSummary(text, {{"showVarStorage", "true"}});
  EXPECT_NE(text.str().find("WriteUndef"), std::string::npos);
}

TEST_F(ProfileTest, Programs) {
  buildForModel();
  const ProfileValue profile = engine->getGraphProfile();
  const ProfileValue &programs = profile["programs"];
  ASSERT_EQ(profile["controlPrograms"].size(), 1u);
  const ProfileValue &control =
      programs[profile["controlPrograms"][0].asUint()];
  ASSERT_EQ(control["children"].size(), 1u);
  const ProfileValue &repeat = programs[control["children"][0].asUint()];
  EXPECT_EQ(repeat["type"].asString(), "Repeat");
  const ProfileValue &body = programs[repeat["children"][0].asUint()];
  EXPECT_EQ(body["type"].asString(), "Sequence");
  const ProfileValue &exchange = programs[body["children"][0].asUint()];
  EXPECT_EQ(exchange["type"].asString(), "DoExchange");
  EXPECT_EQ(exchange["exchange"].asUint(), 0u);
  const ProfileValue &execute = programs[body["children"][1].asUint()];
  EXPECT_EQ(execute["type"].asString(), "OnTileExecute");
  EXPECT_EQ(execute["computeSet"].asUint(), 0u);
}

TEST_F(ProfileTest, Summary) {
  buildForModel();
  engine->run();
  std::ostringstream whole, parts;
  engine->printProfileSummary(whole, {{"showExecutionSteps", "true"}});
  printProfileSummary(parts, engine->getGraphProfile(),
                      engine->getExecutionProfile(),
                      {{"showExecutionSteps", "true"}});
  EXPECT_EQ(whole.str(), parts.str());
  for (const char *text :
       {"  Total Tiles:            4\n",
        "  Number of vertices:                2\n",
        "            Variables:                                   48 B\n",
        "            Variables:                                    8 B\n",
        "          Total After Overlapping:                        8 B\n",
        "    Maximum (Excluding Gaps): 84 (0.1 K) on tile 0\n",
        "    0 tile(s) out of memory\n",
        "  Total compute cycles (including idle threads): 3,644\n",
        "    Sum           (2 instances):          600\n",
        "  --- Internal Sync ---\n  DoExchange (cycles 139 - 205): sums"})
    EXPECT_NE(whole.str().find(text), std::string::npos)
        << text << "is not in\n"
        << whole.str();

  std::ostringstream graphOnly;
  printProfileSummary(graphOnly, engine->getGraphProfile());
  EXPECT_EQ(graphOnly.str().find("Execution:"), std::string::npos);
}

TEST_F(ProfileTest, ColoursWhereTheyAreWanted) {
  buildForModel();
  engine->run();
  const auto summary = [&](const OptionFlags &options) {
    std::ostringstream out;
    engine->printProfileSummary(out, options);
    return out.str();
  };
  constexpr const char *Heading = "\033[1mTarget:\033[0m\n";
  constexpr const char *Step = "  \033[31mOnTileExecute\033[0m (cycles ";
  EXPECT_EQ(summary({}).find('\033'), std::string::npos);
  const std::string coloured =
      summary({{"colours", "true"}, {"showExecutionSteps", "true"}});
  EXPECT_EQ(coloured.find(Heading), 0u);
  EXPECT_NE(coloured.find(Step), std::string::npos);
  ::setenv("CLICOLOR_FORCE", "1", 1);
  EXPECT_EQ(summary({}).find(Heading), 0u);
  EXPECT_EQ(summary({{"colours", "false"}}).find(Heading), 0u);
  ::setenv("CLICOLOR", "0", 1);
  EXPECT_EQ(summary({}).find(Heading), 0u);
  ::setenv("CLICOLOR_FORCE", "0", 1);
  EXPECT_EQ(summary({}).find('\033'), std::string::npos);
  EXPECT_EQ(summary({{"colours", "true"}}).find('\033'), std::string::npos);
  ::unsetenv("CLICOLOR");
  EXPECT_EQ(summary({{"colours", "true"}}).find(Heading), 0u);
  ::unsetenv("CLICOLOR_FORCE");
}

TEST_F(ProfileTest, SummaryOfACompiledGraphGoesWhereAsked) {
  const std::string file = ::testing::TempDir() + "graph-report.txt";
  const auto written = [&] {
    std::ifstream in(file);
    std::string text((std::istreambuf_iterator<char>(in)), {});
    std::remove(file.c_str());
    return text;
  };
  buildForModel({{"debug.graphReportDestination", file}});
  std::ostringstream expected;
  printGraphSummary(expected, engine->getGraphProfile());
  EXPECT_EQ(written(), expected.str());

  ::setenv("POPLAR_GRAPH_REPORT_DEST", file.c_str(), 1);
  buildForModel();
  EXPECT_EQ(written(), expected.str());
  ::setenv("POPLAR_GRAPH_REPORT_DEST", "stderr", 1);
  ::testing::internal::CaptureStderr();
  buildForModel();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), expected.str());
  ::setenv("POPLAR_GRAPH_REPORT_DEST", "stdout", 1);
  ::testing::internal::CaptureStdout();
  buildForModel();
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), expected.str());
  ::unsetenv("POPLAR_GRAPH_REPORT_DEST");

  EXPECT_THROW(
      buildForModel({{"debug.graphReportDestination", "/proc/no/such"}}),
      poplar_error);
}

TEST_F(ProfileTest, CpuHasNoTime) {
  build(Device::createCPUDevice());
  engine->run();
  const ProfileValue profile = engine->getExecutionProfile();
  EXPECT_EQ(profile["profilerMode"].asString(), "CPU");
  EXPECT_EQ(profile.getOrNull("simulation"), nullptr);
}

TEST_F(ProfileTest, NotEnabled) {
  buildForModel({{"autoReport.outputExecutionProfile", "false"}});
  engine->run();
  EXPECT_EQ(engine->getExecutionProfile()["profilerMode"].asString(), "NONE");
  std::ostringstream out;
  engine->printProfileSummary(out);
  EXPECT_NE(out.str().find("Execution profiling not enabled"),
            std::string::npos);
}

// Each step is told of as long as there are not too many; sums are of all.
TEST_F(ProfileTest, RecordsDoNotGrowWithoutEnd) {
  constexpr std::uint64_t Rounds = 100000;
  IPUModel model;
  model.tilesPerIPU = Tiles;
  const Device device = model.createDevice();
  Graph graph(device.getTarget());
  graph.addCodelets(testArchive());
  const Tensor in = graph.addVariable(INT, {1}, "in");
  const Tensor out = graph.addVariable(INT, {}, "out");
  graph.setTileMapping(in, 0);
  graph.setTileMapping(out, 0);
  const ComputeSet set = graph.addComputeSet("sum");
  const VertexRef vertex =
      graph.addVertex(set, "Sum", {{"in", in}, {"out", out}, {"scale", 1}});
  graph.setTileMapping(vertex, 0);
  graph.setPerfEstimate(vertex, 100);
  Engine many(graph, program::Repeat(Rounds, program::Execute(set)));
  many.load(device);
  many.run();
  const ProfileValue profile = many.getExecutionProfile();
  const std::uint64_t told = profile["simulation"]["steps"].size();
  EXPECT_LT(told, 70000u);
  EXPECT_GT(told, 10000u);
  EXPECT_EQ(profile["stepsLeftOut"].asUint(), Rounds - told);
  EXPECT_EQ(profile["computeSetExecutions"][0].asUint(), Rounds);
  std::uint64_t vertexRuns = 0;
  for (const ProfileValue &runs : profile["vertexRunsByType"].asVector())
    vertexRuns += runs.asUint();
  EXPECT_EQ(vertexRuns, Rounds);
  // One tile works, all the time that each step takes.
  const std::uint64_t each =
      profile["simulation"]["steps"][0]["cycles"].asUint();
  EXPECT_GE(each, 600u);
  EXPECT_EQ(profile["simulation"]["tileCycles"]["compute"].asUint(),
            Rounds * each);
  EXPECT_GE(profile["cycles"]["total"].asUint(), Rounds * each);
}

} // namespace
