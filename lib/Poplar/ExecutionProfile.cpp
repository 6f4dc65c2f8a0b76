// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Engine::getExecutionProfile: what the runs since the last reset took, under
// the names of the user guide.

#include <poplar/Engine.hpp>

#include "lib/Poplar/EngineImpl.h"
#include "lib/Poplar/ProfilePrograms.h"
#include "lib/Poplar/Report.h"
#include "lib/Profile/ExecutionFigures.h"

#include <algorithm>

namespace poplar {

namespace rt = populus::runtime;
namespace profile = populus::profile;

namespace {

template <typename T> ProfileValue listOf(const std::vector<T> &values) {
  return ProfileValue::Vector(values.begin(), values.end());
}

double ratio(double part, double whole) {
  return whole == 0 ? 0 : part / whole;
}

ProfileValue syncStep(std::uint64_t cycles, std::uint64_t from,
                      bool isInternal) {
  return ProfileValue::Map{{"type", "Sync"},
                           {"syncType", isInternal ? "Internal" : "External"},
                           {"cycles", cycles},
                           {"cyclesFrom", from},
                           {"cyclesTo", from + cycles}};
}

class Simulation {
public:
  explicit Simulation(const rt::Executable &exe)
      : exe(exe), hostExchanges(core::hostExchangeSteps(exe)) {}

  /// `firstSteps` gets the place in the list of steps of each record.
  ProfileValue of(const profile::ExecutionFigures &figures,
                  std::vector<std::size_t> &firstSteps) const {
    ProfileValue::Vector steps;
    for (const profile::StepFigures &step : figures.steps) {
      firstSteps.push_back(steps.size());
      addStep(step, steps);
    }
    firstSteps.push_back(steps.size());
    const profile::TileCycles &tiles = figures.tileCycles;
    return ProfileValue::Map{
        {"cycles", figures.cycles},
        {"tileCycles", ProfileValue::Map{{"activeCompute", tiles.activeCompute},
                                         {"compute", tiles.compute},
                                         {"copySharedStructure", 0},
                                         {"doExchange", tiles.exchange},
                                         {"globalExchange", 0},
                                         {"streamCopy", tiles.host},
                                         {"sync", tiles.sync}}},
        {"steps", std::move(steps)}};
  }

private:
  void addStep(const profile::StepFigures &step,
               ProfileValue::Vector &steps) const {
    const rt::Step &source = exe.steps[step.step];
    const bool isInternal =
        source.kind == rt::StepKind::Exchange ||
        (source.kind == rt::StepKind::Sync && source.index == 0);
    if (step.syncCycles != 0)
      steps.push_back(
          syncStep(step.syncCycles, step.from - step.syncCycles, isInternal));
    if (source.kind == rt::StepKind::Sync)
      return;
    steps.push_back(timedStep(step, source));
  }

  ProfileValue timedStep(const profile::StepFigures &step,
                         const rt::Step &source) const {
    const double busy = static_cast<double>(step.tileCycles);
    const double cycles = static_cast<double>(step.cycles);
    ProfileValue::Map entry{
        {"type", core::programType(source)},
        {"program", step.step},
        {"cycles", step.cycles},
        {"cyclesFrom", step.from},
        {"cyclesTo", step.from + step.cycles},
        {"activeTiles", step.activeTiles},
        {"tileBalance", ratio(busy, cycles * exe.numTiles())},
        {"activeTileBalance",
         ratio(busy, cycles * static_cast<double>(step.activeTiles))}};
    if (!source.name.empty())
      entry["name"] = source.name;
    if (source.kind == rt::StepKind::Execute) {
      entry["computeSet"] = source.index;
      return entry;
    }
    entry["totalData"] = step.totalData;
    entry["dataBalance"] =
        ratio(static_cast<double>(step.totalData),
              static_cast<double>(step.mostDataOnTile) * exe.numTiles());
    if (source.kind == rt::StepKind::Exchange)
      entry["exchange"] = source.index;
    else
      entry["hostExchange"] = static_cast<std::uint64_t>(
          std::lower_bound(hostExchanges.begin(), hostExchanges.end(),
                           step.step) -
          hostExchanges.begin());
    return entry;
  }

  const rt::Executable &exe;
  std::vector<std::uint32_t> hostExchanges;
};

ProfileValue computeSetCyclesByTile(const rt::Session &session) {
  const rt::Executable &exe = session.executable();
  const std::vector<std::uint64_t> &cycles = session.tileCycles();
  ProfileValue::Vector sets;
  for (const rt::ComputeSet &set : exe.computeSets) {
    ProfileValue::Vector byTile(exe.numTiles(), ProfileValue(0));
    for (std::uint32_t i = 0; i != set.tiles.count; ++i) {
      const std::uint32_t entry = set.tiles.first + i;
      byTile[exe.tileVertices[entry].tile] = cycles[entry];
    }
    sets.push_back(std::move(byTile));
  }
  return sets;
}

ProfileValue cyclesProfile(const rt::Cycles &cycles) {
  return ProfileValue::Map{{"total", cycles.total},
                           {"compute", cycles.compute},
                           {"exchange", cycles.exchange},
                           {"sync", cycles.sync},
                           {"host", cycles.host}};
}

ProfileValue traceOf(const rt::Session &session) {
  ProfileValue::Vector trace;
  for (const rt::StepRecord &record : session.stepRecords())
    trace.push_back(record.step);
  return trace;
}

ProfileValue runsProfile(const std::vector<core::RunRecord> &runs,
                         const std::vector<std::size_t> &firstSteps) {
  ProfileValue::Vector list;
  for (const core::RunRecord &run : runs)
    if (run.isProfiled)
      list.push_back(
          ProfileValue::Map{{"name", run.name},
                            {"program", run.program},
                            {"firstStep", firstSteps[run.firstRecord]}});
  return list;
}

} // namespace

ProfileValue core::executionProfile(const rt::Session &session,
                                    const std::vector<RunRecord> &runs) {
  const rt::Executable &exe = session.executable();
  if (exe.device == rt::DeviceKind::Cpu)
    return ProfileValue::Map{{"profilerMode", "CPU"}};
  if (session.tileCycles().size() != exe.tileVertices.size())
    return ProfileValue::Map{{"profilerMode", "NONE"}};
  const rt::RunStats stats = session.stats();
  const profile::ExecutionFigures figures = profile::executionFigures(session);
  std::vector<std::size_t> firstSteps;
  const ProfileValue simulation = Simulation(exe).of(figures, firstSteps);
  ProfileValue::Map result{
      {"profilerMode",
       exe.device == rt::DeviceKind::IpuModel ? "IPU_MODEL" : "COMPUTE_SETS"},
      {"cycles", cyclesProfile(stats.cycles)},
      {"secondsAtClock", stats.secondsAtClock},
      {"tileBalance", stats.tileBalance},
      {"programTrace", traceOf(session)},
      {"runs", runsProfile(runs, firstSteps)},
      {"computeSetExecutions", listOf(figures.executionsBySet)},
      {"stepsLeftOut", figures.stepsLeftOut},
      {"vertexRunsByType", listOf(figures.runsByType)},
      {"simulation", simulation},
  };
  if (exe.device == rt::DeviceKind::IpuModel)
    result["activeCyclesByVertexType"] = listOf(figures.activeCyclesByType);
  else
    result["computeSetCyclesByTile"] = computeSetCyclesByTile(session);
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
  return core::executionProfile(held().session("Engine::getExecutionProfile"),
                                held().runs);
}

} // namespace poplar
