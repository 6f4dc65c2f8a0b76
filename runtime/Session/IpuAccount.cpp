// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Session/IpuAccount.h"

namespace populus::runtime {

IpuAccount::Sums IpuAccount::Sums::operator-(const Sums &other) const {
  Sums result = *this;
  result.cycles -= other.cycles;
  result.work -= other.work;
  return result;
}

void IpuAccount::record(std::uint32_t step, const Cycles &spent,
                        const TileWork &work) {
  ++profile.executed;
  if (profile.steps.size() < MostStepRecords)
    profile.steps.push_back({step, spent, now(), work.used, work.bundles});
  if (profile.totals.size() <= step)
    profile.totals.resize(step + 1);
  StepTotal &total = profile.totals[step];
  ++total.times;
  total.cycles += spent;
  total.tileCycles += work.used;
  total.bundles += work.bundles;
}

void IpuAccount::recordSteps(bool on) {
  if (!on) {
    paused = sums;
    return;
  }
  const Sums before = paused ? counted() : Sums();
  unrecorded = sums - before;
  paused.reset();
}

void IpuAccount::reset() {
  sums = unrecorded = {};
  if (paused)
    paused.emplace();
  profile = {};
}

} // namespace populus::runtime
