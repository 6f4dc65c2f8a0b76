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

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

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

TEST_F(ProfileTest, Programs) {
  buildForModel();
  const ProfileValue profile = engine->getGraphProfile();
  const ProfileValue &programs = profile["programs"];
  ASSERT_EQ(profile["controlPrograms"].size(), 1u);
  const ProfileValue &repeat = programs[profile["controlPrograms"][0].asUint()];
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
