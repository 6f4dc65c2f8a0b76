// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A worker that runs by itself: translated code where there is some, else the
// interpreter, in slices. Both leave the context in the same state, and may
// take over from each other at any slot. One that records its accesses uses
// translated code that does so, and the interpreter with a watcher.

#include "runtime/Emulator/Tile/Watch.h"
#include "runtime/Emulator/Translation/Translations.h"

#include <algorithm>

namespace populus::runtime::emulator {

namespace {

/// Turns that the interpreter runs before translated code is looked for again.
constexpr std::int64_t Slice = 20000;
constexpr std::int64_t RecordingSlice = 200;
/// Turns after which workers look for an interrupt: about 0.3 s of the
/// interpreter.
constexpr std::int64_t UntilControl = 1 << 24;
/// Translated code may leave so many turns before its limit.
constexpr std::int64_t LeavesEarly = 1 << 14;

void findFault(Context &c, const Slot *slot) {
  if (slot->main)
    slot->main(&c, slot->mainOperands);
  else
    slot->step(slot, &c);
}

/// Runs translated code for as long as there is some. False: the context has
/// stopped, at resume.
bool runTranslated(Context &c, Translations &translations, CodeKind kind) {
  const Slot *slots = c.tile->code->firstSlot();
  for (;;) {
    const auto at = static_cast<std::uint32_t>(c.resume - slots);
    const TranslatedRegion *region = translations.find(at, kind);
    if (!region)
      return true;
    const std::int64_t before = c.issued;
    needWeights(*c.tile, region->weights);
    const RegionResult result =
        region->code(&c, &c.tile->weights, slots + region->first,
                     at - region->first, region);
    const std::uint32_t slot = result.slot + region->first;
    c.resume = slots + slot;
    c.tile->translatedTurns += static_cast<std::uint64_t>(c.issued - before);
    if (result.end == RegionEnd::Stop)
      return false;
    // Something that only the interpreter can do, such as a fault.
    if (slot == at && c.issued == before)
      return true;
    if (!c.tile->code->contains(c.resume))
      return true;
  }
}

/// Runs the interpreter for some turns, or until the context stops.
void interpretSlice(Context &c, CodeKind kind) {
  if (kind == CodeKind::Recording) {
    c.record->noteUncertain(); // for it is not said what is read
    c.watcher = c.record;
    c.size = 0;
    c.storeSize = 0;
  }
  const std::int64_t enough = c.issued + RecordingSlice;
  // Translated code does not go on in the middle of a hardware loop.
  do {
    const Slot *slot = c.resume;
    if (!executeSlot(c))
      break;
    c.issued += slot->turns();
    if (c.exited)
      c.resume = slot;
    else
      endRound(c);
  } while (!c.exited && (c.repeatEnd || c.issued <= enough));
  c.watcher = nullptr;
  c.size = c.tile->loadBytes;
  c.storeSize = c.tile->storeBytes;
}

/// Runs a worker of a window.
bool runInWindow(Tile &tile, unsigned worker, std::int64_t turns,
                 CodeKind kind) {
  Context &c = tile.contexts[worker];
  while (!c.exited && c.issued < turns) {
    if (!tile.code->contains(c.resume) || tile.isInterrupted())
      return false;
    c.turnLimit = std::min(turns, c.issued + UntilControl) + LeavesEarly;
    if (!runTranslated(c, *tile.translations, kind))
      return c.exited;
    if (!tile.code->contains(c.resume))
      return false;
    if (c.issued >= turns)
      break;
    const std::size_t from =
        static_cast<std::size_t>(c.resume - tile.code->firstSlot());
    const std::int64_t before = c.issued;
    interpretSlice(c, kind);
    if (c.faultKind != FaultKind::None)
      return false;
    tile.translations->interpreted(from, kind, c.issued - before);
  }
  return true;
}

} // namespace

void runWorker(Tile &tile, unsigned worker, std::int64_t turnLimit) {
  Context &c = tile.contexts[worker];
  Translations *translations = tile.translations;
  const std::int64_t slice = translations ? Slice : UntilControl;
  while (c.resume) {
    if (translations && tile.code->contains(c.resume)) {
      c.turnLimit = std::min(turnLimit, c.issued + UntilControl);
      if (!runTranslated(c, *translations, CodeKind::Plain)) {
        if (c.faultKind == FaultKind::None && !c.exited)
          findFault(c, c.resume);
        stop(c, c.resume);
        break;
      }
    }
    const Slot *from = c.resume;
    const std::int64_t before = c.issued;
    const std::int64_t left = turnLimit - before;
    c.turnLimit = left < slice ? turnLimit : before + slice;
    interpret(c);
    if (translations && tile.code->contains(from))
      translations->interpreted(
          static_cast<std::size_t>(from - tile.code->firstSlot()),
          CodeKind::Plain, c.issued - before);
    if (c.resume && c.issued > turnLimit) {
      c.fault(FaultKind::CycleLimit);
      stop(c, c.pausedAt);
    } else if (c.resume && tile.isInterrupted()) {
      c.fault(FaultKind::Interrupted);
      stop(c, c.pausedAt);
    }
  }
  c.active = false;
}

bool runRecording(Tile &tile, unsigned worker, std::int64_t turns) {
  return runInWindow(tile, worker, turns, CodeKind::Recording);
}

bool runUnrecorded(Tile &tile, unsigned worker, std::int64_t turns) {
  return runInWindow(tile, worker, turns, CodeKind::Plain);
}

bool runRecordedVertex(Tile &tile, unsigned worker, std::int64_t turns) {
  Context &c = tile.contexts[worker];
  AccessRecord &record = *c.record;
  record.clear();
  record.begin(c.memory);
  record.enter(worker);
  const bool good = runRecording(tile, worker, turns) && c.exited &&
                    record.currentListener()->goesOn();
  if (!good)
    record.undo();
  record.clear();
  c.active = false;
  return good;
}

} // namespace populus::runtime::emulator
