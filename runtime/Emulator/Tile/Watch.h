// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs contexts slot by slot: those that share a tile's time, and workers with
// a hook (fault histories, traces, breakpoints, the checker). Results and
// cycles are those of the interpreter.

#ifndef POPULUS_RUNTIME_EMULATOR_TILE_WATCH_H
#define POPULUS_RUNTIME_EMULATOR_TILE_WATCH_H

#include "runtime/Emulator/Tile/Tile.h"

namespace populus::runtime::emulator {

/// Executes the slot at c.resume. False: fault, with c.faultSlot.
inline bool executeSlot(Context &c) {
  const Slot *slot = c.resume;
  if (c.watcher && !c.watcher->before(c, slot)) [[unlikely]] {
    c.faultSlot = slot;
    return false;
  }
  c.resume = slot + slot->length();
  const bool mayExecute = slot->contexts() != (c.isSupervisor() ? 1u : 2u);
  const bool done =
      mayExecute ? slot->step(slot, &c) : c.fault(FaultKind::WrongContext);
  if (!done)
    c.faultSlot = slot;
  return done;
}

/// Executes so many slots in line of a supervisor (Others::InLine), or fewer if
/// one faults; how many.
inline unsigned executeLine(Context &c, unsigned number) {
  const Slot *slot = c.resume;
  unsigned done = 0;
  for (; done != number && slot->step(slot, &c); ++done)
    ++slot;
  if (done != number)
    c.faultSlot = slot++;
  c.resume = slot;
  c.issued += done;
  c.tile->turns += done;
  return done;
}

/// After a slot: whether it was the last one of a hardware loop's body. If
/// there are more rounds, the next one begins.
inline bool endRound(Context &c) {
  if (!c.repeatEnd || c.resume != c.repeatEnd)
    return false;
  if (c.repeatCount != 0 && --c.repeatCount != 0)
    c.resume = c.repeatFirst;
  else
    c.repeatEnd = nullptr;
  return true;
}

/// Makes a watcher look at all contexts of a tile; `accesses`: also at what
/// they load and store.
void attachWatcher(Tile &tile, Watcher *watcher, bool accesses);

/// Does the same as runWorker with the tile's hook.
void runWatchedWorker(Tile &tile, unsigned worker, std::int64_t turnLimit);

/// Does the work of Watcher::access for an access that is good except perhaps
/// for its address.
bool checkBounds(Context &c, Address address, unsigned bytes, bool store);

} // namespace populus::runtime::emulator

#endif
