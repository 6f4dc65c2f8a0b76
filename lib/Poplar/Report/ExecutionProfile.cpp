// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Engine::getExecutionProfile: a report's runs, those since the last reset,
// under the names of the user guide.

#include <poplar/Engine.hpp>

#include "lib/Poplar/Engine/EngineImpl.h"
#include "lib/Poplar/Report/ProfileLists.h"
#include "lib/Poplar/Report/Report.h"
#include "lib/Profile/RunFigures.h"

#include <algorithm>

namespace poplar {

namespace rt = populus::runtime;
namespace profile = populus::profile;
namespace report = populus::report;

using core::listOf;
using core::RowLists;

namespace {

double ratio(double part, double whole) {
  return whole == 0 ? 0 : part / whole;
}

rt::StepKind kindOf(const report::Program &program) {
  return static_cast<rt::StepKind>(program.kind());
}

ProfileValue syncStep(std::uint64_t cycles, std::uint64_t from,
                      bool isInternal) {
  return ProfileValue::Map{{"type", "Sync"},
                           {"syncType", isInternal ? "Internal" : "External"},
                           {"cycles", cycles},
                           {"cyclesFrom", from},
                           {"cyclesTo", from + cycles}};
}

/// One of the executed programs that a report has.
struct Record {
  std::uint32_t program;
  std::uint64_t start, cycles, sync, tileCycles, activeCycles;
};

Record recordAt(const report::Window &window, int index) {
  return {window.program(index),     window.start(index),
          window.cycles(index),      window.sync(index),
          window.tile_cycles(index), window.active_cycles(index)};
}

class Simulation {
public:
  explicit Simulation(const report::Report &report)
      : report(report), exchanges(report),
        domain(report.execution().domains(0)) {}

  /// `firstSteps` gets the place in the list of steps of each record.
  ProfileValue make(std::vector<std::size_t> &firstSteps) const {
    ProfileValue::Vector steps;
    for (int i = 0; i != domain.window().program_size(); ++i) {
      firstSteps.push_back(steps.size());
      addStep(recordAt(domain.window(), i), steps);
    }
    firstSteps.push_back(steps.size());
    const profile::TileCycles tiles = profile::tileCyclesOf(report);
    return ProfileValue::Map{
        {"cycles", domain.cycles().total()},
        {"tileCycles", ProfileValue::Map{{"activeCompute", tiles.activeCompute},
                                         {"compute", tiles.compute},
                                         {"copySharedStructure", 0},
                                         {"doExchange", tiles.exchange},
                                         {"globalExchange", tiles.linkExchange},
                                         {"streamCopy", tiles.host},
                                         {"sync", tiles.sync}}},
        {"steps", std::move(steps)}};
  }

private:
  void addStep(const Record &record, ProfileValue::Vector &steps) const {
    const report::Program &program =
        report.programs(static_cast<int>(record.program));
    const bool isInternal =
        kindOf(program) == rt::StepKind::Exchange ||
        (kindOf(program) == rt::StepKind::Sync && program.index() == 0);
    if (record.sync != 0)
      steps.push_back(syncStep(record.sync, record.start, isInternal));
    if (kindOf(program) != rt::StepKind::Sync)
      steps.push_back(timedStep(record, program));
  }

  ProfileValue timedStep(const Record &record,
                         const report::Program &program) const {
    const profile::StepFigures figures =
        profile::figuresOf(report, record.program, record.tileCycles);
    const double tiles = profile::numTiles(report);
    const double busy = static_cast<double>(figures.tileCycles);
    const std::uint64_t taken = record.cycles - record.sync;
    const double cycles = static_cast<double>(taken);
    const std::uint64_t from = record.start + record.sync;
    ProfileValue::Map entry{
        {"type", core::programType(report, program)},
        {"program", record.program},
        {"cycles", taken},
        {"cyclesFrom", from},
        {"cyclesTo", from + taken},
        {"activeTiles", figures.activeTiles},
        {"tileBalance", ratio(busy, cycles * tiles)},
        {"activeTileBalance",
         ratio(busy, cycles * static_cast<double>(figures.activeTiles))}};
    if (!program.name().empty())
      entry["name"] = program.name();
    if (kindOf(program) == rt::StepKind::Execute) {
      entry["computeSet"] = program.index();
      entry["threadBalance"] =
          ratio(static_cast<double>(record.activeCycles), busy);
      entry["cyclesOverlapped"] = 0; // steps follow each other
      return entry;
    }
    entry["totalData"] = figures.totalData;
    entry["dataBalance"] =
        ratio(static_cast<double>(figures.totalData),
              static_cast<double>(figures.mostDataOnTile) * tiles);
    if (kindOf(program) == rt::StepKind::Exchange) {
      const auto &exchange =
          report.exchanges(static_cast<int>(program.index()));
      entry[core::isBetweenIpus(exchange) ? "externalExchange" : "exchange"] =
          exchanges[program.index()];
      entry["cyclesOverlapped"] = 0;
    } else if (kindOf(program) == rt::StepKind::StreamToDevice ||
               kindOf(program) == rt::StepKind::DeviceToStream) {
      entry["hostExchange"] = program.index();
    }
    return entry;
  }

  const report::Report &report;
  const core::ExchangeNumbers exchanges;
  const report::Domain &domain;
};

ProfileValue cyclesProfile(const report::Cycles &cycles) {
  return ProfileValue::Map{{"total", cycles.total()},
                           {"compute", cycles.compute()},
                           {"exchange", cycles.exchange()},
                           {"sync", cycles.sync()},
                           {"host", cycles.host()}};
}

ProfileValue runsProfile(const report::Report &report,
                         const std::vector<std::size_t> &firstSteps) {
  ProfileValue::Vector list;
  for (const report::Run &run : report.execution().runs())
    list.push_back(ProfileValue::Map{{"name", run.name()},
                                     {"program", run.program()},
                                     {"firstStep", firstSteps[run.first()]}});
  return list;
}

/// Which vertex types the cycles of tiles went to.
ProfileValue vertexTypeCycles(const report::Report &report) {
  ProfileValue::Vector list;
  for (const profile::TypeCycles &entry : profile::cyclesByType(report))
    list.push_back(ProfileValue::Map{{"vertexTypes", listOf(entry.types)},
                                     {"instances", entry.instances},
                                     {"cycles", entry.cycles}});
  return list;
}

/// Sums by compute set and vertex type.
struct Executions {
  ProfileValue::Vector ofSets, cyclesByTile;
  std::vector<std::uint64_t> runsByType, activeByType;

  Executions(const report::Report &report, RowLists &rows) {
    const auto types = static_cast<std::size_t>(report.vertex_types_size());
    runsByType.resize(types);
    activeByType.resize(types);
    const auto sets = static_cast<std::size_t>(report.compute_sets_size());
    ofSets.assign(sets, ProfileValue(0));
    cyclesByTile.assign(sets, rows[0]);
    for (const report::SetCycles &sum : report.execution().domains(0).sets()) {
      ofSets[sum.compute_set()] = sum.times();
      cyclesByTile[sum.compute_set()] = rows[sum.cycles_row()];
      for (const report::VertexCount &count :
           report.compute_sets(static_cast<int>(sum.compute_set())).types()) {
        runsByType[count.type()] += count.count() * sum.times();
        activeByType[count.type()] += count.active_cycles() * sum.times();
      }
    }
  }
};

/// Names of the ways of counting in the user guide, by Execution.level.
constexpr const char *Modes[] = {"COMPUTE_SETS", "VERTICES",
                                 "SINGLE_TILE_COMPUTE_SETS",
                                 "SINGLE_TILE_COMPUTE_SETS"};

/// Cycles of exchanges of one kind by tile, in all executions: for each of a
/// list, its row times what its programs were executed.
template <typename Exchanges, typename IsOf, typename Wanted>
ProfileValue exchangeCycles(const report::Report &report, RowLists &rows,
                            const Exchanges &exchanges, IsOf isOf,
                            Wanted isWanted) {
  std::vector<std::uint64_t> times(static_cast<std::size_t>(exchanges.size()));
  for (const report::Domain &domain : report.execution().domains())
    for (const report::ProgramTotal &total : domain.totals()) {
      const auto &program = report.programs(static_cast<int>(total.program()));
      if (isOf(kindOf(program)))
        times[program.index()] += total.times();
    }
  ProfileValue::Vector list;
  for (int i = 0; i != exchanges.size(); ++i)
    if (isWanted(exchanges.Get(i)))
      list.push_back(
          rows.mapped(exchanges.Get(i).cycles_row(), [&](std::uint64_t cycles) {
            return cycles * times[static_cast<std::size_t>(i)];
          }));
  return list;
}

/// Adds the entries that the guide lists for devices with counters.
void addCounted(const report::Report &report, RowLists &rows,
                ProfileValue::Map &result) {
  const report::Execution &execution = report.execution();
  std::vector<std::uint64_t> slowest(
      static_cast<std::size_t>(report.compute_sets_size()));
  for (const report::Domain &domain : execution.domains())
    for (const report::ProgramTotal &total : domain.totals()) {
      const auto &program = report.programs(static_cast<int>(total.program()));
      if (kindOf(program) == rt::StepKind::Execute)
        slowest[program.index()] += total.cycles().compute();
    }
  result["computeSetCycles"] = listOf(slowest);
  result["vertexCycles"] = listOf(execution.vertex_cycles());
  result["vertexComputeSet"] = listOf(execution.vertex_sets());
  result["vertexType"] = listOf(execution.vertex_types());
  result["externalExchangeCycles"] = exchangeCycles(
      report, rows, report.exchanges(),
      [](rt::StepKind kind) { return kind == rt::StepKind::Exchange; },
      core::isBetweenIpus);
  result["hostExchangeCycles"] = exchangeCycles(
      report, rows, report.host_exchanges(),
      [](rt::StepKind kind) {
        return kind == rt::StepKind::StreamToDevice ||
               kind == rt::StepKind::DeviceToStream;
      },
      [](const report::Exchange &) { return true; });
}

} // namespace

ProfileValue core::executionProfile(const report::Report &report) {
  const auto device = static_cast<rt::DeviceKind>(report.target().device());
  if (device == rt::DeviceKind::Cpu)
    return ProfileValue::Map{{"profilerMode", "CPU"}};
  if (!report.has_execution())
    return ProfileValue::Map{{"profilerMode", "NONE"}};
  const report::Domain &domain = report.execution().domains(0);
  RowLists rows(report);
  Executions executions(report, rows);
  std::vector<std::size_t> firstSteps;
  const ProfileValue simulation = Simulation(report).make(firstSteps);
  const bool isModel = device == rt::DeviceKind::IpuModel;
  ProfileValue::Map result{
      {"profilerMode",
       isModel ? "IPU_MODEL" : Modes[report.execution().level()]},
      {"cycles", cyclesProfile(domain.cycles())},
      {"secondsAtClock", static_cast<double>(domain.cycles().total()) /
                             report.target().clock_hz()},
      {"tileBalance", report.execution().tile_balance()},
      {"programTrace", listOf(domain.window().program())},
      {"runs", runsProfile(report, firstSteps)},
      {"computeSetExecutions", std::move(executions.ofSets)},
      {"stepsLeftOut", domain.left_out()},
      {"vertexRunsByType", listOf(executions.runsByType)},
      {"simulation", simulation},
  };
  if (isModel) {
    result["activeCyclesByVertexType"] = listOf(executions.activeByType);
  } else {
    result["computeSetCyclesByTile"] = std::move(executions.cyclesByTile);
    result["cyclesByVertexTypes"] = vertexTypeCycles(report);
    addCounted(report, rows, result);
  }
  return result;
}

void Engine::enableExecutionProfiling() {
  held().options.profileExecution = true;
  if (held().loaded)
    held().loaded->recordSteps(true);
}
void Engine::disableExecutionProfiling() {
  held().options.profileExecution = false;
  if (held().loaded)
    held().loaded->recordSteps(false);
}
void Engine::resetExecutionProfile() {
  held().runs.clear();
  if (held().loaded)
    held().loaded->resetStats();
}

ProfileValue Engine::getExecutionProfile() {
  held().session("Engine::getExecutionProfile");
  return core::executionProfile(held().report());
}

} // namespace poplar
