// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queries of liveness are computed from the parts each time. There are few
// parts, because tiles with equal parts of a variable share one.

#include "lib/Pva/Liveness.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace pva {

namespace detail {

Liveness::Liveness(const populus::report::Liveness &report)
    : names(report.variables().begin(), report.variables().end()) {
  for (const populus::report::LivePart &part : report.parts())
    parts.push_back({part.variable(),
                     part.bytes(),
                     {part.tiles().begin(), part.tiles().end()},
                     {part.moments().begin(), part.moments().end()}});
}

bool Liveness::Part::isLiveAt(std::uint32_t moment) const {
  for (std::size_t i = 0; i != moments.size(); i += 2)
    if (moments[i] <= moment && moment <= moments[i + 1])
      return true;
  return false;
}

std::uint64_t
Liveness::Part::numTiles(std::optional<std::uint32_t> tile) const {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i != tiles.size(); i += 2)
    if (!tile)
      count += tiles[i + 1] - tiles[i];
    else if (tiles[i] <= *tile && *tile < tiles[i + 1])
      return 1;
  return count;
}

std::vector<LivenessVariable> Liveness::find(const Wanted &wanted) const {
  std::map<std::string, std::uint64_t> bytes;
  for (const Part &part : parts) {
    if (!(part.moments.empty() ? wanted.alwaysLive : wanted.others) ||
        (wanted.moment && !part.isLiveAt(*wanted.moment)))
      continue;
    if (const std::uint64_t count = part.numTiles(wanted.tile))
      bytes[names[part.variable]] += count * part.bytes;
  }
  std::vector<LivenessVariable> found;
  for (const auto &[name, size] : bytes)
    found.emplace_back(name, size);
  std::stable_sort(found.begin(), found.end(),
                   [](const LivenessVariable &a, const LivenessVariable &b) {
                     return a.size() > b.size();
                   });
  return found;
}

} // namespace detail

std::uint64_t LiveMemory::bytes() const {
  return std::accumulate(
      list.begin(), list.end(), std::uint64_t(0),
      [](std::uint64_t sum, const LivenessVariable &variable) {
        return sum + variable.size();
      });
}

const LiveMemory LivenessProgramStep::notAlwaysLiveMemory() const {
  return LiveMemory(liveness->find({false, true, moment, std::nullopt}));
}
const LiveMemory
LivenessProgramStep::notAlwaysLiveMemoryForTile(unsigned tile) const {
  return LiveMemory(liveness->find({false, true, moment, tile}));
}

const std::vector<LivenessVariable> LoweredVariables::allBriefVars() const {
  return liveness->find({true, true, std::nullopt, std::nullopt});
}
const std::vector<LivenessVariable>
LoweredVariables::forTile(unsigned tile) const {
  return liveness->find({true, true, std::nullopt, tile});
}

} // namespace pva
