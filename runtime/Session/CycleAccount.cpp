// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Session/CycleAccount.h"

#include <limits>
#include <string>

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

void CycleAccount::findStop() {
  constexpr std::uint64_t Never = std::numeric_limits<std::int64_t>::max();
  stopAt = maxCycles != 0 ? std::min(maxCycles, Never) : Never;
  if (hostTimeoutCycles != 0)
    stopAt = std::min(
        stopAt, hostContact + std::min(hostTimeoutCycles, Never - hostContact));
}

void CycleAccount::throwAtLimit() const {
  if (maxCycles != 0 && now() > maxCycles)
    throw CycleLimitError("stopped at the limit of " +
                          std::to_string(maxCycles) + " cycles");
  throw RunError("host sync timeout: the program has run " +
                 std::to_string(now() - hostContact) +
                 " cycles without a transfer from or to the host; the limit "
                 "is " +
                 std::to_string(hostTimeoutCycles));
}

void CycleAccount::record(std::uint32_t step, const Cycles &spent,
                          std::uint64_t tileCycles, std::uint64_t bundles) {
  if (steps.size() < MostStepRecords)
    steps.push_back({step, spent, now(), tileCycles, bundles});
  if (stepTotals.size() <= step)
    stepTotals.resize(step + 1);
  StepTotal &total = stepTotals[step];
  ++total.times;
  total.cycles += spent;
  total.tileCycles += tileCycles;
  total.bundles += bundles;
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
  findStop();
  steps.clear();
  blockRecords.clear();
  stepTotals.clear();
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
