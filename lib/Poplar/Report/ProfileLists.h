// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A report's rows as lists of profile values, each made once and shared; and
// the numbers that graph and execution profiles have to agree on.

#ifndef POPULUS_LIB_POPLAR_REPORT_PROFILELISTS_H
#define POPULUS_LIB_POPLAR_REPORT_PROFILELISTS_H

#include "lib/Profile/Report.pb.h"
#include "lib/Profile/Rows.h"

#include <poplar/ProfileValue.hpp>

#include <cstdint>
#include <map>
#include <vector>

namespace poplar::core {

template <typename List> ProfileValue listOf(const List &values) {
  return ProfileValue::Vector(values.begin(), values.end());
}

class RowLists {
public:
  explicit RowLists(const populus::report::Report &report)
      : RowLists(report, populus::profile::numTiles(report)) {}
  /// Lists of the first tiles only.
  RowLists(const populus::report::Report &report, std::uint32_t tiles)
      : report(report), tiles(tiles) {}

  std::uint32_t numTiles() const { return tiles; }

  /// The numbers of a row.
  populus::profile::ByTile numbers(std::uint32_t row) const {
    populus::profile::ByTile all = populus::profile::expand(report, row);
    all.resize(tiles);
    return all;
  }

  const ProfileValue &operator[](std::uint32_t row) {
    const auto [known, isNew] = byRow.emplace(row, ProfileValue());
    if (isNew)
      known->second = of(numbers(row));
    return known->second;
  }

  /// The list of function(number) for each number of a row.
  template <typename Function>
  ProfileValue mapped(std::uint32_t row, Function function) {
    populus::profile::ByTile mapped = numbers(row);
    for (std::uint64_t &number : mapped)
      number = function(number);
    return of(mapped);
  }

  const ProfileValue &of(const populus::profile::ByTile &numbers) {
    const auto [known, isNew] = byNumbers.emplace(numbers, ProfileValue());
    if (isNew)
      known->second = listOf(numbers);
    return known->second;
  }

private:
  const populus::report::Report &report;
  const std::uint32_t tiles;
  std::map<std::uint32_t, ProfileValue> byRow;
  std::map<populus::profile::ByTile, ProfileValue> byNumbers;
};

/// The number of tiles, from the first on, whose memory a graph profile has: of
/// a graph that is replicated as a whole those of one replica, since all are
/// equal.
std::uint32_t tilesOfMemory(const populus::report::Report &report);

/// Exchanges within IPUs and between them are listed apart.
inline bool isBetweenIpus(const populus::report::Exchange &exchange) {
  return exchange.link_bytes() != 0;
}

/// The places of exchanges in their lists.
class ExchangeNumbers {
public:
  explicit ExchangeNumbers(const populus::report::Report &report);
  std::uint64_t operator[](std::uint32_t exchange) const {
    return numbers[exchange];
  }

private:
  std::vector<std::uint64_t> numbers;
};

/// A graph profile begins with the control program, whose children are the
/// programs of the engine; the programs of the report follow.
constexpr std::uint32_t ControlProgram = 0;
constexpr std::uint32_t numberOf(std::uint32_t program) { return program + 1; }

/// Returns true if an If has nothing to do where its predicate is false.
bool hasNoElse(const populus::report::Report &report,
               const populus::report::Program &program);

/// The user guide's name for a kind of program.
const char *programType(const populus::report::Report &report,
                        const populus::report::Program &program);

} // namespace poplar::core

#endif
