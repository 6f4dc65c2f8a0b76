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
  explicit RowLists(const populus::report::Report &report) : report(report) {}

  const ProfileValue &operator[](std::uint32_t row) {
    const auto [known, isNew] = byRow.emplace(row, ProfileValue());
    if (isNew)
      known->second = of(populus::profile::expand(report, row));
    return known->second;
  }

  /// The list of function(number) for each number of a row.
  template <typename Function>
  ProfileValue mapped(std::uint32_t row, Function function) {
    populus::profile::ByTile numbers = populus::profile::expand(report, row);
    for (std::uint64_t &number : numbers)
      number = function(number);
    return of(numbers);
  }

  const ProfileValue &of(const populus::profile::ByTile &numbers) {
    const auto [known, isNew] = byNumbers.emplace(numbers, ProfileValue());
    if (isNew)
      known->second = listOf(numbers);
    return known->second;
  }

private:
  const populus::report::Report &report;
  std::map<std::uint32_t, ProfileValue> byRow;
  std::map<populus::profile::ByTile, ProfileValue> byNumbers;
};

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

/// The user guide's name for a kind of program.
const char *programType(const populus::report::Report &report,
                        const populus::report::Program &program);

} // namespace poplar::core

#endif
