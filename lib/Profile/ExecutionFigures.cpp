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
  void addCompute(const StepRecord &record, StepFigures &step);
  void addExchange(const Step &source, StepFigures &step);

  const Session &session;
  const Executable &exe;
  ExecutionFigures result;
  std::map<std::uint32_t, StepFigures> exchanges;         // by step
  std::map<std::uint32_t, ComputeSetFigures> computeSets; // by compute set
};

void Recorder::addCompute(const StepRecord &record, StepFigures &step) {
  const std::uint32_t id = exe.steps[record.step].index;
  step.tileCycles = record.tileCycles;
  step.activeTiles = exe.computeSets[id].tiles.count;
  result.tileCycles.compute += record.tileCycles;
  auto [known, isNew] = computeSets.try_emplace(id);
  if (isNew)
    known->second = figuresOf(exe, exe.computeSets[id]);
  for (const ComputeSetFigures::TypeCount &type : known->second.types) {
    result.runsByType[type.type] += type.count;
    result.activeCyclesByType[type.type] += type.activeCycles;
  }
}

void Recorder::addExchange(const Step &source, StepFigures &step) {
  auto [known, isNew] = exchanges.try_emplace(step.step);
  StepFigures &sums = known->second;
  if (isNew) {
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
  }
  step.totalData = sums.totalData;
  step.mostDataOnTile = sums.mostDataOnTile;
  step.tileCycles = sums.tileCycles;
  step.activeTiles = sums.activeTiles;
  (source.kind == StepKind::Exchange ? result.tileCycles.exchange
                                     : result.tileCycles.host) +=
      sums.tileCycles;
}

ExecutionFigures Recorder::figures() {
  const RunStats stats = session.stats();
  result.cycles = stats.cycles.total;
  result.tileCycles.sync = stats.cycles.sync * exe.numTiles();
  result.runsByType.resize(exe.vertexTypes.size());
  result.activeCyclesByType.resize(exe.vertexTypes.size());
  for (const StepRecord &record : session.stepRecords()) {
    StepFigures step;
    step.step = record.step;
    step.syncCycles = record.cycles.sync;
    step.from = record.start + record.cycles.sync;
    step.cycles = record.cycles.total - record.cycles.sync;
    const Step &source = exe.steps[record.step];
    switch (source.kind) {
    case StepKind::Execute:
      addCompute(record, step);
      break;
    case StepKind::Exchange:
    case StepKind::StreamToDevice:
    case StepKind::DeviceToStream:
      addExchange(source, step);
      break;
    default: // a sync, other host access, or the control program's own work
      break;
    }
    result.steps.push_back(step);
  }
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
