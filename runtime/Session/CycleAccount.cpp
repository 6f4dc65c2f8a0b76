// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/Session/CycleAccount.h"

#include <limits>
#include <string>

namespace populus::runtime {

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

std::uint64_t CycleAccount::beginOf(const StepPart &part,
                                    std::uint64_t earliest) const {
  std::uint64_t begin = earliest;
  for (std::uint32_t ipu : part.ipus)
    begin = std::max(begin, now(ipu));
  return begin;
}

void CycleAccount::meet() {
  for (std::uint32_t ipu = 0; ipu != ipus.size(); ++ipu)
    ipus[ipu].add(withWait(ipu, latest, {}));
}

void CycleAccount::addDecision(std::span<const StepPart> parts) {
  for (const StepPart &part : parts) {
    const std::uint64_t begin = beginOf(part, 0);
    for (std::uint32_t ipu : part.ipus) {
      ipus[ipu].add(withWait(ipu, begin, part.spent));
      latest = std::max(latest, now(ipu));
    }
  }
  checkLimits();
}

void CycleAccount::addStep(std::uint32_t step, std::span<const StepPart> parts,
                           std::span<const std::uint64_t> earliest) {
  bool host = false;
  for (std::size_t i = 0; i != parts.size(); ++i) {
    const StepPart &part = parts[i];
    const std::uint64_t begin =
        beginOf(part, earliest.empty() ? 0 : earliest[i]);
    TileWork work = part.work;
    for (std::uint32_t ipu : part.ipus) {
      ipus[ipu].add(step, withWait(ipu, begin, part.spent), work, recording);
      work = {};
      latest = std::max(latest, now(ipu));
    }
    host |= part.spent.host != 0;
  }
  if (host)
    contactHost();
  checkLimits();
}

std::vector<Cycles> CycleAccount::cycles() const {
  std::vector<Cycles> cycles;
  for (const IpuAccount &ipu : ipus)
    cycles.push_back(ipu.cycles());
  return cycles;
}

void CycleAccount::skip(std::span<const Cycles> round, std::uint64_t times) {
  for (std::size_t ipu = 0; ipu != ipus.size(); ++ipu) {
    ipus[ipu].add(round[ipu] * times);
    latest = std::max(latest, ipus[ipu].now());
  }
}

RunStats CycleAccount::stats() const {
  RunStats stats;
  TileWork work;
  for (const IpuAccount &ipu : ipus) {
    const Cycles cycles = ipu.cycles();
    if (cycles.total > stats.cycles.total)
      stats.cycles = cycles;
    work += ipu.work();
  }
  stats.bundles = work.bundles;
  stats.translatedBundles = work.translatedBundles;
  if (work.possible != 0)
    stats.tileBalance =
        static_cast<double>(work.used) / static_cast<double>(work.possible);
  return stats;
}

void CycleAccount::reset() {
  for (IpuAccount &ipu : ipus)
    ipu.reset();
  latest = hostContact = 0;
  findStop();
}

void CycleAccount::recordSteps(bool on) {
  if (on == recording)
    return;
  recording = on;
  meet(); // so that differences of clocks that run apart are not counted
  for (IpuAccount &ipu : ipus)
    ipu.recordSteps(on);
}

std::vector<std::uint64_t> CycleAccount::clocks() const {
  std::vector<std::uint64_t> clocks;
  for (const IpuAccount &ipu : ipus)
    clocks.push_back(ipu.now());
  return clocks;
}

void CycleAccount::addBlock(std::uint32_t step,
                            std::span<const std::uint64_t> begins) {
  for (std::uint32_t ipu = 0; ipu != ipus.size(); ++ipu)
    if (now(ipu) != begins[ipu] || ipus.size() == 1)
      ipus[ipu].addBlock({step, begins[ipu], now(ipu)});
}

} // namespace populus::runtime
