// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a report: a number for each tile, stored as runs of equal numbers.
// Equal rows of compute sets and exchanges are stored once.

#ifndef POPULUS_LIB_PROFILE_ROWS_H
#define POPULUS_LIB_PROFILE_ROWS_H

#include "lib/Profile/Report.pb.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace populus::profile {

/// A number for each tile of the device.
using ByTile = std::vector<std::uint64_t>;

/// Adds rows to a report.
class RowTable {
public:
  explicit RowTable(report::Report &report) : report(report) {}

  /// The number of the row plus one; 0 for no numbers.
  std::uint32_t add(const ByTile &numbers);

private:
  report::Report &report;
  std::unordered_multimap<std::size_t, std::uint32_t> byHash;
};

/// The numbers of a row; all 0 if there is none.
ByTile expand(const report::Report &report, std::uint32_t row);

/// Sum, maximum, first tile with the maximum, and number of nonzero tiles,
/// computed without expanding the row.
struct RowFacts {
  std::uint64_t sum = 0, most = 0;
  std::uint32_t mostTile = 0, active = 0;
};
RowFacts factsOf(const report::Report &report, std::uint32_t row);
/// The same of the tiles from \p first on, \p tiles of them.
RowFacts factsOf(const report::Report &report, std::uint32_t row,
                 std::uint32_t first, std::uint32_t tiles);

std::uint32_t numTiles(const report::Report &report);

} // namespace populus::profile

#endif
