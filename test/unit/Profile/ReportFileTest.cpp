// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports in files: what was written is read; what is damaged is refused with
// one message; and whatever is accepted can be shown, for files may say
// anything.

#include "lib/Profile/ReportFile.h"
#include "lib/Profile/CodeFigures.h"
#include "lib/Profile/Page.h"
#include "lib/Profile/Perfetto.h"
#include "lib/Profile/Rows.h"
#include "lib/Profile/Trace.pb.h"
#include "lib/Profile/Views.h"

#include <gtest/gtest.h>
#include <pva/pva.hpp>

#include <map>
#include <random>
#include <sstream>

using namespace populus;
using namespace populus::profile;

namespace {

constexpr unsigned Tiles = 4;

/// A program of a compute set and an exchange in a loop, which ran twice.
report::Report makeReport() {
  report::Report report;
  report.set_version("1.2.3");
  report::Target &target = *report.mutable_target();
  target.set_device(2);
  target.set_name("ipu2");
  target.set_ipus(1);
  target.set_tiles_per_ipu(Tiles);
  target.set_bytes_per_tile(1000);
  target.set_clock_hz(1e9);
  target.set_products_per_cycle(16);
  RowTable rows(report);
  report::VertexType &type = *report.add_vertex_types();
  type.set_name("Vertex<script>");
  type.add_code()->set_assembly("exitz $m15");
  report::Operator &op = *report.add_operators();
  op.set_name("layer");
  op.set_flops(100);
  op.set_element_bytes(4);
  report::ComputeSet &set = *report.add_compute_sets();
  set.set_name("layer/set");
  set.set_tiles(2);
  report::VertexCount &count = *set.add_types();
  count.set_count(2);
  count.set_count_row(rows.add({1, 1, 0, 0}));
  report::Exchange &exchange = *report.add_exchanges();
  exchange.set_name("layer/inputs");
  exchange.set_bytes(64);
  exchange.set_received_row(rows.add({64, 0, 0, 0}));
  exchange.set_sent_row(rows.add({0, 0, 0, 64}));
  exchange.set_cycles_row(rows.add({10, 0, 0, 10}));
  const auto add = [&](unsigned kind, unsigned index,
                       std::initializer_list<unsigned> children) {
    report::Program &program = *report.add_programs();
    program.set_kind(kind);
    program.set_index(index);
    for (unsigned child : children)
      program.add_children(child);
    if (children.size() == 0)
      program.add_operators(0);
  };
  add(2, 0, {});
  add(1, 0, {});
  add(0, 0, {0, 1});
  add(5, 2, {2});
  report.add_control_programs(3);
  report::Memory &memory = *report.mutable_memory();
  report::CategoryMemory &variables = *memory.add_categories();
  variables.set_row(rows.add({100, 200, 300, 400}));
  memory.set_total_row(variables.row());
  memory.set_gaps_row(variables.row());
  report::Liveness &liveness = *report.mutable_liveness();
  liveness.add_variables("x");
  report::LivePart &part = *liveness.add_parts();
  part.set_bytes(100);
  part.add_tiles(1);
  part.add_tiles(3);
  part.add_moments(0);
  part.add_moments(1);
  liveness.add_program_at(0);
  liveness.add_program_at(1);
  report::Execution &execution = *report.mutable_execution();
  report::Domain &domain = *execution.add_domains();
  domain.set_tiles(Tiles);
  domain.mutable_cycles()->set_total(240);
  for (unsigned program : {0, 1}) {
    report::ProgramTotal &total = *domain.add_totals();
    total.set_program(program);
    total.set_times(2);
    total.mutable_cycles()->set_total(120);
    total.set_tile_cycles(program ? 180 : 0);
  }
  report::SetCycles &cycles = *domain.add_sets();
  cycles.set_times(2);
  cycles.set_cycles_row(rows.add({120, 60, 0, 0}));
  for (unsigned i = 0; i != 4; ++i) {
    report::Window &window = *domain.mutable_window();
    window.add_program(i % 2);
    window.add_start(60 * i);
    window.add_cycles(60);
    window.add_sync(i % 2 ? 0 : 20);
    window.add_tile_cycles(i % 2 ? 90 : 0);
    window.add_active_cycles(0);
  }
  execution.add_runs()->set_name("run");
  report::ExchangeMatrix &matrix = *report.mutable_matrix();
  matrix.set_tiles_per_group(2);
  matrix.set_groups(2);
  for (unsigned bytes : {0, 0, 64, 0})
    matrix.add_bytes(bytes);
  return report;
}

/// The same program on two tiles of four, and more of it on the two others,
/// with a clock of their own.
report::Report makeReportOfDomains() {
  report::Report report = makeReport();
  report::Domain &first = *report.mutable_execution()->mutable_domains(0);
  first.set_tiles(2);
  report::Domain &second = *report.mutable_execution()->add_domains();
  second.set_first_tile(2);
  second.set_tiles(2);
  second.mutable_cycles()->set_total(300);
  report::ProgramTotal &total = *second.add_totals();
  total.set_program(0);
  total.set_times(1);
  total.mutable_cycles()->set_total(300);
  total.mutable_cycles()->set_sync(100);
  report::Window &window = *second.mutable_window();
  window.add_program(0);
  window.add_start(0);
  window.add_cycles(300);
  window.add_sync(100);
  window.add_tile_cycles(0);
  window.add_active_cycles(0);
  return report;
}

/// All that ipu-report can show.
void showAll(const report::Report &report) {
  std::ostringstream out;
  printOverview(out, report);
  overviewJson(report).dump(-1, ' ', false, Json::error_handler_t::replace);
  printLayers(out, report, 3);
  layersJson(report);
  printTiles(out, report, 3);
  tilesJson(report);
  printLiveness(out, report, 3);
  livenessJson(report);
  for (int type : findVertexTypes(report, "")) {
    printVertex(out, report, type);
    vertexJson(report, type);
  }
  printDifference(out, Difference(report, report), 3);
  if (report.has_execution())
    makeTrace(report, {});
  makePage(report, &report);
}

/// All that libpva says of a report.
void readWithPva(const std::string &bytes) {
  const pva::Report report =
      pva::Report::parse({bytes.begin(), bytes.end()}, "a file");
  const pva::CompilationReport compilation = report.compilation();
  for (const pva::CompilationTile &tile : compilation.tiles())
    tile.memory().vertices();
  try {
    for (const pva::LivenessProgramStep &step :
         compilation.livenessProgramSteps())
      step.notAlwaysLiveMemory();
  } catch (const pva::ReportError &) {
  }
  if (!report.hasExecution())
    return;
  const pva::ExecutionReport execution = report.execution();
  for (const pva::Step &step : execution.steps()) {
    step.ipus();
    step.computeSets();
  }
  execution.blocks(0);
}

std::string errorOf(const std::string &bytes) {
  try {
    parseReport(bytes, "a file");
  } catch (const ReportFileError &error) {
    return error.what();
  }
  return "";
}

TEST(ReportFile, WhatIsWrittenIsRead) {
  const report::Report report = makeReport();
  const auto read = parseReport(serializeReport(report), "a file");
  EXPECT_EQ(read->SerializeAsString(), report.SerializeAsString());
  showAll(*read);
}

TEST(ReportFile, Rows) {
  const report::Report report = makeReport();
  EXPECT_EQ(expand(report, report.memory().total_row()),
            (ByTile{100, 200, 300, 400}));
  EXPECT_EQ(expand(report, 0), (ByTile{0, 0, 0, 0}));
  const RowFacts facts = factsOf(report, report.memory().total_row());
  EXPECT_EQ(facts.sum, 1000u);
  EXPECT_EQ(facts.mostTile, 3u);
  report::Report other = report;
  RowTable rows(other);
  EXPECT_EQ(rows.add({5, 5, 5, 5}), rows.add({5, 5, 5, 5}));
}

TEST(ReportFile, NamesAreNoMarkup) {
  report::Report report = makeReport();
  report.set_model("</script><b>");
  EXPECT_EQ(makePage(report, nullptr).find("</script><b>"), std::string::npos);
}

TEST(ReportFile, Analysis) {
  const Analysis analysis(makeReport());
  EXPECT_EQ(analysis.cycles, 240u);
  ASSERT_EQ(analysis.layers.size(), 1u);
  EXPECT_EQ(analysis.layers[0].total, 240u);
  EXPECT_EQ(analysis.layers[0].flops, 200);
  EXPECT_EQ(analysis.peak.most, 200u);
  EXPECT_EQ(analysis.fullestTile, 3u);
}

/// Variables that share memory are in the total of a tile, but in no category.
TEST(ReportFile, SharedMemory) {
  report::Report report = makeReport();
  RowTable rows(report);
  report.mutable_memory()->set_total_row(rows.add({150, 200, 350, 400}));
  EXPECT_EQ(sharedByTile(report), (ByTile{50, 0, 50, 0}));
  const Json tiles = tilesJson(report)["tiles"];
  EXPECT_EQ(tiles[0]["categories"]["sharedByVariables"], 50);
  EXPECT_FALSE(tiles[1]["categories"].contains("sharedByVariables"));
  for (const Json &tile : tiles) {
    std::uint64_t sum = 0;
    for (const auto &[name, bytes] : tile["categories"].items())
      sum += bytes.get<std::uint64_t>();
    EXPECT_EQ(sum, tile["bytes"]);
  }
}

/// Tiles may end at the same address. The fullest one has the most data, and
/// the compiler names the same one.
TEST(ReportFile, FullestTile) {
  report::Report report = makeReport();
  RowTable rows(report);
  report.mutable_memory()->set_total_row(rows.add({100, 700, 900, 800}));
  report.mutable_memory()->set_gaps_row(rows.add({1200, 1200, 1200, 1100}));
  report.mutable_memory()->set_tiles_out_of_memory(4);
  const Analysis analysis(report);
  EXPECT_EQ(analysis.fullestTile, 2u);
  const std::vector<Advice> advice = adviceFor(report, analysis);
  ASSERT_FALSE(advice.empty());
  EXPECT_EQ(advice[0].view, "memory");
  EXPECT_EQ(advice[0].name, "2");
  EXPECT_NE(advice[0].text.find("tile 2 needs 1.2 KiB of 1000 bytes, 200 "
                                "bytes too much. 300 bytes of it are gaps"),
            std::string::npos)
      << advice[0].text;
}

/// Parts of a variable may be on the same tile.
TEST(ReportFile, LiveVariables) {
  report::Liveness liveness;
  liveness.add_variables("x");
  liveness.add_variables("always");
  liveness.add_program_at(0);
  const unsigned parts[][4] = {{0, 10, 0, 3}, {0, 5, 2, 4}, {1, 7, 1, 2}};
  for (const auto &[variable, bytes, begin, end] : parts) {
    report::LivePart &part = *liveness.add_parts();
    part.set_variable(variable);
    part.set_bytes(bytes);
    part.add_tiles(begin);
    part.add_tiles(end);
    if (variable == 0)
      for (unsigned moment : {0, 0})
        part.add_moments(moment);
  }
  const std::vector<LiveVariable> passing =
      liveVariables(liveness, {.withAlways = false, .moment = 0, .tile = {}});
  ASSERT_EQ(passing.size(), 1u);
  EXPECT_EQ(passing[0].bytes, 40u);
  EXPECT_EQ(passing[0].tiles, 4u);
  EXPECT_EQ(passing[0].mostOnTile, 15u);
  const std::vector<LiveVariable> onOne =
      liveVariables(liveness, {.moment = 0, .tile = 1});
  ASSERT_EQ(onOne.size(), 2u);
  EXPECT_EQ(onOne[0].bytes, 10u);
  EXPECT_EQ(onOne[1].name, "always");
  EXPECT_TRUE(onOne[1].isAlways);
  EXPECT_EQ(liveBytes(liveness, 2), (std::vector<std::uint64_t>{15}));
}

/// Operators of a training have phases; those of an inference have none.
TEST(ReportFile, Phases) {
  report::Report report = makeReport();
  EXPECT_FALSE(layersJson(report)["layers"][0].contains("phase"));
  report.mutable_operators(0)->set_phase("forward");
  report::Operator &gradient = *report.add_operators();
  gradient.set_name("gradient");
  gradient.set_phase("backward");
  EXPECT_EQ(layersJson(report)["layers"][0]["phase"], "forward");
  for (const Layer &layer : Analysis(report).layers)
    EXPECT_EQ(layer.phase, layer.name == "gradient" ? "backward" : "forward");
}

/// Each IPU has a track, whether or not it has a clock of its own.
TEST(ReportFile, IpusOfATrace) {
  report::Report report = makeReport();
  report.mutable_target()->set_ipus(2);
  report.mutable_target()->set_tiles_per_ipu(2);
  trace::Trace trace;
  ASSERT_TRUE(trace.ParseFromString(makeTrace(report, {})));
  std::map<std::uint64_t, std::string> names;
  std::map<std::string, unsigned> slices;
  for (const trace::TracePacket &packet : trace.packet())
    if (packet.has_track_descriptor())
      names[packet.track_descriptor().uuid()] =
          packet.track_descriptor().name();
    else if (packet.track_event().type() == trace::TrackEvent::SliceBegin)
      ++slices[names[packet.track_event().track_uuid()]];
  // Two exchanges of both IPUs, and two compute sets of the first.
  EXPECT_EQ(slices["IPU 0"], 4u);
  EXPECT_EQ(slices["IPU 1"], 2u);
  report::Report domains = makeReportOfDomains();
  domains.mutable_target()->set_ipus(2);
  domains.mutable_target()->set_tiles_per_ipu(2);
  const std::string text = makeTrace(domains, {});
  EXPECT_NE(text.find("IPU 0: ipu2"), std::string::npos);
  EXPECT_NE(text.find("IPU 1: ipu2"), std::string::npos);
}

/// A run takes as long as its longest domain, and that is what its time is
/// spent on; steps are those of all.
TEST(ReportFile, Domains) {
  const report::Report report = makeReportOfDomains();
  showAll(*parseReport(serializeReport(report), "a file"));
  const Analysis analysis(report);
  EXPECT_EQ(analysis.cycles, 300u);
  ASSERT_EQ(analysis.domains.size(), 2u);
  EXPECT_EQ(analysis.domains[0].cycles, 240u);
  EXPECT_EQ(analysis.domains[1].firstTile, 2u);
  const auto of = [](const ByActivity &cycles, Activity activity) {
    return cycles[static_cast<std::size_t>(activity)];
  };
  EXPECT_EQ(of(analysis.byActivity, Activity::Exchange), 200u);
  EXPECT_EQ(of(analysis.byActivity, Activity::Sync), 100u);
  EXPECT_EQ(of(analysis.byActivity, Activity::Compute), 0u);
  EXPECT_EQ(of(analysis.domains[0].byActivity, Activity::Compute), 120u);
  // All compute is that of two tiles.
  EXPECT_DOUBLE_EQ(analysis.tileBalance, 180.0 / (120 * 2));
  std::ostringstream out;
  printOverview(out, report);
  EXPECT_NE(out.str().find("domains  2 with clocks of their own"),
            std::string::npos);
  EXPECT_NE(out.str().find("tiles 2 to 3: 300 cycles"), std::string::npos);
  const std::string trace = makeTrace(report, {});
  EXPECT_NE(trace.find("Domain 0: ipu2"), std::string::npos);
  EXPECT_NE(trace.find("Domain 1: ipu2"), std::string::npos);
}

/// Counts are of instructions; those that give no pipe work are idle.
TEST(ReportFile, CodeFigures) {
  report::VertexType type;
  EXPECT_FALSE(CodeFigures(type).isCounted());
  const unsigned lines[][3] = {{1, 10, 60}, {2, 4, 24}, {3, 6, 36}, {0, 1, 6}};
  for (const auto &[pipes, times, cycles] : lines) {
    report::CodeLine &line = *type.add_code();
    line.set_pipes(pipes);
    line.set_times(times);
    line.set_cycles(cycles);
  }
  const CodeFigures figures(type);
  EXPECT_EQ(figures.issued, 21u);
  EXPECT_EQ(figures.cycles, 126u);
  EXPECT_EQ(figures.main, 16u);
  EXPECT_EQ(figures.aux, 10u);
  EXPECT_EQ(figures.both, 6u);
  EXPECT_EQ(figures.idle, 1u);
  EXPECT_EQ(figures.least(), 16u);
}

TEST(ReportFile, DamageIsOneMessage) {
  const std::string bytes = serializeReport(makeReport());
  EXPECT_EQ(errorOf(""), "a file is not a report");
  EXPECT_EQ(errorOf("POPPROF"), "a file is not a report");
  EXPECT_NE(errorOf("POPPROF\2...").find("another version, 2"),
            std::string::npos);
  EXPECT_NE(errorOf(bytes.substr(0, bytes.size() - 3)).find("is damaged"),
            std::string::npos);
  for (std::size_t size = 0; size != bytes.size(); ++size)
    EXPECT_NE(errorOf(bytes.substr(0, size)), "") << size;
  EXPECT_NE(errorOf(bytes + '\0'), "");
  report::Report wrong = makeReport();
  wrong.mutable_programs(0)->add_children(3);
  EXPECT_EQ(errorOf(serializeReport(wrong)),
            "a file is damaged: a program is part of itself");
  wrong = makeReport();
  wrong.mutable_rows(0)->set_counts(0, 7);
  EXPECT_EQ(errorOf(serializeReport(wrong)),
            "a file is damaged: a row does not have a number for each tile");
  wrong = makeReport();
  wrong.mutable_target()->set_tiles_per_ipu(1u << 31);
  EXPECT_EQ(errorOf(serializeReport(wrong)),
            "a file is damaged: its target has 2147483648 tiles");
}

TEST(ReportFile, FilesMaySayAnything) {
  const std::string originals[] = {makeReport().SerializeAsString(),
                                   makeReportOfDomains().SerializeAsString()};
  std::mt19937 random(1);
  unsigned accepted = 0;
  for (unsigned i = 0; i != 3000; ++i) {
    std::string changed = originals[i % 2];
    for (unsigned changes = 1 + random() % 3; changes != 0; --changes) {
      const std::size_t at = random() % changed.size();
      switch (random() % 4) {
      case 0:
        changed[at] = static_cast<char>(random());
        break;
      case 1:
        changed[at] = static_cast<char>(changed[at] + 1);
        break;
      case 2:
        changed.erase(at, 1);
        break;
      default:
        changed.insert(at, 1, static_cast<char>(random()));
      }
    }
    try {
      const std::string file = reportBytes(changed);
      showAll(*parseReport(file, "a file"));
      readWithPva(file);
      ++accepted;
    } catch (const std::runtime_error &error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
  EXPECT_GT(accepted, 100u);
}

} // namespace
