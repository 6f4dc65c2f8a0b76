// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Session/CycleAccount.h"

#include <algorithm>
#include <limits>

namespace populus::runtime {

CycleAccount::Sums CycleAccount::Sums::operator-(const Sums &other) const {
  Sums result = *this;
  result.cycles -= other.cycles;
  for (std::uint64_t Sums::*part :
       {&Sums::bundles, &Sums::translatedBundles, &Sums::usedTileCycles,
        &Sums::possibleTileCycles})
    result.*part -= other.*part;
  return result;
}

std::uint64_t CycleAccount::remaining() const {
  std::uint64_t remaining = std::numeric_limits<std::int64_t>::max();
  const auto limit = [&](std::uint64_t most, std::uint64_t used) {
    if (most != 0)
      remaining = std::min(remaining, most - std::min(most, used));
  };
  limit(maxCycles, now());
  limit(hostTimeoutCycles, now() - hostContact);
  return remaining;
}

void CycleAccount::checkLimits() const {
  if (remaining() != 0)
    return;
  if (maxCycles != 0 && now() > maxCycles)
    throw CycleLimitError("stopped at the limit of " +
                          std::to_string(maxCycles) + " cycles");
  const std::uint64_t silent = now() - hostContact;
  if (hostTimeoutCycles != 0 && silent > hostTimeoutCycles)
    throw RunError("host sync timeout: the program has run " +
                   std::to_string(silent) +
                   " cycles without a transfer from or to the host; the limit "
                   "is " +
                   std::to_string(hostTimeoutCycles));
}

void CycleAccount::addDecision(const Cycles &cycles) {
  sums.cycles += cycles;
  checkLimits();
}

void CycleAccount::addStep(std::uint32_t step, const Cycles &spent,
                           std::uint64_t tileCycles) {
  if (recording)
    steps.push_back({step, spent, now(), tileCycles});
  sums.cycles += spent;
  if (spent.host != 0)
    contactHost();
  checkLimits();
}

void CycleAccount::addCompute(std::uint64_t bundles, std::uint64_t translated,
                              std::uint64_t used, std::uint64_t possible) {
  sums.bundles += bundles;
  sums.translatedBundles += translated;
  sums.usedTileCycles += used;
  sums.possibleTileCycles += possible;
}

RunStats CycleAccount::stats() const {
  RunStats stats;
  const Sums counted = (paused ? *paused : sums) - unrecorded;
  stats.cycles = counted.cycles;
  stats.bundles = counted.bundles;
  stats.translatedBundles = counted.translatedBundles;
  if (counted.possibleTileCycles != 0)
    stats.tileBalance = static_cast<double>(counted.usedTileCycles) /
                        static_cast<double>(counted.possibleTileCycles);
  return stats;
}

void CycleAccount::reset() {
  sums = unrecorded = {};
  if (paused)
    paused.emplace();
  hostContact = 0;
  steps.clear();
}

void CycleAccount::recordSteps(bool on) {
  if (on == recording)
    return;
  recording = on;
  if (!on) {
    paused = sums;
    return;
  }
  const Sums counted = paused ? *paused - unrecorded : Sums();
  unrecorded = sums - counted;
  paused.reset();
}

} // namespace populus::runtime
