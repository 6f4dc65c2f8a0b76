// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a session's records to figures. What a step does is the same each time
// it runs, so the traffic of an exchange is added up once.

#include "lib/Profile/ExecutionFigures.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace populus::profile {

using namespace runtime;

namespace {

class Recorder {
public:
  explicit Recorder(const Session &session)
      : session(session), exe(session.executable()) {}

  ExecutionFigures figures();

private:
  void addTotal(std::uint32_t step, const StepTotal &total);
  void addCompute(std::uint32_t id, const StepTotal &total);
  const StepFigures &trafficOf(std::uint32_t step);
  StepFigures figuresOfRecord(const StepRecord &record);

  const Session &session;
  const Executable &exe;
  ExecutionFigures result;
  std::map<std::uint32_t, StepFigures> exchanges;         // by step
  std::map<std::uint32_t, ComputeSetFigures> computeSets; // by compute set
};

void Recorder::addCompute(std::uint32_t id, const StepTotal &total) {
  result.tileCycles.compute += total.tileCycles;
  result.executionsBySet[id] += total.times;
  auto [known, isNew] = computeSets.try_emplace(id);
  if (isNew)
    known->second = figuresOf(exe, exe.computeSets[id]);
  for (const ComputeSetFigures::TypeCount &type : known->second.types) {
    result.runsByType[type.type] += type.count * total.times;
    result.activeCyclesByType[type.type] += type.activeCycles * total.times;
  }
}

/// What one execution of an exchange moves.
const StepFigures &Recorder::trafficOf(std::uint32_t step) {
  auto [known, isNew] = exchanges.try_emplace(step);
  StepFigures &sums = known->second;
  if (!isNew)
    return sums;
  const Step &source = exe.steps[step];
  const ExchangeFigures traffic =
      source.kind == StepKind::Exchange
          ? figuresOf(exe, exe.exchanges[source.index])
          : figuresOfStream(exe, source);
  const ByTile &bytes = source.kind == StepKind::DeviceToStream
                            ? traffic.bytesSentByTile
                            : traffic.bytesReceivedByTile;
  const auto sum = [](const ByTile &list) {
    return std::accumulate(list.begin(), list.end(), std::uint64_t(0));
  };
  sums.totalData = sum(bytes);
  sums.mostDataOnTile = *std::max_element(bytes.begin(), bytes.end());
  sums.tileCycles = sum(traffic.cyclesByTile);
  sums.activeTiles = static_cast<std::uint64_t>(
      std::count_if(traffic.cyclesByTile.begin(), traffic.cyclesByTile.end(),
                    [](std::uint64_t cycles) { return cycles != 0; }));
  return sums;
}

bool movesData(StepKind kind) {
  return kind == StepKind::Exchange || kind == StepKind::StreamToDevice ||
         kind == StepKind::DeviceToStream;
}

void Recorder::addTotal(std::uint32_t step, const StepTotal &total) {
  const Step &source = exe.steps[step];
  if (total.times == 0)
    return;
  if (source.kind == StepKind::Execute)
    addCompute(source.index, total);
  else if (movesData(source.kind))
    (source.kind == StepKind::Exchange ? result.tileCycles.exchange
                                       : result.tileCycles.host) +=
        trafficOf(step).tileCycles * total.times;
}

StepFigures Recorder::figuresOfRecord(const StepRecord &record) {
  const Step &source = exe.steps[record.step];
  // Syncs, other host access and the control program's own work move no data.
  StepFigures step;
  if (movesData(source.kind))
    step = trafficOf(record.step);
  step.step = record.step;
  step.syncCycles = record.cycles.sync;
  step.from = record.start + record.cycles.sync;
  step.cycles = record.cycles.total - record.cycles.sync;
  if (source.kind == StepKind::Execute) {
    step.tileCycles = record.tileCycles;
    step.activeTiles = exe.computeSets[source.index].tiles.count;
  }
  return step;
}

ExecutionFigures Recorder::figures() {
  const RunStats stats = session.stats();
  result.cycles = stats.cycles.total;
  result.tileCycles.sync = stats.cycles.sync * exe.numTiles();
  result.runsByType.resize(exe.vertexTypes.size());
  result.activeCyclesByType.resize(exe.vertexTypes.size());
  result.executionsBySet.resize(exe.computeSets.size());
  const std::vector<StepTotal> &totals = session.stepTotals();
  for (std::uint32_t i = 0; i != totals.size(); ++i) {
    addTotal(i, totals[i]);
    result.stepsLeftOut += totals[i].times;
  }
  for (const StepRecord &record : session.stepRecords())
    result.steps.push_back(figuresOfRecord(record));
  result.stepsLeftOut -= result.steps.size();
  // Only the emulator counts what is issued; estimates say it by type.
  result.tileCycles.activeCompute =
      exe.device == DeviceKind::Ipu
          ? stats.bundles
          : std::accumulate(result.activeCyclesByType.begin(),
                            result.activeCyclesByType.end(), std::uint64_t(0));
  return std::move(result);
}

} // namespace

ExecutionFigures executionFigures(const Session &session) {
  return Recorder(session).figures();
}

} // namespace populus::profile
