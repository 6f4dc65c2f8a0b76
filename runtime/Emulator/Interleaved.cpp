// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contexts that run at the same time and may access each other's memory:
// workers started by a supervisor codelet, and multi-vertices. Each of the six
// cycles of a round belongs to a worker while it is active, and to the
// supervisor otherwise. For example, workers 0 and 1 and the supervisor S:
//
//    cycle    0 1 2 3 4 5   6 7 8 9 10 11   12 13 …
//    issues   0 1 S S S S   0 1 S S S  S    0  1       two active workers
//    issues   S S S S S S   …                          none
//
// So a worker issues a bundle every six cycles, and the supervisor is faster
// the fewer workers are active. Running the contexts cycle by cycle is exact
// but slow. Most often workers do not touch each other's memory; then they are
// executed one after the other, with the same results and cycles (Window.h).

#include "runtime/Emulator/Windows/Remembered.h"
#include "runtime/Emulator/Windows/Window.h"

#include <algorithm>

namespace populus::runtime::emulator {

/// Returns the cycles of a slot that a supervisor has executed.
static unsigned supervisorCycles(const Context &c, const Slot *slot) {
  return c.resume == slot + slot->length() ? slot->supervisorCycles()
                                           : timing::SupervisorBranchCycles;
}

bool stepInterleaved(Context &c) {
  if (c.waiting != 0) {
    --c.waiting;
    return true;
  }
  const Slot *slot = c.resume;
  if (!executeSlot(c))
    return false;
  ++c.issued;
  c.tile->turns += slot->turns();
  c.waiting = slot->turns() - 1;
  if (c.isSupervisor())
    c.waiting = supervisorCycles(c, slot) - 1;
  endRound(c);
  if (c.exited)
    c.active = false;
  return true;
}

namespace {

/// Contexts look this often for an interrupt.
constexpr std::uint64_t CyclesUntilControl = 1 << 20;

bool anyActive(const Tile &tile) {
  return tile.contexts[Supervisor].active || tile.workersActive();
}

/// Counts what a worker has executed in the interpreter.
void noteExit(const Context &c) {
  const Code &code = *c.tile->code;
  if (c.tile->translations && code.contains(c.launchedFrom))
    c.tile->translations->interpreted(
        static_cast<std::size_t>(c.launchedFrom - code.firstSlot()),
        CodeKind::Recording, c.issued);
}

class Interleaver {
public:
  Interleaver(Tile &tile, std::uint64_t cycleLimit, Learner *learner)
      : tile(tile), start(tile.now), cycleLimit(cycleLimit), learner(learner) {}

  Context *run() {
    tile.interleaved = true;
    while (!faulted && anyActive(tile))
      if (!tile.workersActive())
        runSupervisor();
      else if (!runWindow(tile, start, cycleLimit, learner))
        tile.recordsAll ? giveUp() : takeTurns();
    tile.interleaved = false;
    return faulted;
  }

private:
  void cycle(Context &c) {
    if (c.active && !stepInterleaved(c))
      faulted = &c;
    ++tile.now;
    if (faulted)
      return;
    if (tile.now - start > cycleLimit)
      end(c, FaultKind::CycleLimit);
    else if (tile.now % CyclesUntilControl == 0 && tile.isInterrupted())
      end(c, FaultKind::Interrupted);
  }

  void end(Context &c, FaultKind reason) {
    faulted = &c;
    c.fault(reason);
    c.faultSlot = c.resume;
  }

  /// Until it ends or has started workers.
  void runSupervisor() {
    Context &supervisor = tile.contexts[Supervisor];
    bool starts = false;
    while (!faulted && supervisor.active && !starts) {
      const std::uint64_t skipped = std::min<std::uint64_t>(
          supervisor.waiting, cycleLimit - (tile.now - start));
      supervisor.waiting -= static_cast<unsigned>(skipped);
      tile.now += skipped;
      if (supervisor.waiting == 0 && (!supervisor.watcher || learner))
        runFreely(supervisor);
      if (faulted || !supervisor.active)
        return;
      if (tile.isInterrupted())
        return end(supervisor, FaultKind::Interrupted);
      starts = supervisor.waiting == 0 &&
               supervisor.resume->others() == Others::Starts;
      cycle(supervisor);
    }
  }

  /// Does what cycle() would do, many times, as long as the slots are such that
  /// only the supervisor matters, and the limit is far away.
  void runFreely(Context &c) {
    constexpr std::uint64_t FarAway = 4096;
    const std::uint64_t begin = tile.now;
    while (!faulted && c.active && !c.repeatEnd &&
           tile.now - start + FarAway < cycleLimit &&
           tile.now - begin < CyclesUntilControl) {
      const Slot *slot = c.resume;
      if (slot->others() == Others::LoadsWeights && loadWeights(c, slot))
        continue;
      if (slot->others() == Others::InLine) {
        runLine(c, slot);
      } else if (slot->others() == Others::Nothing && slot->contexts() != 1) {
        if (learner)
          learner->before(c, slot);
        runFreely(c, slot);
      } else {
        return;
      }
    }
  }
  void runLine(Context &c, const Slot *slot) {
    if (learner)
      learner->beforeLine(slot, slot->line.length);
    const unsigned done = executeLine(c, slot->line.length);
    if (done == slot->line.length) {
      tile.now += slot->line.cycles;
      return;
    }
    faulted = &c;
    for (unsigned i = 0; i != done; ++i)
      tile.now += slot[i].supervisorCycles();
    ++tile.now;
  }
  void runFreely(Context &c, const Slot *slot) {
    const Slot *next = slot + slot->length();
    c.resume = next;
    if (!slot->step(slot, &c)) {
      c.faultSlot = slot;
      faulted = &c;
      ++tile.now;
      return;
    }
    const unsigned cycles = supervisorCycles(c, slot);
    ++c.issued;
    tile.turns += slot->turns();
    c.active = !c.exited;
    c.waiting = c.exited ? cycles - 1 : 0;
    tile.now += c.exited ? 1 : cycles;
  }
  bool loadWeights(Context &c, const Slot *slot) {
    const unsigned number = slot->weightLoads.number;
    // A learner need not hear of loads of weights.
    if (learner)
      c.size = tile.loadBytes;
    const std::uint32_t from = tile.weightLoad;
    const bool done = loadWeightRun(c, slot);
    if (learner)
      c.size = 0;
    if (!done)
      return false;
    if (learner)
      learner->hasLoadedWeights(slot, from);
    c.resume = slot + number;
    c.issued += number;
    tile.turns += number;
    for (unsigned i = 0; i != number; ++i)
      tile.now += slot[i].supervisorCycles();
    return true;
  }

  /// Contexts that take turns do not record what they access.
  void giveUp() {
    faulted = &tile.contexts[Supervisor];
    faulted->fault(FaultKind::Breakpoint);
  }

  /// Until all workers have ended.
  void takeTurns() {
    if (learner)
      learner->giveUp();
    auto turn = static_cast<unsigned>((tile.now - start) % NumWorkers);
    for (; !faulted && tile.workersActive(); turn = (turn + 1) % NumWorkers) {
      Context &worker = tile.contexts[turn];
      const bool isWorker = worker.active;
      cycle(isWorker ? worker : tile.contexts[Supervisor]);
      if (isWorker && worker.exited)
        noteExit(worker);
    }
  }

  Tile &tile;
  const std::uint64_t start;
  const std::uint64_t cycleLimit;
  Learner *const learner;
  Context *faulted = nullptr;
};

} // namespace

Context *runInterleaved(Tile &tile, std::uint64_t cycleLimit,
                        Learner *learner) {
  return Interleaver(tile, cycleLimit, learner).run();
}

} // namespace populus::runtime::emulator
