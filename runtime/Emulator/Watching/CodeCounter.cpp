// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adding up.

#include "runtime/Emulator/Watching/CodeCounter.h"

#include <atomic>

namespace populus::runtime::emulator {

void CodeCounter::add(const Slot *at, std::uint64_t times,
                      std::uint64_t cycles) {
  if (!code.contains(at))
    return; // a fault is about to be told
  const auto add = [](std::uint64_t &sum, std::uint64_t number) {
    std::atomic_ref(sum).fetch_add(number, std::memory_order_relaxed);
  };
  InstructionCount &count =
      counts[static_cast<std::size_t>(at - code.firstSlot())];
  add(count.times, times);
  add(count.cycles, cycles);
}

void CodeCounter::before(const Context &c, const Slot *at) {
  if (!c.isSupervisor())
    return add(at, 1, at->turns() * timing::CyclesPerBundle);
  if (last)
    add(last, 0,
        at == last + last->length() ? last->supervisorCycles()
                                    : timing::SupervisorBranchCycles);
  add(at, 1, 0);
  last = at;
}

void CodeCounter::endVertex() {
  // The cycle in which it returns.
  if (last)
    add(last, 0, timing::SupervisorCycles);
  last = nullptr;
}

} // namespace populus::runtime::emulator
