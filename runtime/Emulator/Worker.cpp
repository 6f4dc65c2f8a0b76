// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A worker that runs by itself: translated code where there is some, else the
// interpreter, in slices. Both leave the context in the same state, and may
// take over from each other at any slot.

#include "runtime/Emulator/Translations.h"

#include <algorithm>

namespace populus::runtime::emulator {

namespace {

/// Turns that the interpreter runs before translated code is looked for again.
constexpr std::int64_t Slice = 20000;

void findFault(Context &c, const Slot *slot) {
  if (slot->main)
    slot->main(&c, slot->mainOperands);
  else
    slot->step(slot, &c);
}

/// Runs translated code for as long as there is some. False: the context has
/// stopped.
bool runTranslated(Context &c, Translations &translations) {
  const Slot *slots = c.tile->code->firstSlot();
  for (;;) {
    const auto at = static_cast<std::uint32_t>(c.resume - slots);
    const TranslatedRegion *region = translations.find(at);
    if (!region)
      return true;
    const std::int64_t before = c.issued;
    const RegionResult result =
        region->code(&c, &c.tile->weights, slots + region->first,
                     at - region->first, region);
    const std::uint32_t slot = result.slot + region->first;
    c.resume = slots + slot;
    if (result.end == RegionEnd::Stop) {
      if (c.faultKind == FaultKind::None && !c.exited)
        findFault(c, c.resume);
      stop(c, c.resume);
      return false;
    }
    // Something that only the interpreter can do, such as a fault.
    if (slot == at && c.issued == before)
      return true;
    if (!c.tile->code->contains(c.resume))
      return true;
  }
}

} // namespace

void runWorker(Tile &tile, unsigned worker, std::int64_t turnLimit) {
  Context &c = tile.contexts[worker];
  Translations *translations = tile.translations;
  const std::int64_t slice =
      translations ? Slice : std::numeric_limits<std::int64_t>::max();
  while (c.resume) {
    if (translations && tile.code->contains(c.resume)) {
      c.turnLimit = turnLimit;
      if (!runTranslated(c, *translations))
        break;
    }
    const Slot *from = c.resume;
    const std::int64_t before = c.issued;
    const std::int64_t left = turnLimit - before;
    c.turnLimit = left < slice ? turnLimit : before + slice;
    interpret(c);
    if (translations && tile.code->contains(from))
      translations->interpreted(
          static_cast<std::size_t>(from - tile.code->firstSlot()),
          c.issued - before);
    if (c.resume && c.issued > turnLimit) {
      c.fault(FaultKind::CycleLimit);
      stop(c, c.pausedAt);
    }
  }
  c.active = false;
}

} // namespace populus::runtime::emulator
