// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports: libpva's objects must say what the engine's own profiles say, in
// memory and through a file; and which runs they tell of.

#include "lib/Poplar/Engine/ExecutableAccess.h"
#include "lib/Profile/ReportBuilder.h"
#include "test/unit/Poplar/TestArchive.h"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <pva/pva.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>

#include <unistd.h>

using namespace poplar;

namespace {

constexpr unsigned Tiles = 3;

/// Two vertices add up numbers that lie on another tile; program 0 does it once
/// and program 1 three times.
class ReportTest : public ::testing::Test {
protected:
  ReportTest()
      : folder(std::filesystem::temp_directory_path() /
               ("populus-report-" + std::to_string(getpid()))) {
    IPUModel model;
    model.tilesPerIPU = Tiles;
    device = model.createDevice();
  }
  ~ReportTest() override { std::filesystem::remove_all(folder); }

  std::unique_ptr<Engine> build(const OptionFlags &options = {}) {
    Graph graph(device.getTarget());
    graph.addCodelets(testArchive());
    const Tensor in = graph.addVariable(INT, {12}, "in");
    const Tensor out = graph.addVariable(INT, {2}, "out");
    graph.setTileMapping(in, 0);
    graph.setTileMapping(out, 1);
    const ComputeSet set = graph.addComputeSet("sums");
    for (unsigned i = 0; i != 2; ++i) {
      const VertexRef vertex =
          graph.addVertex(set, "Sum", {{"in", in}, {"out", out[i]}});
      graph.setTileMapping(vertex, 1 + i);
      graph.setPerfEstimate(vertex, 100);
    }
    const program::Execute once(set);
    std::unique_ptr<Engine> engine(
        new Engine(graph, {once, program::Repeat(3, once)}, options));
    engine->load(device);
    return engine;
  }

  std::filesystem::path folder;
  Device device;
};

std::size_t countExecutions(const std::vector<pva::Step> &steps) {
  std::size_t count = 0;
  for (const pva::Step &step : steps)
    count += step.program()->type() == pva::Program::Type::OnTileExecute;
  return count;
}

TEST_F(ReportTest, SaysWhatTheProfilesSay) {
  const auto engine = build();
  engine->run(0, "first");
  engine->run(1);
  const ProfileValue graph = engine->getGraphProfile();
  const ProfileValue execution = engine->getExecutionProfile();
  const pva::Report report = engine->getReport();
  EXPECT_EQ(report.poplarVersion().string(), versionString().cloneAsString());

  const pva::CompilationReport compilation = report.compilation();
  EXPECT_EQ(compilation.target().type(), "IPU_MODEL");
  EXPECT_EQ(compilation.target().numTiles(), Tiles);
  EXPECT_EQ(compilation.target().totalMemory(),
            graph["target"]["totalMemory"].asUint());
  EXPECT_EQ(compilation.graph().numVertices(), 2u);
  EXPECT_EQ(compilation.graph().numComputeSets(), 1u);
  EXPECT_EQ(compilation.computeSets().at(0).name(), "sums");
  EXPECT_EQ(compilation.computeSets()[0].vertices().at(0).type, "Sum");
  EXPECT_EQ(compilation.computeSets()[0].vertices()[0].count, 2u);
  std::uint64_t total = 0;
  for (unsigned tile = 0; tile != Tiles; ++tile) {
    const pva::Memory &memory = compilation.tiles()[tile].memory();
    EXPECT_EQ(memory.total().excludingGaps(),
              graph["memory"]["byTile"]["total"][tile].asUint());
    EXPECT_LE(memory.alwaysLiveBytes(), memory.total().excludingGaps());
    total += memory.total().includingGaps();
  }
  EXPECT_EQ(compilation.tiles()[0].memory().category().at("variable"), 48u);
  EXPECT_EQ(compilation.tiles()[0].memory().category().variable(), 48u);
  EXPECT_EQ(compilation.tiles()[0].memory().category().hostExchangeCode(), 0u);
  EXPECT_EQ(compilation.ipus().at(0).memory().total().includingGaps(), total);

  EXPECT_EQ(report.execution().totalCycles().total(),
            execution["cycles"]["total"].asUint());
  ASSERT_EQ(report.execution().steps().size(),
            execution["simulation"]["steps"].size());
  const auto &runs = report.execution().runs();
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].name(), "first");
  EXPECT_EQ(countExecutions(runs[0].steps()), 1u);
  EXPECT_EQ(countExecutions(runs[1].steps()), 3u);
}

std::uint64_t sizeOf(const std::vector<pva::LivenessVariable> &variables,
                     const std::string &name) {
  for (const pva::LivenessVariable &variable : variables)
    if (variable.name() == name)
      return variable.size();
  return 0;
}

TEST_F(ReportTest, Liveness) {
  Graph graph(device.getTarget());
  graph.addCodelets(testArchive());
  const Tensor in = graph.addVariable(INT, {12}, "in");
  const Tensor middle = graph.addVariable(INT, {12}, "middle");
  const Tensor out = graph.addVariable(INT, {1}, "out");
  graph.setTileMapping(in, 0);
  graph.setTileMapping(middle, 2);
  graph.setTileMapping(out, 2);
  graph.createHostWrite("in", in);
  graph.createHostRead("out", out);
  const ComputeSet set = graph.addComputeSet("sums");
  graph.setTileMapping(
      graph.addVertex(set, "Sum", {{"in", middle}, {"out", out[0]}}), 2);
  const program::Sequence program{program::Copy(in, middle),
                                  program::Execute(set)};
  Executable executable = compileGraph(graph, {program});
  Engine engine(graph, program);
  const pva::Report report = engine.getReport();
  const pva::CompilationReport compilation = report.compilation();

  EXPECT_EQ(sizeOf(compilation.alwaysLiveVariables(), "in"), 48u);
  EXPECT_EQ(sizeOf(compilation.alwaysLiveVariables(), "out"), 4u);
  EXPECT_EQ(sizeOf(compilation.alwaysLiveVariables(), "middle"), 0u);
  EXPECT_EQ(sizeOf(compilation.alwaysLiveVariablesForTile(0), "in"), 48u);
  EXPECT_EQ(sizeOf(compilation.alwaysLiveVariablesForTile(1), "in"), 0u);

  std::vector<pva::Program::Type> types;
  for (const pva::LivenessProgramStep &step :
       compilation.livenessProgramSteps()) {
    types.push_back(step.program()->type());
    const pva::LiveMemory live = step.notAlwaysLiveMemory();
    ASSERT_EQ(live.variables().size(), 1u);
    EXPECT_EQ(live.variables()[0].name(), "middle");
    EXPECT_EQ(live.bytes(), 48u);
    EXPECT_EQ(step.notAlwaysLiveMemoryForTile(0).bytes(), 0u);
    EXPECT_EQ(step.notAlwaysLiveMemoryForTile(2).bytes(), 48u);
  }
  EXPECT_EQ(types.front(), pva::Program::Type::DoExchange);
  EXPECT_EQ(types.back(), pva::Program::Type::OnTileExecute);

  EXPECT_EQ(sizeOf(compilation.loweredVariables().allBriefVars(), "middle"),
            48u);
  EXPECT_EQ(sizeOf(compilation.loweredVariables().forTile(2), "middle"), 48u);
  EXPECT_EQ(sizeOf(compilation.loweredVariables().forTile(0), "middle"), 0u);

  std::stringstream file;
  executable.serialize(file);
  Engine compiled(std::move(executable));
  EXPECT_EQ(compiled.getReport().compilation().livenessProgramSteps().size(),
            compilation.livenessProgramSteps().size());
  Executable read = Executable::deserialize(file);
  const std::string kept =
      populus::access(read).metadata.at(populus::profile::RecordedKey);
  populus::access(read).metadata.erase(populus::profile::RecordedKey);
  std::stringstream bare;
  read.serialize(bare);
  populus::access(read).metadata[populus::profile::RecordedKey] = kept;
  Engine loaded(std::move(read));
  EXPECT_EQ(loaded.getReport().compilation().livenessProgramSteps().size(),
            compilation.livenessProgramSteps().size())
      << "a file keeps it";
  const pva::Report without = Engine(Executable::deserialize(bare)).getReport();
  EXPECT_THROW(without.compilation().livenessProgramSteps(), pva::ReportError);
  EXPECT_THROW(without.compilation().loweredVariables(), pva::ReportError);
}

TEST_F(ReportTest, PrintedLiveness) {
  Graph graph(device.getTarget());
  graph.addCodelets(testArchive());
  const Tensor in = graph.addVariable(INT, {12}, "in");
  const Tensor middle = graph.addVariable(INT, {12}, "middle");
  const Tensor out = graph.addVariable(INT, {}, "out");
  graph.setTileMapping(in, 0);
  graph.setTileMapping(middle, 2);
  graph.setTileMapping(out, 2);
  graph.createHostWrite("in", in);
  graph.createHostWrite("out", out);
  const ComputeSet set = graph.addComputeSet("sums");
  graph.setTileMapping(
      graph.addVertex(set, "Sum", {{"in", middle}, {"out", out}}), 2);
  // Moments are counted with calls spelled out, and loops with their condition.
  const Function function = graph.addFunction(program::Execute(set));
  const program::Sequence body{program::Copy(in, middle),
                               program::Call(function)};
  Engine engine(graph,
                {program::RepeatWhileTrue(body, out, body),
                 program::If(out, program::Repeat(2, body), body),
                 program::Switch(out, {{1, body}, {2, program::Sequence()}})});
  std::ostringstream summary;
  engine.printProfileSummary(summary, {{"showVarStorage", "true"}});
  const std::string text = summary.str();
  for (const char *part :
       {"  Variable Storage Liveness: All tiles\n",
        "    Always-live variables:\n", "      in ", "      out ",
        "    Maximum live bytes (including always-live): ",
        "Live Bytes (excluding always-live): 48\n",
        "Live Vars (excluding always-live):\n", "middle        48\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << text;

  std::stringstream file;
  engine.serializeExecutable(file);
  Executable read = Executable::deserialize(file);
  populus::access(read).metadata.erase(populus::profile::RecordedKey);
  Engine loaded(std::move(read));
  summary.str("");
  loaded.printProfileSummary(summary, {{"showVarStorage", "true"}});
  EXPECT_NE(summary.str().find("Liveness: not known"), std::string::npos);
  EXPECT_THROW(engine.printProfileSummary(summary, {{"showVarStorge", "true"}}),
               invalid_option);
}

TEST_F(ReportTest, StepsByTile) {
  const auto engine = build();
  engine->run();
  const auto steps = engine->getReport().execution().steps();
  const auto execute =
      std::find_if(steps.begin(), steps.end(), [](const pva::Step &step) {
        return step.program()->type() == pva::Program::Type::OnTileExecute;
      });
  ASSERT_NE(execute, steps.end());
  EXPECT_EQ(execute->program()->name(), "sums");
  ASSERT_EQ(execute->computeSets().size(), 1u);
  EXPECT_EQ(execute->computeSets()[0].name(), "sums");
  for (const pva::Step &step : steps)
    EXPECT_EQ(step.computeSets().size(),
              step.program()->type() == pva::Program::Type::OnTileExecute ? 1u
                                                                          : 0u);
  const std::uint64_t cycles = execute->cycles();
  EXPECT_EQ(execute->cyclesByTile(),
            (std::vector<std::uint64_t>{0, cycles, cycles}));
  EXPECT_EQ(execute->cyclesTo().max() - execute->cyclesFrom().min(), cycles);
  EXPECT_EQ(execute->ipus().at(0).activeCycles(), cycles);
}

TEST_F(ReportTest, BlocksOfATile) {
  const auto engine = build();
  engine->run();
  const pva::Report report = engine->getReport();
  const auto idle = report.execution().blocks(0);
  const auto busy = report.execution().blocks(1);
  const auto executions = [](const std::vector<pva::Block> &blocks) {
    return std::count_if(
        blocks.begin(), blocks.end(), [](const pva::Block &block) {
          return block.program()->type() == pva::Program::Type::OnTileExecute;
        });
  };
  EXPECT_EQ(executions(idle), 0);
  ASSERT_EQ(executions(busy), 1);
  std::uint64_t end = 0;
  for (const pva::Block &block : busy) {
    EXPECT_EQ(block.tile(), 1u);
    EXPECT_GE(block.cyclesFrom(), end);
    EXPECT_GT(block.cyclesTo(), block.cyclesFrom());
    EXPECT_FALSE(block.isStreamCopy() || block.isBlockFlush() ||
                 block.isOverflow() || block.isCommon());
    end = block.cyclesTo();
  }
  EXPECT_THROW(report.execution().blocks(Tiles), pva::ReportError);
}

/// Executions of blocks have lengths of their own, also later ones and those in
/// loops; a filter chooses among them; transfers stand beside them.
TEST_F(ReportTest, BlocksOfAProgram) {
  Graph graph(device.getTarget());
  graph.addCodelets(testArchive());
  const Tensor in = graph.addVariable(INT, {12}, "in");
  const Tensor out = graph.addVariable(INT, {1}, "out");
  const Tensor times = graph.addVariable(INT, {}, "times");
  graph.setTileMapping(in, 0);
  graph.setTileMapping(out, 1);
  graph.setTileMapping(times, 0);
  const ComputeSet set = graph.addComputeSet("sums");
  const VertexRef vertex =
      graph.addVertex(set, "Sum", {{"in", in}, {"out", out[0]}});
  graph.setTileMapping(vertex, 1);
  graph.setPerfEstimate(vertex, 100);
  const DataStream stream = graph.addHostToDeviceFIFO("stream", INT, 1);
  const program::Execute once(set);
  // Three times in the first run, and ten times in the second.
  const program::Sequence program{
      program::Copy(stream, times),
      program::Block(program::Switch(times, {{1, program::Repeat(3, once)}},
                                     program::Repeat(10, once)),
                     "outer"),
      program::Repeat(2, program::Block(once, "inner"))};
  const auto blocksOf = [&](const OptionFlags &options) {
    Engine engine(graph, program, options);
    int value = 1;
    engine.connectStream("stream", &value, &value + 1);
    engine.load(device);
    engine.run();
    value = 2;
    engine.run();
    return engine.getReport().execution().blocks(1);
  };
  std::vector<std::string> names;
  std::vector<std::uint64_t> outer;
  std::uint64_t inner = 0;
  for (const pva::Block &block : blocksOf({})) {
    if (block.isStreamCopy())
      continue;
    EXPECT_EQ(block.program()->type(), pva::Program::Type::Block);
    names.push_back(block.program()->name());
    if (names.back() == "outer")
      outer.push_back(block.cyclesTo() - block.cyclesFrom());
    else
      inner = block.cyclesTo() - block.cyclesFrom();
  }
  EXPECT_EQ(names, (std::vector<std::string>{"outer", "inner", "inner", "outer",
                                             "inner", "inner"}));
  ASSERT_EQ(outer.size(), 2u);
  EXPECT_GT(inner, 100u);
  EXPECT_GE(outer[1] - outer[0], 7 * inner);
  std::size_t found = 0;
  for (const pva::Block &block :
       blocksOf({{"profiler.blocks.filter", "^out"}})) {
    found += !block.isStreamCopy();
    EXPECT_NE(block.program()->name(), "inner");
  }
  EXPECT_EQ(found, 2u);
  EXPECT_THROW(Engine(graph, program, {{"profiler.blocks.filter", "("}}),
               invalid_option);
}

/// A transfer waits for its first byte, moves, and ends.
TEST_F(ReportTest, TransfersHaveThreeSteps) {
  Graph graph(device.getTarget());
  const Tensor in = graph.addVariable(INT, {1200}, "in");
  graph.setTileMapping(in, 0);
  const DataStream stream = graph.addHostToDeviceFIFO("stream", INT, 1200);
  std::vector<int> data(1200);
  Engine engine(graph, program::Copy(stream, in));
  engine.connectStream("stream", data.data(), data.data() + data.size());
  engine.load(device);
  engine.run();
  const pva::Report report = engine.getReport();
  std::vector<pva::Program::Type> types;
  std::vector<std::uint64_t> cycles;
  for (const pva::Step &step : report.execution().steps()) {
    types.push_back(step.program()->type());
    cycles.push_back(step.cycles());
  }
  using Type = pva::Program::Type;
  EXPECT_EQ(types,
            (std::vector<Type>{Type::Sync, Type::StreamCopyBegin,
                               Type::StreamCopyMid, Type::StreamCopyEnd}));
  EXPECT_EQ(std::accumulate(cycles.begin(), cycles.end(), std::uint64_t(0)),
            report.execution().totalCycles().total());
  EXPECT_GT(cycles[1], 0u);
  EXPECT_GT(cycles[2], 0u);
}

TEST_F(ReportTest, VerticesOfATile) {
  const pva::Report report = build()->getReport();
  const auto &tiles = report.compilation().tiles();
  EXPECT_TRUE(tiles[0].memory().vertices().empty());
  const std::vector<pva::VertexMemory> vertices = tiles[1].memory().vertices();
  ASSERT_EQ(vertices.size(), 1u);
  EXPECT_EQ(vertices[0].type(), "Sum");
  EXPECT_EQ(vertices[0].count(), 1u);
  EXPECT_EQ(vertices[0].size(),
            tiles[1].memory().category().vertexInstanceState());
  EXPECT_EQ(report.compilation().ipus()[0].memory().vertices()[0].count(), 2u);
}

TEST_F(ReportTest, ProgramsAreATree) {
  struct Counter : pva::ProgramVisitor {
    void visitProgram(const pva::Program &program) override {
      for (const auto &child : program.children())
        child->accept(*this);
    }
    void visitRepeat(const pva::RepeatProgram &program) override {
      ++repeats;
      visitProgram(program);
    }
    void visitOnTileExecute(const pva::OnTileExecuteProgram &p) override {
      vertices += p.vertices().at(0).count;
    }
    unsigned repeats = 0;
    std::uint64_t vertices = 0;
  } counter;
  const auto programs = build()->getReport().compilation().programs();
  ASSERT_EQ(programs.size(), 2u);
  programs[1]->accept(counter);
  EXPECT_EQ(counter.repeats, 1u);
  EXPECT_EQ(counter.vertices, 2u);
}

TEST_F(ReportTest, WrittenToAFolder) {
  const auto engine =
      build({{"autoReport.all", "true"},
             {"autoReport.directory", folder.string()},
             {"autoReport.executionProfileProgramRunCount", "2"}});
  const std::string file = folder / "profile.pop";
  EXPECT_FALSE(pva::openReport(file).hasExecution());
  EXPECT_THROW(pva::openReport(file).execution(), pva::ReportError);
  engine->run(1);
  EXPECT_EQ(pva::openReport(file).execution().runs().size(), 1u);
  engine->run(0);
  engine->run(0);
  EXPECT_EQ(pva::openReport(file).execution().runs().size(), 2u)
      << "the third run is not to be told of";

  std::ostringstream whole, graphOnly;
  printProfileSummary(whole, file, {{"showExecutionSteps", "true"}});
  EXPECT_NE(whole.str().find("OnTileExecute"), std::string::npos);
  printGraphSummary(graphOnly, file);
  EXPECT_EQ(graphOnly.str().find("Execution:"), std::string::npos);
  EXPECT_THROW(printProfileSummary(whole, std::string("/no/such/file")),
               file_load_error);
}

TEST_F(ReportTest, WrittenByCompileGraph) {
  const Graph graph(device.getTarget());
  compileGraph(graph, program::Sequence(),
               {{"autoReport.outputGraphProfile", "true"},
                {"autoReport.directory", folder.string()}});
  EXPECT_EQ(
      pva::openReport(folder / "profile.pop").compilation().target().numTiles(),
      Tiles);
  EXPECT_THROW(compileGraph(graph, program::Sequence(),
                            {{"autoReport.all", "true"},
                             {"autoReport.directory", "/proc/no/folder"}}),
               poplar_error);
}

TEST_F(ReportTest, DamagedFiles) {
  build({{"autoReport.outputGraphProfile", "true"},
         {"autoReport.directory", folder.string()}});
  std::ifstream in(folder / "profile.pop", std::ios::binary);
  const std::vector<std::uint8_t> bytes((std::istreambuf_iterator<char>(in)),
                                        std::istreambuf_iterator<char>());
  EXPECT_NO_THROW(pva::Report::parse(bytes, "it"));
  for (std::size_t size = 0; size < bytes.size(); size += 7)
    EXPECT_THROW(
        pva::Report::parse({bytes.begin(), bytes.begin() + size}, "it"),
        pva::ReportError);
  std::vector<std::uint8_t> changed = bytes;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    changed[i] ^= 0x15;
    try {
      pva::Report::parse(changed, "it");
    } catch (const pva::ReportError &) {
    }
    changed[i] = bytes[i];
  }
  EXPECT_THROW(pva::openReport("/no/such/file"), pva::ReportError);
}

TEST_F(ReportTest, ProfilingSwitchedOffAndOn) {
  const auto engine = build();
  const auto cycles = [&] {
    return engine->getReport().execution().totalCycles().total();
  };
  engine->run(0);
  const std::uint64_t once = cycles();
  engine->disableExecutionProfiling();
  engine->run(1);
  EXPECT_EQ(cycles(), once);
  engine->enableExecutionProfiling();
  engine->run(0);
  const pva::Report report = engine->getReport();
  EXPECT_EQ(report.execution().totalCycles().total(), 2 * once);
  EXPECT_EQ(report.execution().runs().size(), 2u);
  EXPECT_EQ(countExecutions(report.execution().steps()), 2u);
  engine->resetExecutionProfile();
  EXPECT_EQ(cycles(), 0u);
  EXPECT_TRUE(engine->getReport().execution().runs().empty());
}

TEST_F(ReportTest, ProfilingOffFromTheBegin) {
  const auto engine = build({{"autoReport.outputExecutionProfile", "false"}});
  engine->run(1);
  EXPECT_FALSE(engine->getReport().hasExecution());
  engine->enableExecutionProfiling();
  engine->run(0);
  EXPECT_EQ(countExecutions(engine->getReport().execution().steps()), 1u);
  EXPECT_FALSE(engine->getReport(false).hasExecution());
}

TEST_F(ReportTest, Intervals) {
  const auto engine = build();
  engine->run(1, "thrice");
  std::ostringstream out;
  engine->reportIntervals(out);
  EXPECT_EQ(out.str().find("name,program,begin,end\nthrice,1,0,"), 0u)
      << out.str();
}

TEST_F(ReportTest, ProfileOfWhatDoesNotFit) {
  const Device ipu =
      Device::createSimulatorDevice(Target::createIPUTarget(1, 2, "ipu2"));
  Graph graph(ipu.getTarget());
  const Tensor a = graph.addVariable(FLOAT, {1000000}, "large");
  const Tensor b = graph.addVariable(FLOAT, {1000000}, "other");
  graph.setTileMapping(a, 0);
  graph.setTileMapping(b, 0);
  graph.createHostRead("large", a);
  Engine engine(graph, program::Copy(b, a),
                {{"debug.allowOutOfMemory", "true"},
                 {"autoReport.outputGraphProfile", "true"},
                 {"autoReport.directory", folder.string()}});
  try {
    engine.load(ipu);
    ADD_FAILURE() << "no exception";
  } catch (const graph_memory_allocation_error &error) {
    std::ostringstream out;
    printProfileSummary(out, error.profilePath);
    // The fullest tiles are listed, the fullest first. Both variables lie
    // behind the end of the tile's memory.
    EXPECT_NE(out.str().find("1 tile(s) out of memory\n"
                             "      Tile 0: 8,638,976 B\n"
                             "      Tile 1: 0 B\n"),
              std::string::npos)
        << out.str();
  }
  const ProfileValue profile = engine.getGraphProfile();
  const ProfileValue &byTile = profile["memory"]["byTile"];
  // Two variables of 4,000,000 bytes on a tile that has 638,976.
  EXPECT_EQ(byTile["total"][0].asUint(), 8000000u);
  EXPECT_EQ(byTile["overflowed"][0].asUint(), 8000000u);
  EXPECT_EQ(byTile["overflowed"][1].asUint(), 0u);
}

} // namespace
