// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts a session's counts to a report's execution. The session sums counts
// by step and records the first steps one by one, so the size does not depend
// on the length of the run.

#include "lib/Profile/CodeFacts.h"
#include "lib/Profile/ExchangeMatrix.h"
#include "lib/Profile/GraphFigures.h"
#include "lib/Profile/ReportBuilder.h"
#include "lib/Profile/Rows.h"

#include <algorithm>
#include <set>
#include <utility>

namespace populus::profile {

using namespace runtime;

namespace {

void copy(const Cycles &from, report::Cycles &to) {
  to.set_total(from.total);
  to.set_compute(from.compute);
  to.set_exchange(from.exchange);
  to.set_sync(from.sync);
  to.set_host(from.host);
}

class RunRecorder {
public:
  RunRecorder(report::Report &report, const Session &session)
      : report(report), session(session), exe(session.executable()),
        rows(report) {}

  void add(std::span<const RunRecord> runs) {
    report::Execution &execution = *report.mutable_execution();
    const RunStats stats = session.stats();
    execution.set_host_seconds(stats.hostSeconds);
    execution.set_tile_balance(stats.tileBalance);
    execution.set_engine(stats.engine);
    execution.set_threads(stats.threads);
    report::Domain &domain = *execution.add_domains();
    domain.set_tiles(exe.numTiles());
    copy(stats.cycles, *domain.mutable_cycles());
    addTotals(domain);
    addWindow(*domain.mutable_window());
    addBlocks(*domain.mutable_blocks());
    domain.set_left_out(
        executed - static_cast<std::uint64_t>(session.stepRecords().size()));
    addSets(domain);
    std::uint64_t active = 0;
    for (const report::ProgramTotal &total : domain.totals())
      active += total.active_cycles();
    domain.set_active_compute(active);
    addRuns(execution, runs);
    addInstructions();
    addVertices(execution);
    addMatrix(report, exe, exchangeTimes);
  }

private:
  void addTotals(report::Domain &domain) {
    setTimes.resize(exe.computeSets.size());
    exchangeTimes.resize(exe.exchanges.size());
    const std::vector<StepTotal> &totals = session.stepTotals();
    for (std::uint32_t step = 0; step != totals.size(); ++step) {
      const StepTotal &total = totals[step];
      if (total.times == 0)
        continue;
      executed += total.times;
      report::ProgramTotal &entry = *domain.add_totals();
      entry.set_program(step);
      entry.set_times(total.times);
      copy(total.cycles, *entry.mutable_cycles());
      entry.set_tile_cycles(total.tileCycles);
      entry.set_active_cycles(activeOf(step, total.times, total.bundles));
      if (exe.steps[step].kind == StepKind::Execute)
        setTimes[exe.steps[step].index] += total.times;
      else if (exe.steps[step].kind == StepKind::Exchange)
        exchangeTimes[exe.steps[step].index] += total.times;
    }
  }

  /// Only the emulator counts what is issued; estimates say it by vertex type.
  std::uint64_t activeOf(std::uint32_t step, std::uint64_t times,
                         std::uint64_t bundles) const {
    if (exe.device == DeviceKind::Ipu ||
        exe.steps[step].kind != StepKind::Execute)
      return bundles;
    std::uint64_t active = 0;
    const auto set = static_cast<int>(exe.steps[step].index);
    for (const report::VertexCount &type : report.compute_sets(set).types())
      active += type.active_cycles() * times;
    return active;
  }

  void addWindow(report::Window &window) {
    for (const StepRecord &record : session.stepRecords()) {
      window.add_program(record.step);
      window.add_start(record.start);
      window.add_cycles(record.cycles.total);
      window.add_sync(record.cycles.sync);
      window.add_tile_cycles(record.tileCycles);
      window.add_active_cycles(activeOf(record.step, 1, record.bundles));
    }
  }

  void addBlocks(report::Blocks &blocks) {
    for (const BlockRecord &record : session.blockRecords()) {
      blocks.add_program(record.step);
      blocks.add_begin(record.begin);
      blocks.add_end(record.end);
    }
  }

  /// The IPU Model's cycles are the estimates, which compute sets have already.
  void addSets(report::Domain &domain) {
    const std::vector<std::uint64_t> &cycles = session.tileCycles();
    for (std::uint32_t id = 0; id != setTimes.size(); ++id) {
      if (setTimes[id] == 0)
        continue;
      const ComputeSet &set = exe.computeSets[id];
      ByTile byTile(exe.numTiles());
      for (std::uint32_t i = 0; i != set.tiles.count; ++i) {
        const std::uint32_t entry = set.tiles.first + i;
        byTile[exe.tileVertices[entry].tile] = cycles[entry];
      }
      report::SetCycles &sum = *domain.add_sets();
      sum.set_compute_set(id);
      sum.set_times(setTimes[id]);
      sum.set_cycles_row(rows.add(byTile));
    }
  }

  void addRuns(report::Execution &execution, std::span<const RunRecord> runs) {
    for (const RunRecord &run : runs) {
      if (!run.isProfiled)
        continue;
      report::Run &entry = *execution.add_runs();
      entry.set_name(run.name);
      entry.set_program(run.program);
      entry.set_first(run.firstRecord);
      entry.set_begin(run.begin - runs.front().begin);
      entry.set_end(std::max(run.end, run.begin) - runs.front().begin);
    }
  }

  void addVertices(report::Execution &execution) {
    const std::vector<std::uint64_t> &cycles = session.vertexCycles();
    if (cycles.empty())
      return;
    for (std::uint32_t id = 0; id != setTimes.size(); ++id) {
      if (setTimes[id] == 0)
        continue;
      const Range tiles = exe.computeSets[id].tiles;
      for (std::uint32_t i = 0; i != tiles.count; ++i) {
        const Range vertices = exe.tileVertices[tiles.first + i].vertices;
        for (std::uint32_t v = 0; v != vertices.count; ++v) {
          execution.add_vertex_cycles(cycles[vertices.first + v]);
          execution.add_vertex_sets(id);
          execution.add_vertex_types(exe.vertices[vertices.first + v].type);
        }
      }
    }
  }

  /// Each type once for each image that has it.
  void addInstructions() {
    const InstructionCounts &counts = session.instructionCounts();
    if (counts.empty())
      return;
    std::set<std::pair<std::uint32_t, std::uint32_t>> done; // type, image
    for (const TileVertices &list : exe.tileVertices)
      for (std::uint32_t i = 0; i != list.vertices.count; ++i) {
        const Vertex &vertex = exe.vertices[list.vertices.first + i];
        const std::uint32_t image =
            exe.tileSetups[exe.tileSetup[list.tile]].image;
        if (done.emplace(vertex.type, image).second)
          addCounts(
              exe.images[image], vertex.entry, counts[image],
              *report.mutable_vertex_types(static_cast<int>(vertex.type)));
      }
  }

  report::Report &report;
  const Session &session;
  const Executable &exe;
  RowTable rows; // of runs; those that are there are not looked for
  std::vector<std::uint64_t> setTimes, exchangeTimes;
  std::uint64_t executed = 0;
};

} // namespace

void addExecution(report::Report &report, const Session &session,
                  std::span<const RunRecord> runs) {
  const Executable &exe = session.executable();
  if (exe.device == DeviceKind::Cpu ||
      session.tileCycles().size() != exe.tileVertices.size())
    return;
  RunRecorder(report, session).add(runs);
}

void keepBlocks(report::Report &report,
                const std::function<bool(const std::string &name)> &isWanted) {
  if (!report.has_execution())
    return;
  for (report::Domain &domain :
       *report.mutable_execution()->mutable_domains()) {
    report::Blocks kept;
    const report::Blocks &all = domain.blocks();
    for (int i = 0; i != all.program_size(); ++i) {
      if (!isWanted(report.programs(static_cast<int>(all.program(i))).name()))
        continue;
      kept.add_program(all.program(i));
      kept.add_begin(all.begin(i));
      kept.add_end(all.end(i));
    }
    domain.mutable_blocks()->Swap(&kept);
  }
}

} // namespace populus::profile
