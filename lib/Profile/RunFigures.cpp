// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adding up a report's runs.

#include "lib/Profile/RunFigures.h"

#include "lib/Profile/Rows.h"
#include "runtime/Format/Executable.h"

#include <algorithm>
#include <map>

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

} // namespace

StepFigures figuresOf(const report::Report &report, std::uint32_t id,
                      std::uint64_t tileCycles) {
  StepFigures figures;
  const report::Program &program = report.programs(static_cast<int>(id));
  if (kindOf(program) == StepKind::Execute) {
    figures.tileCycles = tileCycles;
    figures.activeTiles =
        report.compute_sets(static_cast<int>(program.index())).tiles();
  } else if (const report::Exchange *exchange = exchangeOf(report, program)) {
    const RowFacts cycles = factsOf(report, exchange->cycles_row());
    figures.tileCycles = cycles.sum;
    figures.activeTiles = cycles.active;
    figures.totalData = exchange->bytes();
    figures.mostDataOnTile = exchange->most_received();
  }
  // Syncs, other host access and the control program's own work move no data.
  return figures;
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
            factsOf(report, exchange->cycles_row()).sum * total.times();
    }
  }
  return sums;
}

namespace {

class TypeSums {
public:
  explicit TypeSums(const report::Report &report) : report(report) {}

  void add(const report::SetCycles &sums) {
    const report::ComputeSet &set =
        report.compute_sets(static_cast<int>(sums.compute_set()));
    if (set.types_size() == 1) {
      TypeCycles &entry = at({set.types(0).type()});
      entry.cycles += factsOf(report, sums.cycles_row()).sum;
      entry.instances += set.types(0).count();
      return;
    }
    std::vector<ByTile> counts;
    for (const report::VertexCount &count : set.types())
      counts.push_back(expand(report, count.count_row()));
    const ByTile cycles = expand(report, sums.cycles_row());
    for (std::size_t tile = 0; tile != cycles.size(); ++tile) {
      std::vector<std::uint32_t> types;
      std::uint64_t instances = 0;
      for (std::size_t i = 0; i != counts.size(); ++i)
        if (counts[i][tile] != 0) {
          types.push_back(set.types(static_cast<int>(i)).type());
          instances += counts[i][tile];
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
      sums.add(set);
  return sums.sorted();
}

} // namespace populus::profile
