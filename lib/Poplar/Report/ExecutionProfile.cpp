// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Execution profile: a report's runs, those since the last reset,
// under the names of the user guide.

#include <poplar/Engine.hpp>

#include "lib/Poplar/Report/ProfileLists.h"
#include "lib/Poplar/Report/Report.h"
#include "lib/Profile/RunFigures.h"
#include "runtime/Format/Executable.h"

#include <algorithm>
#include <functional>

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

ProfileValue::Map syncStep(std::uint64_t cycles, std::uint64_t from,
                           bool isInternal) {
  return {{"type", "Sync"},
          {"syncType", isInternal ? "Internal" : "External"},
          {"cycles", cycles},
          {"cyclesFrom", from},
          {"cyclesTo", from + cycles}};
}

/// One of the executed programs that a report has.
struct Record {
  const report::Domain *domain;
  int ofDomain; // its number
  std::uint32_t program;
  std::uint64_t start, cycles, sync, tileCycles, activeCycles;
};

/// The records of all domains, by the cycle at which they start.
std::vector<Record> recordsOf(const report::Execution &execution) {
  std::vector<Record> records;
  for (int d = 0; d != execution.domains_size(); ++d) {
    const report::Domain &domain = execution.domains(d);
    const report::Window &window = domain.window();
    for (int i = 0; i != window.program_size(); ++i)
      records.push_back({&domain, d, window.program(i), window.start(i),
                         window.cycles(i), window.sync(i),
                         window.tile_cycles(i), window.active_cycles(i)});
  }
  std::stable_sort(
      records.begin(), records.end(),
      [](const Record &a, const Record &b) { return a.start < b.start; });
  return records;
}

class Simulation {
public:
  explicit Simulation(const report::Report &report)
      : report(report), exchanges(report) {}

  /// `firstSteps` gets the place in the list of steps of each record of the
  /// first domain, which runs refer to.
  ProfileValue make(const std::vector<Record> &records,
                    std::vector<std::size_t> &firstSteps) const {
    ProfileValue::Vector steps;
    for (const Record &record : records) {
      if (record.ofDomain == 0)
        firstSteps.push_back(steps.size());
      addStep(record, steps);
    }
    firstSteps.push_back(steps.size());
    const profile::TileCycles tiles = profile::tileCyclesOf(report);
    return ProfileValue::Map{
        {"cycles", profile::longestDomain(report.execution()).cycles().total()},
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
    const auto add = [&](ProfileValue::Map step) {
      if (report.execution().domains_size() != 1)
        step["ipu"] = record.ofDomain;
      steps.push_back(std::move(step));
    };
    if (record.sync != 0)
      add(syncStep(record.sync, record.start, isInternal));
    if (kindOf(program) != rt::StepKind::Sync)
      add(timedStep(record, program));
  }

  ProfileValue::Map timedStep(const Record &record,
                              const report::Program &program) const {
    const profile::StepFigures figures = profile::figuresOf(
        report, *record.domain, record.program, record.tileCycles);
    const double tiles = record.domain->tiles();
    const double busy = static_cast<double>(figures.tileCycles);
    const std::uint64_t taken = record.cycles - record.sync;
    const double cycles = static_cast<double>(taken);
    const std::uint64_t from = record.start + record.sync;
    ProfileValue::Map entry{
        {"type", core::programType(report, program)},
        {"program", core::numberOf(record.program)},
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
        ratio(static_cast<double>(figures.movedData),
              static_cast<double>(figures.mostMovedByTile) * tiles);
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

/// Cycles of tiles by vertex type.
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
    for (std::size_t id = 0; id != sets; ++id)
      addSet(report, rows, id);
  }

private:
  /// Adds a compute set, which each domain counts on its own tiles.
  void addSet(const report::Report &report, RowLists &rows, std::size_t id) {
    std::uint64_t times = 0;
    profile::ByTile cycles;
    for (const report::Domain &domain : report.execution().domains())
      for (const report::SetCycles &sum : domain.sets()) {
        if (sum.compute_set() != id)
          continue;
        times = std::max(times, sum.times());
        const profile::ByTile own = profile::expand(report, sum.cycles_row());
        cycles.resize(own.size());
        std::transform(own.begin(), own.end(), cycles.begin(), cycles.begin(),
                       std::plus<>());
      }
    if (times == 0)
      return;
    ofSets[id] = times;
    cyclesByTile[id] = rows.of(cycles);
    for (const report::VertexCount &count :
         report.compute_sets(static_cast<int>(id)).types()) {
      runsByType[count.type()] += count.count() * times;
      activeByType[count.type()] += count.active_cycles() * times;
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
  for (const report::ProgramTotal &total :
       profile::totalsOf(report.execution())) {
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

/// The guide's name for what a device with counters has counted; null if that
/// is nothing.
const char *counterMode(const report::Execution &execution) {
  if (!execution.no_compute_counts())
    return Modes[execution.level()];
  if (!execution.no_external_counts())
    return "EXTERNAL_EXCHANGES";
  return execution.no_host_counts() ? nullptr : "HOST_EXCHANGES";
}

/// Adds the entries that the guide lists for the modes of compute sets.
void addComputeCounts(const report::Report &report, ProfileValue::Map &result) {
  const report::Execution &execution = report.execution();
  std::vector<std::uint64_t> slowest(
      static_cast<std::size_t>(report.compute_sets_size()));
  for (const report::ProgramTotal &total : profile::totalsOf(execution)) {
    const auto &program = report.programs(static_cast<int>(total.program()));
    if (kindOf(program) == rt::StepKind::Execute)
      slowest[program.index()] += total.cycles().compute();
  }
  result["computeSetCycles"] = listOf(slowest);
  result["vertexCycles"] = listOf(execution.vertex_cycles());
  result["vertexComputeSet"] = listOf(execution.vertex_sets());
  result["vertexType"] = listOf(execution.vertex_types());
}

/// Adds the entries of those modes that count exchanges.
void addExchangeCounts(const report::Report &report, RowLists &rows,
                       ProfileValue::Map &result) {
  if (!report.execution().no_external_counts())
    result["externalExchangeCycles"] = exchangeCycles(
        report, rows, report.exchanges(),
        [](rt::StepKind kind) { return kind == rt::StepKind::Exchange; },
        core::isBetweenIpus);
  if (!report.execution().no_host_counts())
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
  const bool isModel = device == rt::DeviceKind::IpuModel;
  if (!report.has_execution() || (!isModel && !counterMode(report.execution())))
    return ProfileValue::Map{{"profilerMode", "NONE"}};
  const report::Cycles &cycles =
      profile::longestDomain(report.execution()).cycles();
  RowLists rows(report);
  Executions executions(report, rows);
  const std::vector<Record> records = recordsOf(report.execution());
  std::vector<std::uint32_t> trace;
  for (const Record &record : records)
    trace.push_back(core::numberOf(record.program));
  std::uint64_t leftOut = 0;
  for (const report::Domain &domain : report.execution().domains())
    leftOut += domain.left_out();
  std::vector<std::size_t> firstSteps;
  const ProfileValue simulation = Simulation(report).make(records, firstSteps);
  ProfileValue::Map result{
      {"profilerMode", isModel ? "IPU_MODEL" : counterMode(report.execution())},
      {"cycles", cyclesProfile(cycles)},
      {"secondsAtClock",
       static_cast<double>(cycles.total()) / report.target().clock_hz()},
      {"tileBalance", report.execution().tile_balance()},
      {"programTrace", listOf(trace)},
      {"runs", runsProfile(report, firstSteps)},
      {"computeSetExecutions", std::move(executions.ofSets)},
      {"stepsLeftOut", leftOut},
      {"vertexRunsByType", listOf(executions.runsByType)},
      {"simulation", simulation},
  };
  if (isModel) {
    result["activeCyclesByVertexType"] = listOf(executions.activeByType);
    return result;
  }
  if (!report.execution().no_compute_counts()) {
    result["computeSetCyclesByTile"] = std::move(executions.cyclesByTile);
    result["cyclesByVertexTypes"] = vertexTypeCycles(report);
    addComputeCounts(report, result);
  }
  addExchangeCounts(report, rows, result);
  return result;
}

} // namespace poplar
