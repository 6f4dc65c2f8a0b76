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
#include <unordered_map>
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

std::vector<std::uint64_t> activeCyclesByIpu(const Executable &exe,
                                             const ComputeSet &set) {
  std::vector<std::uint64_t> active(exe.numIpus);
  const ByTile byTile = figuresOf(exe, set).activeCyclesByTile;
  for (std::size_t tile = 0; tile != byTile.size(); ++tile)
    active[tile / exe.tilesPerIpu] += byTile[tile];
  return active;
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
    countTimes();
    for (std::uint32_t ipu = 0; ipu != exe.numIpus; ++ipu)
      addDomain(ipu, *execution.add_domains());
    addRuns(execution, runs);
    addInstructions();
    addVertices(execution);
    addMatrix(report, exe, exchangeTimes);
  }

private:
  /// Adds up how often compute sets and exchanges were executed. A step that
  /// several IPUs take part in is in the totals of each.
  void countTimes() {
    setTimes.resize(exe.computeSets.size());
    exchangeTimes.resize(exe.exchanges.size());
    for (std::uint32_t step = 0; step != exe.steps.size(); ++step) {
      std::uint64_t times = 0;
      for (std::uint32_t ipu = 0; ipu != exe.numIpus; ++ipu)
        if (const auto &totals = session.recorded(ipu).totals;
            step < totals.size())
          times = std::max(times, totals[step].times);
      if (exe.steps[step].kind == StepKind::Execute)
        setTimes[exe.steps[step].computeSet()] += times;
      else if (exe.steps[step].kind == StepKind::Exchange)
        exchangeTimes[exe.steps[step].exchange()] += times;
    }
  }

  /// An IPU, which has a clock of its own.
  void addDomain(std::uint32_t ipu, report::Domain &domain) {
    const IpuProfile &profile = session.recorded(ipu);
    domain.set_first_tile(ipu * exe.tilesPerIpu);
    domain.set_tiles(exe.tilesPerIpu);
    copy(session.cycles(ipu), *domain.mutable_cycles());
    addTotals(ipu, domain);
    addWindow(ipu, *domain.mutable_window());
    addBlocks(profile.blocks, *domain.mutable_blocks());
    domain.set_left_out(profile.executed - profile.steps.size());
    addSets(ipu, domain);
    std::uint64_t active = 0;
    for (const report::ProgramTotal &total : domain.totals())
      active += total.active_cycles();
    domain.set_active_compute(active);
  }

  void addTotals(std::uint32_t ipu, report::Domain &domain) {
    const std::vector<StepTotal> &totals = session.recorded(ipu).totals;
    for (std::uint32_t step = 0; step != totals.size(); ++step) {
      const StepTotal &total = totals[step];
      if (total.times == 0)
        continue;
      report::ProgramTotal &entry = *domain.add_totals();
      entry.set_program(step);
      entry.set_times(total.times);
      copy(total.cycles, *entry.mutable_cycles());
      entry.set_tile_cycles(total.tileCycles);
      entry.set_active_cycles(activeOf(ipu, step, total.times, total.bundles));
    }
  }

  /// Only the emulator counts the bundles that are issued; on the IPU Model
  /// they follow from the estimates.
  std::uint64_t activeOf(std::uint32_t ipu, std::uint32_t step,
                         std::uint64_t times, std::uint64_t bundles) {
    if (exe.device == DeviceKind::Ipu ||
        exe.steps[step].kind != StepKind::Execute)
      return bundles;
    std::vector<std::uint64_t> &byIpu = active[exe.steps[step].computeSet()];
    if (byIpu.empty())
      byIpu =
          activeCyclesByIpu(exe, exe.computeSets[exe.steps[step].computeSet()]);
    return byIpu[ipu] * times;
  }

  void addWindow(std::uint32_t ipu, report::Window &window) {
    for (const StepRecord &record : session.recorded(ipu).steps) {
      window.add_program(record.step);
      window.add_start(record.start);
      window.add_cycles(record.cycles.total);
      window.add_sync(record.cycles.sync);
      window.add_tile_cycles(record.tileCycles);
      window.add_active_cycles(activeOf(ipu, record.step, 1, record.bundles));
    }
  }

  void addBlocks(const std::vector<BlockRecord> &records,
                 report::Blocks &blocks) {
    for (const BlockRecord &record : records) {
      blocks.add_program(record.step);
      blocks.add_begin(record.begin);
      blocks.add_end(record.end);
    }
  }

  /// The IPU Model's cycles are the estimates, which compute sets have already.
  void addSets(std::uint32_t ipu, report::Domain &domain) {
    const std::vector<std::uint64_t> &cycles = session.tileCycles();
    for (std::uint32_t id = 0; id != setTimes.size(); ++id) {
      if (setTimes[id] == 0)
        continue;
      const ComputeSet &set = exe.computeSets[id];
      ByTile byTile(exe.numTiles());
      bool isOnIpu = exe.numIpus == 1;
      for (std::uint32_t i = 0; i != set.tiles.count; ++i) {
        const std::uint32_t entry = set.tiles.first + i;
        const std::uint32_t tile = exe.tileVertices[entry].tile;
        if (tile / exe.tilesPerIpu != ipu)
          continue;
        byTile[tile] = cycles[entry];
        isOnIpu = true;
      }
      if (!isOnIpu)
        continue;
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
      entry.set_clock(run.clock);
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
  /// By compute set, where they are needed, and by IPU.
  std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> active;
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
