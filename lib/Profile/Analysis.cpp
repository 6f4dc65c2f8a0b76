// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adding up by name, by operator and by moment.

#include "lib/Profile/Analysis.h"

#include "lib/Profile/Rows.h"
#include "lib/Profile/RunFigures.h"
#include "runtime/Format/Executable.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace populus::profile {

using runtime::StepKind;

namespace {

StepKind kindOf(const report::Program &program) {
  return static_cast<StepKind>(program.kind());
}

std::uint64_t &at(ByActivity &sums, Activity activity) {
  return sums[static_cast<std::size_t>(activity)];
}

double ratio(double part, double whole) {
  return whole == 0 ? 0 : part / whole;
}

} // namespace

const std::string &pathOf(const report::Report &report,
                          const report::Program &program) {
  const auto index = static_cast<int>(program.index());
  switch (kindOf(program)) {
  case StepKind::Execute:
    return report.compute_sets(index).name();
  case StepKind::Exchange:
    return report.exchanges(index).name();
  case StepKind::StreamToDevice:
  case StepKind::DeviceToStream:
    return report.host_exchanges(index).name();
  default:
    return program.name();
  }
}

Activity activityOf(const report::Program &program) {
  return activityOf(kindOf(program));
}

namespace {

// ---- Time -------------------------------------------------------------------

class StepSums {
public:
  explicit StepSums(const report::Report &report) : report(report) {}

  void add(const report::ProgramTotal &total) {
    const report::Program &program =
        report.programs(static_cast<int>(total.program()));
    const Activity activity = activityOf(program);
    const std::string &name = pathOf(report, program);
    StepSum &sum = sums[{activity, name}];
    if (sum.times == 0) {
      sum.name = name.empty() ? programType(kindOf(program)) : name;
      sum.activity = activity;
      sum.program = total.program();
      sum.operators.assign(program.operators().begin(),
                           program.operators().end());
    }
    sum.times += total.times();
    sum.cycles += total.cycles().total();
    sum.syncCycles += total.cycles().sync();
    sum.tileCycles += total.tile_cycles();
    sum.activeCycles += total.active_cycles();
    if (kindOf(program) == StepKind::Execute)
      addComputeSet(report.compute_sets(static_cast<int>(program.index())),
                    sum);
    else
      addExchange(program, sum);
  }

  std::vector<StepSum> sorted() {
    std::vector<StepSum> list;
    for (auto &[key, sum] : sums)
      list.push_back(std::move(sum));
    std::stable_sort(
        list.begin(), list.end(),
        [](const StepSum &a, const StepSum &b) { return a.cycles > b.cycles; });
    return list;
  }

private:
  static void addComputeSet(const report::ComputeSet &set, StepSum &sum) {
    sum.tiles = std::max(sum.tiles, set.tiles());
    sum.ipus.insert(set.ipus().begin(), set.ipus().end());
  }

  void addExchange(const report::Program &program, StepSum &sum) const {
    const auto index = static_cast<int>(program.index());
    const report::Exchange *exchange = nullptr;
    if (kindOf(program) == StepKind::Exchange)
      exchange = &report.exchanges(index);
    else if (kindOf(program) == StepKind::StreamToDevice ||
             kindOf(program) == StepKind::DeviceToStream)
      exchange = &report.host_exchanges(index);
    if (!exchange || exchange->bytes() < sum.bytes)
      return;
    sum.bytes = exchange->bytes();
    sum.mostReceived = exchange->most_received();
    sum.mostTile = exchange->most_tile();
    sum.tiles = factsOf(report, exchange->cycles_row()).active;
  }

  const report::Report &report;
  std::map<std::pair<Activity, std::string>, StepSum> sums;
};

DomainSum sumOf(const report::Report &report, const report::Domain &domain) {
  DomainSum sum;
  sum.firstTile = domain.first_tile();
  sum.tiles = domain.tiles();
  sum.cycles = domain.cycles().total();
  std::uint64_t counted = 0;
  for (const report::ProgramTotal &total : domain.totals()) {
    const report::Cycles &cycles = total.cycles();
    const std::uint64_t sync = std::min(cycles.sync(), cycles.total());
    at(sum.byActivity,
       activityOf(report.programs(static_cast<int>(total.program())))) +=
        cycles.total() - sync;
    at(sum.byActivity, Activity::Sync) += sync;
    counted += cycles.total();
  }
  // Cycles outside of all steps are decisions of the control program.
  at(sum.byActivity, Activity::Control) +=
      sum.cycles - std::min(counted, sum.cycles);
  return sum;
}

/// Divides a step between the layers that it belongs to.
void addTo(std::vector<Layer> &layers, const StepSum &step) {
  const std::uint64_t parts = step.operators.size();
  for (std::size_t i = 0; i != parts; ++i) {
    Layer &layer = layers[step.operators[i]];
    // The first layers get the remainder of the division.
    const auto part = [&](std::uint64_t whole) {
      return whole / parts + (i < whole % parts);
    };
    at(layer.cycles, step.activity) += part(step.ownCycles());
    at(layer.cycles, Activity::Sync) += part(step.syncCycles);
    layer.total += part(step.ownCycles()) + part(step.syncCycles);
    layer.times = std::max(layer.times, step.times);
    layer.tileCycles += part(step.tileCycles);
    if (step.activity == Activity::Compute)
      layer.tiles = std::max(layer.tiles, step.tiles);
    if (step.activity == Activity::Exchange)
      layer.exchangedBytes += part(step.bytes * step.times);
  }
}

std::vector<Layer> layersOf(const report::Report &report,
                            const std::vector<StepSum> &steps) {
  std::vector<Layer> layers(static_cast<std::size_t>(report.operators_size()));
  for (std::uint32_t op = 0; op != layers.size(); ++op) {
    const report::Operator &from = report.operators(static_cast<int>(op));
    layers[op].op = op;
    layers[op].name = from.name();
    layers[op].kind = from.kind();
    layers[op].phase = from.phase();
  }
  for (const StepSum &step : steps)
    addTo(layers, step);
  const report::Target &target = report.target();
  for (Layer &layer : layers) {
    const report::Operator &op = report.operators(static_cast<int>(layer.op));
    layer.flops = op.flops() * static_cast<double>(layer.times);
    const double products = op.element_bytes() == 2
                                ? target.half_products_per_cycle()
                                : target.products_per_cycle();
    layer.peakShare = ratio(layer.flops, 2 * products * numTiles(report) *
                                             static_cast<double>(layer.total));
  }
  return layers;
}

// ---- Memory -----------------------------------------------------------------

std::uint64_t tilesOf(const report::LivePart &part) {
  std::uint64_t tiles = 0;
  for (int i = 0; i + 1 < part.tiles_size(); i += 2)
    tiles += part.tiles(i + 1) - part.tiles(i);
  return tiles;
}

std::uint64_t bytesOf(const report::LivePart &part) {
  return tilesOf(part) * part.bytes();
}

bool isLiveAt(const report::LivePart &part, std::uint32_t moment) {
  for (int i = 0; i + 1 < part.moments_size(); i += 2)
    if (part.moments(i) <= moment && moment <= part.moments(i + 1))
      return true;
  return false;
}

bool isOn(const report::LivePart &part, std::uint32_t tile) {
  for (int i = 0; i + 1 < part.tiles_size(); i += 2)
    if (part.tiles(i) <= tile && tile < part.tiles(i + 1))
      return true;
  return false;
}

Peak peakOf(const report::Report &report) {
  Peak peak;
  const report::Liveness &liveness = report.liveness();
  for (const report::LivePart &part : liveness.parts())
    if (part.moments_size() == 0)
      peak.alwaysLive += bytesOf(part);
  const std::vector<std::uint64_t> bytes = liveBytes(liveness);
  if (bytes.empty())
    return peak;
  const auto most = std::max_element(bytes.begin(), bytes.end());
  peak.most = *most;
  peak.moment = static_cast<std::uint32_t>(most - bytes.begin());
  peak.program = liveness.program_at(static_cast<int>(peak.moment));
  peak.variables = liveVariables(
      liveness, {.withAlways = false, .moment = peak.moment, .tile = {}});
  return peak;
}

/// Variables belong to the operator whose path is above theirs.
void addMemory(const report::Report &report, std::vector<Layer> &layers) {
  std::map<std::string, std::size_t, std::less<>> byPath;
  for (std::size_t i = 0; i != layers.size(); ++i)
    byPath.emplace(layers[i].name, i);
  const report::Liveness &liveness = report.liveness();
  std::vector<Layer *> byVariable;
  for (const std::string &name : liveness.variables()) {
    Layer *found = nullptr;
    for (std::string_view path = name; !path.empty() && !found;) {
      if (const auto known = byPath.find(path); known != byPath.end())
        found = &layers[known->second];
      const std::size_t slash = path.rfind('/');
      path = path.substr(0, slash == std::string_view::npos ? 0 : slash);
    }
    byVariable.push_back(found);
  }
  for (const report::LivePart &part : liveness.parts())
    if (Layer *layer = byVariable[part.variable()])
      layer->memory += bytesOf(part);
}

} // namespace

namespace {

/// Adds up parts over moments; `bytesOfPart` says how much a part counts.
template <typename Function>
std::vector<std::uint64_t> sumByMoment(const report::Liveness &liveness,
                                       Function bytesOfPart) {
  const auto moments = static_cast<std::size_t>(liveness.program_at_size());
  std::vector<std::uint64_t> changes(moments + 1);
  for (const report::LivePart &part : liveness.parts()) {
    const std::uint64_t bytes = bytesOfPart(part);
    for (int i = 0; i + 1 < part.moments_size(); i += 2) {
      changes[part.moments(i)] += bytes;
      changes[part.moments(i + 1) + 1] -= bytes;
    }
  }
  std::partial_sum(changes.begin(), changes.end(), changes.begin());
  changes.resize(moments);
  return changes;
}

} // namespace

std::vector<std::uint64_t> liveBytes(const report::Liveness &liveness) {
  return sumByMoment(liveness, bytesOf);
}

std::vector<std::uint64_t> liveBytes(const report::Liveness &liveness,
                                     std::uint32_t tile) {
  return sumByMoment(liveness, [&](const report::LivePart &part) {
    return isOn(part, tile) ? part.bytes() : 0;
  });
}

namespace {

/// Ranges of tiles with the bytes that each tile of them has; they may overlap.
class VariableParts {
public:
  void add(std::uint32_t begin, std::uint32_t end, std::uint64_t bytes) {
    changes[begin] += bytes;
    changes[end] -= bytes; // modulo 2^64; the sums are never negative
  }

  LiveVariable sum(const std::string &name, bool isAlways) const {
    LiveVariable variable{.name = name, .isAlways = isAlways};
    std::uint64_t bytes = 0;
    std::uint32_t begin = 0;
    for (const auto &[tile, change] : changes) {
      if (bytes != 0)
        variable.tiles += tile - begin;
      variable.bytes += bytes * (tile - begin);
      bytes += change; // of all ranges that begin or end here
      variable.mostOnTile = std::max(variable.mostOnTile, bytes);
      begin = tile;
    }
    return variable;
  }

private:
  std::map<std::uint32_t, std::uint64_t> changes;
};

} // namespace

std::vector<LiveVariable> liveVariables(const report::Liveness &liveness,
                                        const LiveFilter &filter) {
  std::map<std::pair<std::string, bool>, VariableParts> byName;
  for (const report::LivePart &part : liveness.parts()) {
    const bool isAlways = part.moments_size() == 0;
    if (!(isAlways ? filter.withAlways : filter.withPassing) ||
        (!isAlways && filter.moment && !isLiveAt(part, *filter.moment)) ||
        (filter.tile && !isOn(part, *filter.tile)))
      continue;
    const std::string &name =
        liveness.variables(static_cast<int>(part.variable()));
    VariableParts &parts = byName[{name, isAlways}];
    if (filter.tile)
      parts.add(*filter.tile, *filter.tile + 1, part.bytes());
    else
      for (int i = 0; i + 1 < part.tiles_size(); i += 2)
        parts.add(part.tiles(i), part.tiles(i + 1), part.bytes());
  }
  std::vector<LiveVariable> list;
  for (const auto &[key, parts] : byName)
    list.push_back(parts.sum(key.first, key.second));
  std::stable_sort(list.begin(), list.end(), [](const auto &a, const auto &b) {
    return a.bytes > b.bytes;
  });
  return list;
}

std::vector<std::uint64_t> sharedByTile(const report::Report &report) {
  ByTile shared = expand(report, report.memory().total_row());
  for (const report::CategoryMemory &category : report.memory().categories()) {
    const ByTile own = expand(report, category.row());
    for (std::size_t tile = 0; tile != shared.size(); ++tile)
      shared[tile] -= std::min(shared[tile], own[tile]);
  }
  return shared;
}

namespace {

/// The tile with the most memory in use, counting gaps first.
std::uint32_t fullestTileOf(const report::Report &report) {
  const ByTile gaps = expand(report, report.memory().gaps_row());
  const ByTile total = expand(report, report.memory().total_row());
  std::uint32_t fullest = 0;
  for (std::uint32_t tile = 0; tile != gaps.size(); ++tile)
    if (std::pair(gaps[tile], total[tile]) >
        std::pair(gaps[fullest], total[fullest]))
      fullest = tile;
  return fullest;
}

} // namespace

Analysis::Analysis(const report::Report &report)
    : hasExecution(report.has_execution()), tiles(numTiles(report)) {
  const report::Execution &execution = report.execution();
  runs = std::max(1, execution.runs_size());
  StepSums sums(report);
  std::uint64_t active = 0, possible = 0;
  for (const report::Domain &domain : execution.domains()) {
    domains.push_back(sumOf(report, domain));
    DomainSum &sum = domains.back();
    if (domains.size() == 1 || sum.cycles > cycles) {
      cycles = sum.cycles;
      byActivity = sum.byActivity;
      computeCycles = at(byActivity, Activity::Compute);
    }
    possible += at(sum.byActivity, Activity::Compute) * sum.tiles;
  }
  for (const report::ProgramTotal &total : totalsOf(execution)) {
    sums.add(total);
    tileCycles += total.tile_cycles();
    active += total.active_cycles();
  }
  steps = sums.sorted();
  seconds = static_cast<double>(cycles) / report.target().clock_hz();
  hostSeconds = execution.host_seconds();
  tileBalance =
      ratio(static_cast<double>(tileCycles), static_cast<double>(possible));
  threadBalance =
      ratio(static_cast<double>(active), static_cast<double>(tileCycles));
  layers = layersOf(report, steps);

  const RowFacts gaps = factsOf(report, report.memory().gaps_row());
  memory = factsOf(report, report.memory().total_row()).sum;
  memoryWithGaps = gaps.sum;
  fullest = gaps.most;
  fullestTile = fullestTileOf(report);
  bytesPerTile = report.target().bytes_per_tile();
  fullTiles = report.memory().tiles_out_of_memory();
  fits = fullTiles == 0 && report.memory().message().empty();
  for (const report::CategoryMemory &category : report.memory().categories()) {
    const auto kind = static_cast<runtime::MemoryCategory>(category.category());
    const std::uint64_t bytes = factsOf(report, category.row()).sum;
    if (kind < runtime::MemoryCategory::Count && bytes != 0)
      categories.emplace_back(categoryLabel(kind), bytes);
  }
  if (report.memory().after_overlapping() != 0)
    categories.emplace_back("Shared by Variables",
                            report.memory().after_overlapping());
  std::stable_sort(
      categories.begin(), categories.end(),
      [](const auto &a, const auto &b) { return a.second > b.second; });
  peak = peakOf(report);
  addMemory(report, layers);
  std::stable_sort(
      layers.begin(), layers.end(),
      [](const Layer &a, const Layer &b) { return a.total > b.total; });
}

} // namespace populus::profile
