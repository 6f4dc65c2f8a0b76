// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adding up a report's runs.

#include "lib/Profile/RunFigures.h"

#include "lib/Profile/Rows.h"
#include "runtime/Format/Executable.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace populus::profile {

using runtime::StepKind;

namespace {

StepKind kindOf(const report::Program &program) {
  return static_cast<StepKind>(program.kind());
}

const report::Exchange *exchangeOf(const report::Report &report,
                                   const report::Program &program) {
  const auto index = static_cast<int>(program.index());
  switch (kindOf(program)) {
  case StepKind::Exchange:
    return &report.exchanges(index);
  case StepKind::StreamToDevice:
  case StepKind::DeviceToStream:
    return &report.host_exchanges(index);
  default:
    return nullptr;
  }
}

/// The tiles of a domain that have vertices in a compute set.
std::uint64_t activeTiles(const report::Report &report,
                          const report::ComputeSet &set,
                          const report::Domain &domain) {
  if (domain.tiles() == numTiles(report))
    return set.tiles();
  std::vector<bool> active(numTiles(report));
  for (const report::VertexCount &count : set.types()) {
    const ByTile counts = expand(report, count.count_row());
    for (std::size_t tile = 0; tile != counts.size(); ++tile)
      active[tile] = active[tile] || counts[tile] != 0;
  }
  const auto first = active.begin() + domain.first_tile();
  return static_cast<std::uint64_t>(
      std::count(first, first + domain.tiles(), true));
}

} // namespace

StepFigures figuresOf(const report::Report &report,
                      const report::Domain &domain, std::uint32_t id,
                      std::uint64_t tileCycles) {
  const std::uint32_t first = domain.first_tile();
  const std::uint32_t tiles = domain.tiles();
  StepFigures figures;
  const report::Program &program = report.programs(static_cast<int>(id));
  if (kindOf(program) == StepKind::Execute) {
    figures.tileCycles = tileCycles;
    figures.activeTiles = activeTiles(
        report, report.compute_sets(static_cast<int>(program.index())), domain);
  } else if (const report::Exchange *exchange = exchangeOf(report, program)) {
    const RowFacts cycles =
        factsOf(report, exchange->cycles_row(), first, tiles);
    figures.tileCycles = cycles.sum;
    figures.activeTiles = cycles.active;
    figures.totalData = exchange->bytes();
    const ByTile received = expand(report, exchange->received_row());
    const ByTile sent = expand(report, exchange->sent_row());
    for (std::uint32_t tile = first; tile != first + tiles; ++tile) {
      const std::uint64_t moved = received[tile] + sent[tile];
      figures.movedData += moved;
      figures.mostMovedByTile = std::max(figures.mostMovedByTile, moved);
    }
    if (tiles != numTiles(report)) {
      const auto sumOf = [&](const ByTile &row) {
        return std::accumulate(row.begin() + first, row.begin() + first + tiles,
                               std::uint64_t(0));
      };
      figures.totalData = std::max(sumOf(received), sumOf(sent));
    }
  }
  // Syncs, other host access and the control program's own work move no data.
  return figures;
}

const report::Domain &longestDomain(const report::Execution &execution) {
  return *std::max_element(
      execution.domains().begin(), execution.domains().end(),
      [](const report::Domain &a, const report::Domain &b) {
        return a.cycles().total() < b.cycles().total();
      });
}

std::vector<report::ProgramTotal> totalsOf(const report::Execution &execution) {
  std::map<std::uint32_t, report::ProgramTotal> byProgram;
  for (const report::Domain &domain : execution.domains())
    for (const report::ProgramTotal &total : domain.totals()) {
      const auto [known, isNew] = byProgram.emplace(total.program(), total);
      if (isNew)
        continue;
      report::ProgramTotal &sum = known->second;
      sum.set_times(std::max(sum.times(), total.times()));
      if (total.cycles().total() > sum.cycles().total())
        *sum.mutable_cycles() = total.cycles();
      sum.set_tile_cycles(sum.tile_cycles() + total.tile_cycles());
      sum.set_active_cycles(sum.active_cycles() + total.active_cycles());
    }
  std::vector<report::ProgramTotal> totals;
  for (auto &[program, total] : byProgram)
    totals.push_back(std::move(total));
  return totals;
}

TileCycles tileCyclesOf(const report::Report &report) {
  TileCycles sums;
  for (const report::Domain &domain : report.execution().domains()) {
    sums.sync += domain.cycles().sync() * domain.tiles();
    sums.activeCompute += domain.active_compute();
    for (const report::ProgramTotal &total : domain.totals()) {
      const report::Program &program =
          report.programs(static_cast<int>(total.program()));
      const report::Exchange *exchange = exchangeOf(report, program);
      if (kindOf(program) == StepKind::Execute)
        sums.compute += total.tile_cycles();
      else if (exchange)
        (kindOf(program) != StepKind::Exchange ? sums.host
         : exchange->link_bytes() != 0         ? sums.linkExchange
                                               : sums.exchange) +=
            factsOf(report, exchange->cycles_row(), domain.first_tile(),
                    domain.tiles())
                .sum *
            total.times();
    }
  }
  return sums;
}

namespace {

class TypeSums {
public:
  explicit TypeSums(const report::Report &report) : report(report) {}

  /// \p sums of \p domain, whose rows have its own tiles only.
  void add(const report::Domain &domain, const report::SetCycles &sums) {
    const report::ComputeSet &set =
        report.compute_sets(static_cast<int>(sums.compute_set()));
    if (set.types_size() == 1) {
      TypeCycles &entry = at({set.types(0).type()});
      entry.cycles += factsOf(report, sums.cycles_row()).sum;
      entry.instances += factsOf(report, set.types(0).count_row(),
                                 domain.first_tile(), domain.tiles())
                             .sum;
      return;
    }
    std::vector<ByTile> counts;
    for (const report::VertexCount &count : set.types())
      counts.push_back(expand(report, count.count_row()));
    const ByTile cycles = expand(report, sums.cycles_row());
    for (std::size_t i = 0; i != domain.tiles(); ++i) {
      const std::size_t tile = domain.first_tile() + i;
      std::vector<std::uint32_t> types;
      std::uint64_t instances = 0;
      for (std::size_t k = 0; k != counts.size(); ++k)
        if (counts[k][tile] != 0) {
          types.push_back(set.types(static_cast<int>(k)).type());
          instances += counts[k][tile];
        }
      if (types.empty())
        continue;
      TypeCycles &entry = at(std::move(types));
      entry.cycles += cycles[tile];
      entry.instances += instances;
    }
  }

  std::vector<TypeCycles> sorted() const {
    std::vector<TypeCycles> list;
    for (const auto &[types, sum] : sums)
      list.push_back(sum);
    std::stable_sort(list.begin(), list.end(),
                     [](const TypeCycles &a, const TypeCycles &b) {
                       return a.cycles > b.cycles;
                     });
    return list;
  }

private:
  TypeCycles &at(std::vector<std::uint32_t> types) {
    TypeCycles &entry = sums[types];
    entry.types = std::move(types);
    return entry;
  }

  const report::Report &report;
  std::map<std::vector<std::uint32_t>, TypeCycles> sums;
};

} // namespace

std::vector<TypeCycles> cyclesByType(const report::Report &report) {
  TypeSums sums(report);
  for (const report::Domain &domain : report.execution().domains())
    for (const report::SetCycles &set : domain.sets())
      sums.add(domain, set);
  return sums.sorted();
}

} // namespace populus::profile
