// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory and compute cycles by tile.

#include "lib/Profile/Format.h"
#include "lib/Profile/Names.h"
#include "lib/Profile/Rows.h"
#include "lib/Profile/Views.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <ostream>

namespace populus::profile {

namespace {

struct ByTileNumbers {
  explicit ByTileNumbers(const report::Report &report)
      : total(expand(report, report.memory().total_row())),
        withGaps(expand(report, report.memory().gaps_row())),
        cycles(numTiles(report)) {
    for (const report::Domain &domain : report.execution().domains())
      for (const report::SetCycles &set : domain.sets()) {
        const ByTile row = expand(report, set.cycles_row());
        for (std::size_t tile = 0; tile != row.size(); ++tile)
          cycles[tile] += row[tile];
      }
    for (const report::CategoryMemory &category :
         report.memory().categories()) {
      const auto kind =
          static_cast<runtime::MemoryCategory>(category.category());
      if (kind < runtime::MemoryCategory::Count)
        categories.emplace_back(categoryName(kind),
                                expand(report, category.row()));
    }
    categories.emplace_back("sharedByVariables", sharedByTile(report));
  }

  /// The tiles by a number, the largest first.
  static std::vector<std::uint32_t> order(const ByTile &numbers) {
    std::vector<std::uint32_t> tiles(numbers.size());
    std::iota(tiles.begin(), tiles.end(), 0);
    std::stable_sort(tiles.begin(), tiles.end(),
                     [&](std::uint32_t a, std::uint32_t b) {
                       return numbers[a] > numbers[b];
                     });
    return tiles;
  }

  ByTile total, withGaps, cycles;
  std::vector<std::pair<std::string, ByTile>> categories;
};

void printSome(std::ostream &out, const ByTileNumbers &numbers,
               const ByTile &by, std::size_t most) {
  out << fmt::format("{:>6} {:>12} {:>12} {:>14}\n", "tile", "memory",
                     "with gaps", "compute cycles");
  const std::vector<std::uint32_t> tiles = ByTileNumbers::order(by);
  const std::size_t shown =
      most == 0 ? tiles.size() : std::min(most, tiles.size());
  for (std::size_t i = 0; i != shown; ++i)
    out << fmt::format("{:>6} {:>12} {:>12} {:>14}\n", tiles[i],
                       bytes(numbers.total[tiles[i]]),
                       bytes(numbers.withGaps[tiles[i]]),
                       grouped(numbers.cycles[tiles[i]]));
}

} // namespace

void printTiles(std::ostream &out, const report::Report &report,
                std::size_t most) {
  const ByTileNumbers numbers(report);
  out << "fullest tiles\n";
  printSome(out, numbers, numbers.withGaps, most);
  if (!report.has_execution())
    return;
  out << "busiest tiles\n";
  printSome(out, numbers, numbers.cycles, most);
}

Json tilesJson(const report::Report &report) {
  const ByTileNumbers numbers(report);
  Json list = Json::array();
  for (std::size_t tile = 0; tile != numbers.total.size(); ++tile) {
    Json entry = {{"tile", tile},
                  {"bytes", numbers.total[tile]},
                  {"bytes_with_gaps", numbers.withGaps[tile]},
                  {"compute_cycles", numbers.cycles[tile]}};
    for (const auto &[name, category] : numbers.categories)
      if (category[tile] != 0)
        entry["categories"][name] = category[tile];
    list.push_back(std::move(entry));
  }
  return {{"bytes_per_tile", report.target().bytes_per_tile()},
          {"tiles", std::move(list)}};
}

} // namespace populus::profile
