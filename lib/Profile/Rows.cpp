// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows to runs and back.

#include "lib/Profile/Rows.h"

#include <algorithm>

namespace populus::profile {

namespace {

std::size_t hashOf(const report::Row &row) {
  std::size_t hash = 0;
  const auto mix = [&](std::uint64_t value) {
    hash = (hash + value) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  };
  for (int i = 0; i != row.counts_size(); ++i) {
    mix(row.counts(i));
    mix(row.values(i));
  }
  return hash;
}

bool areEqual(const report::Row &a, const report::Row &b) {
  return std::equal(a.counts().begin(), a.counts().end(), b.counts().begin(),
                    b.counts().end()) &&
         std::equal(a.values().begin(), a.values().end(), b.values().begin(),
                    b.values().end());
}

} // namespace

std::uint32_t RowTable::add(const ByTile &numbers) {
  if (numbers.empty())
    return 0;
  report::Row row;
  for (std::size_t begin = 0; begin != numbers.size();) {
    std::size_t end = begin;
    while (end != numbers.size() && numbers[end] == numbers[begin])
      ++end;
    row.add_counts(static_cast<std::uint32_t>(end - begin));
    row.add_values(numbers[begin]);
    begin = end;
  }
  const std::size_t hash = hashOf(row);
  const auto [first, last] = byHash.equal_range(hash);
  for (auto known = first; known != last; ++known)
    if (areEqual(report.rows(static_cast<int>(known->second - 1)), row))
      return known->second;
  report.add_rows()->Swap(&row);
  const auto number = static_cast<std::uint32_t>(report.rows_size());
  byHash.emplace(hash, number);
  return number;
}

std::uint32_t numTiles(const report::Report &report) {
  return report.target().ipus() * report.target().tiles_per_ipu();
}

ByTile expand(const report::Report &report, std::uint32_t row) {
  ByTile numbers;
  if (row == 0) {
    numbers.resize(numTiles(report));
    return numbers;
  }
  numbers.reserve(numTiles(report));
  const report::Row &runs = report.rows(static_cast<int>(row - 1));
  for (int i = 0; i != runs.counts_size(); ++i)
    numbers.insert(numbers.end(), runs.counts(i), runs.values(i));
  return numbers;
}

RowFacts factsOf(const report::Report &report, std::uint32_t row) {
  return factsOf(report, row, 0, numTiles(report));
}

RowFacts factsOf(const report::Report &report, std::uint32_t row,
                 std::uint32_t first, std::uint32_t tiles) {
  RowFacts facts;
  if (row == 0)
    return facts;
  const report::Row &runs = report.rows(static_cast<int>(row - 1));
  const std::uint32_t last = first + tiles;
  std::uint32_t begin = 0;
  for (int i = 0; i != runs.counts_size(); ++i) {
    const std::uint32_t end = begin + runs.counts(i);
    const std::uint32_t from = std::max(begin, first);
    const std::uint32_t to = std::min(end, last);
    begin = end;
    if (from >= to)
      continue;
    const std::uint64_t value = runs.values(i);
    facts.sum += (to - from) * value;
    if (value > facts.most) {
      facts.most = value;
      facts.mostTile = from;
    }
    if (value != 0)
      facts.active += to - from;
  }
  return facts;
}

} // namespace populus::profile
