// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The slow loop. A limit of turns is looked at where the fast loop does it:
// after a branch that was taken.

#include "runtime/Emulator/Tile/Watch.h"

namespace populus::runtime::emulator {

void attachWatcher(Tile &tile, Watcher *watcher, bool accesses) {
  for (Context &c : tile.contexts) {
    c.watcher = watcher;
    c.size = accesses ? 0 : tile.loadBytes;
    c.storeSize = accesses ? 0 : tile.storeBytes;
  }
}

void runWatchedWorker(Tile &tile, unsigned worker, std::int64_t turnLimit) {
  Context &c = tile.contexts[worker];
  while (!c.exited) {
    const Slot *slot = c.resume;
    const bool done = executeSlot(c);
    // A program that asks the host to end it has taken this turn.
    if (done || c.exited)
      c.issued += slot->turns();
    if (!done)
      break;
    if (endRound(c) || c.resume == slot + slot->length())
      continue;
    if (c.issued > turnLimit || tile.isInterrupted()) {
      c.fault(c.issued > turnLimit ? FaultKind::CycleLimit
                                   : FaultKind::Interrupted);
      c.faultSlot = slot;
      break;
    }
  }
  c.active = false;
}

bool checkBounds(Context &c, Address address, unsigned bytes, bool store) {
  const Tile &tile = *c.tile;
  const Address begin = store ? c.storeLo : c.lo;
  const std::uint32_t size = store ? tile.storeBytes : tile.loadBytes;
  if (address % bytes == 0 && address >= begin && address - begin < size)
    return true;
  return detail::accessFault(c, address, bytes, store);
}

} // namespace populus::runtime::emulator
