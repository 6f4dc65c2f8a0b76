// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contexts that run at the same time and may see each other's memory: workers
// started by a supervisor codelet, and multi-vertices. Time goes cycle by
// cycle: each of the six slots of a round belongs to a worker while it is
// active, and else to the supervisor.

#include "runtime/Emulator/Watch.h"

namespace populus::runtime::emulator {

namespace {

/// Executes one slot of a context. False: fault.
bool step(Context &c) {
  if (c.waiting != 0) {
    --c.waiting;
    return true;
  }
  const Slot *slot = c.resume;
  if (!executeSlot(c))
    return false;
  ++c.issued;
  ++c.tile->turns;
  c.waiting = slot->turns() - 1;
  if (c.isSupervisor() && c.resume != slot + slot->length())
    c.waiting = timing::SupervisorBranchCycles - 1;
  if (c.repeatCount != 0 && c.resume == c.repeatEnd && --c.repeatCount != 0)
    c.resume = c.repeatFirst;
  if (c.exited)
    c.active = false;
  return true;
}

bool anyActive(const Tile &tile) {
  return tile.contexts[Supervisor].active || tile.workersActive();
}

} // namespace

Context *runInterleaved(Tile &tile, std::uint64_t cycleLimit) {
  tile.interleaved = true;
  const std::uint64_t start = tile.now;
  Context &supervisor = tile.contexts[Supervisor];
  Context *faulted = nullptr;
  for (unsigned turn = 0; !faulted && anyActive(tile);
       turn = (turn + 1) % NumWorkers) {
    Context &worker = tile.contexts[turn];
    Context &c = worker.active ? worker : supervisor;
    if (c.active && !step(c))
      faulted = &c;
    ++tile.now;
    if (!faulted && tile.now - start > cycleLimit) {
      faulted = &c;
      c.fault(FaultKind::CycleLimit);
      c.faultSlot = c.resume;
    }
  }
  tile.interleaved = false;
  return faulted;
}

} // namespace populus::runtime::emulator
