// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An active worker has one cycle of each round of six, so the number of turns
// that it takes determines the cycle of its exit. For example, with two bundles
// of worker 0 (w) and three of worker 1 (v):
//
//    cycle        0  1  2  3  4  5  6  7  8  9 10 11 12 13 14
//    worker 0     w                 w
//    worker 1        v                 v                 v
//    supervisor         s  s  s  s        s  s  s  s  s     s
//
// The window first runs worker 0 to its end (cycle 0 + 6 * 1), then worker 1
// (cycle 1 + 6 * 2), and then gives the supervisor the cycles in between. These
// matter only if the supervisor starts more workers or accesses memory.
//
// Workers that never exit, because they wait for a context that is executed
// later, are noticed by the memory that they touch, or by their time.

#include "runtime/Emulator/Windows/Window.h"

#include "runtime/Emulator/Tile/HostVectors.h"
#include "runtime/Emulator/Windows/Ahead.h"
#include "runtime/Emulator/Windows/Remembered.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <stdexcept>

namespace populus::runtime::emulator {

namespace {

/// Turns of a worker before those of the next one; doubled each time.
constexpr std::int64_t FirstSlice = 1 << 16;
/// Turns after which a worker is taken to wait for something if a supervisor
/// may be what it waits for.
constexpr std::int64_t MostTurns = 1 << 22;

constexpr unsigned AllWorkers = (1u << NumWorkers) - 1;

/// The part of a context that execution changes.
struct alignas(32) SavedContext {
  static constexpr std::size_t Bytes = offsetof(Context, memory);
  std::byte bytes[Bytes];
};
using SavedContexts = std::array<SavedContext, NumWorkers + 1>;

SavedContexts &savedContextsOfThread() {
  thread_local SavedContexts contexts;
  return contexts;
}

HOST_VECTORS void save(SavedContext &saved, const Context &c) {
  copyVectors<SavedContext::Bytes>(saved.bytes, &c);
}
void restore(Context &c, const SavedContext &saved) {
  std::memcpy(static_cast<void *>(&c), saved.bytes, SavedContext::Bytes);
}

class Window {
public:
  Window(Tile &tile, std::uint64_t start, std::uint64_t cycleLimit,
         Learner *learner)
      : tile(tile), supervisor(tile.contexts[Supervisor]), start(start),
        cycleLimit(cycleLimit), learner(learner), record(recordOfThread()),
        firstEntry(std::find_if(tile.contexts.begin(), tile.contexts.end(),
                                [](const Context &c) { return c.active; })
                       ->launchedFrom),
        savedNow(tile.now), savedTurns(tile.turns),
        savedTranslatedTurns(tile.translatedTurns),
        hasSupervisor(supervisor.active) {}

  bool run() {
    for (std::size_t i = 0; i != numContexts(); ++i)
      save(savedContexts[i], tile.contexts[i]);
    // Earlier accesses of a supervisor are in order.
    if (tile.recordsAll)
      record.clear();
    record.begin(supervisor.memory);
    for (Context &c : tile.contexts)
      c.record = &record;
    const bool good = runWorkers() && runSupervisor() &&
                      (!tile.recordsAll || runToAwait()) &&
                      tile.now - start <= cycleLimit && isApart();
    good ? keep() : undo();
    record.clear();
    return good;
  }

private:
  bool isApart() {
    if (learner)
      learner->take(record);
    return !record.conflict();
  }

  /// Runs the supervisor, for a check, until it waits for workers that have
  /// ended: its accesses until then are not ordered with theirs. Returns false
  /// if something is in doubt, or if the supervisor does anything else than
  /// wait.
  bool runToAwait() {
    while (supervisor.active && tile.now - start <= cycleLimit &&
           (supervisor.waiting != 0 || isQuiet(supervisor.resume->others()))) {
      if (!stepInterleaved(supervisor))
        return false;
      ++tile.now;
    }
    return record.currentListener()->goesOn() &&
           (!supervisor.active ||
            supervisor.resume->others() == Others::Awaits);
  }
  static bool isQuiet(Others others) {
    return others == Others::Nothing || others == Others::InLine;
  }

  /// Returns the number of contexts that take part.
  std::size_t numContexts() const {
    return NumWorkers + (hasSupervisor ? 1 : 0);
  }

  /// The next cycle that belongs to a worker, from one on.
  std::uint64_t ownCycle(unsigned worker, std::uint64_t from) const {
    const auto phase = static_cast<unsigned>((from - start) % NumWorkers);
    return from + (worker + NumWorkers - phase) % NumWorkers;
  }

  /// Runs those that have just been started; the first cycle that they may have
  /// is tile.now. False: they have to take turns.
  bool runWorkers() {
    unsigned fresh = 0;
    for (unsigned i = 0; i != NumWorkers; ++i)
      if (tile.contexts[i].active && !(running >> i & 1)) {
        fresh |= 1u << i;
        tile.contexts[i].launchedAt = ownCycle(i, tile.now);
      }
    running |= fresh;
    if (learner)
      learner->starts(fresh);
    tile.interleaved = false;
    const bool good = runToEnd(fresh);
    tile.interleaved = true;
    return good;
  }

  bool runToEnd(unsigned workers) {
    for (std::int64_t slice = FirstSlice; workers != 0; slice *= 2) {
      for (unsigned i = 0; i != NumWorkers; ++i) {
        if (!(workers >> i & 1))
          continue;
        ahead.fetch();
        if (!runSlice(i, slice))
          return false;
        if (tile.contexts[i].exited) {
          workers &= ~(1u << i);
          noteEnd(i);
        }
      }
      if (workers != 0 && !isWorthGoingOn(slice))
        return false;
    }
    return true;
  }

  bool runSlice(unsigned worker, std::int64_t slice) {
    record.enter(worker);
    return runRecording(tile, worker, slice);
  }

  void noteEnd(unsigned worker) {
    const Context &c = tile.contexts[worker];
    // The next cycle after the one of an instruction that ends a worker is
    // free, however many turns the instruction takes.
    endAt[worker] = c.launchedAt +
                    static_cast<std::uint64_t>(c.issued - c.resume->turns()) *
                        timing::CyclesPerBundle;
    turns += static_cast<std::uint64_t>(c.issued);
  }

  bool isWorthGoingOn(std::int64_t slice) const {
    if (hasSupervisor && slice >= MostTurns) {
      tile.translations->setTakesTurns(
          static_cast<std::size_t>(firstEntry - tile.code->firstSlot()));
      return false;
    }
    return static_cast<std::uint64_t>(slice) * timing::CyclesPerBundle <=
               cycleLimit &&
           !record.conflict();
  }

  /// The cycles between those of the workers, until all workers have ended.
  bool runSupervisor() {
    if (hasSupervisor)
      watch();
    while (endWorkers())
      if (!supervisor.active)
        tile.now = lastEnd() + 1;
      else if (!runBetween(ownCyclesOfSupervisor()))
        return false;
    return true;
  }

  /// Runs the supervisor for so many cycles, to the end of the last worker, or
  /// to its next start of workers. The exact cycles matter only then. Returns
  /// false if it does something that may matter to workers that are still
  /// running.
  bool runBetween(const std::uint64_t own) {
    std::uint64_t left = own;
    while (left != 0 && supervisor.active) {
      if (supervisor.waiting != 0) {
        const std::uint64_t skipped =
            std::min<std::uint64_t>(supervisor.waiting, left);
        supervisor.waiting -= static_cast<unsigned>(skipped);
        left -= skipped;
        continue;
      }
      switch (supervisor.resume->others()) {
      case Others::InLine:
      case Others::Nothing: {
        const unsigned number = stepQuietly(left);
        if (number == 0)
          return false;
        left -= number;
        break;
      }
      case Others::Awaits:
        awaitAll(left);
        left = 0;
        break;
      case Others::Starts:
        goTo(own - left);
        if (!stepInterleaved(supervisor))
          return false;
        ++tile.now;
        return runWorkers();
      case Others::MayMatter:
      case Others::LoadsWeights:
        return false;
      }
    }
    tile.now = lastEnd() + 1;
    return true;
  }

  /// Does what concerns no worker, for so many cycles at most; how many it
  /// took, but for those of waiting. 0: a fault.
  unsigned stepQuietly(std::uint64_t most) {
    // A check looks at every slot.
    if (tile.recordsAll || supervisor.resume->others() != Others::InLine)
      return stepInterleaved(supervisor);
    const Slot *first = supervisor.resume;
    unsigned number = 0, cycles = 0;
    while (number != first->line.length && cycles < most)
      cycles += first[number++].supervisorCycles();
    if (learner)
      learner->beforeLine(first, number);
    if (executeLine(supervisor, number) != number)
      return 0;
    // The wait behind the last one may go on.
    const unsigned own = cycles - (first[number - 1].supervisorCycles() - 1);
    supervisor.waiting = cycles - own;
    return own;
  }

  /// Goes to the cycle of the supervisor that follows `own` others.
  void goTo(std::uint64_t own) {
    for (;; ++tile.now) {
      endWorkers();
      if (running == AllWorkers)
        tile.now = firstEnd();
      else if (!isRunning((tile.now - start) % NumWorkers) && own-- == 0)
        return;
    }
  }

  /// The last cycles of the supervisor until the last worker ends, in which it
  /// looks again and again, as if it branched to where it is.
  void awaitAll(std::uint64_t cycles) {
    constexpr auto Period = timing::SupervisorBranchCycles;
    const std::uint64_t looks = (cycles + Period - 1) / Period;
    supervisor.issued += static_cast<std::int64_t>(looks);
    tile.turns += looks;
    supervisor.waiting =
        static_cast<unsigned>((Period - cycles % Period) % Period);
  }

  /// Returns the supervisor's cycles until the last worker ends.
  std::uint64_t ownCyclesOfSupervisor() const {
    std::uint64_t own = lastEnd() + 1 - tile.now;
    for (unsigned i = 0; i != NumWorkers; ++i)
      if (isRunning(i))
        own -= (endAt[i] - ownCycle(i, tile.now)) / NumWorkers + 1;
    return own;
  }

  /// Workers that have ended by now; false: all have.
  bool endWorkers() {
    for (unsigned i = 0; i != NumWorkers; ++i)
      if ((running >> i & 1) && endAt[i] < tile.now) {
        tile.contexts[i].active = false;
        running &= ~(1u << i);
      }
    return running != 0;
  }
  bool isRunning(std::uint64_t worker) const { return running >> worker & 1; }

  template <typename Better> std::uint64_t end(Better better) const {
    std::uint64_t result = 0;
    bool any = false;
    for (unsigned i = 0; i != NumWorkers; ++i)
      if (isRunning(i) && (!any || better(endAt[i], result))) {
        result = endAt[i];
        any = true;
      }
    return result;
  }
  std::uint64_t lastEnd() const { return end(std::greater<>()); }
  std::uint64_t firstEnd() const { return end(std::less<>()); }

  void keep() {
    tile.turns += turns;
    stopWatching();
  }
  void undo() {
    record.undo();
    for (std::size_t i = 0; i != numContexts(); ++i)
      restore(tile.contexts[i], savedContexts[i]);
    tile.now = savedNow;
    tile.turns = savedTurns;
    tile.translatedTurns = savedTranslatedTurns;
    stopWatching();
  }
  void watch() {
    if (learner)
      return learner->beginWindow(record);
    supervisor.watcher = &record;
    supervisor.size = 0;
    supervisor.storeSize = 0;
  }
  void stopWatching() {
    if (learner)
      return learner->endWindow();
    if (tile.recordsAll)
      return;
    supervisor.watcher = nullptr;
    supervisor.size = tile.loadBytes;
    supervisor.storeSize = tile.storeBytes;
  }

  Tile &tile;
  Context &supervisor;
  const std::uint64_t start;
  const std::uint64_t cycleLimit;
  Learner *const learner;
  AccessRecord &record;
  SavedContexts &savedContexts = savedContextsOfThread();
  Ahead &ahead = aheadOfThread();
  const Slot *const firstEntry; // of a worker
  const std::uint64_t savedNow;
  const std::uint64_t savedTurns;
  const std::uint64_t savedTranslatedTurns;
  const bool hasSupervisor;
  unsigned running = 0;                             // a bit for each worker
  std::array<std::uint64_t, NumWorkers> endAt = {}; // cycles of their exits
  std::uint64_t turns = 0;                          // of workers
};

/// Returns whether all started workers have recording code.
bool isPossible(const Tile &tile) {
  const Slot *known = nullptr;
  for (unsigned i = 0; i != NumWorkers; ++i) {
    const Context &c = tile.contexts[i];
    if (!c.active || c.resume == known)
      continue;
    known = c.resume;
    if (!tile.code->contains(c.resume))
      return false;
    const auto at = static_cast<std::size_t>(c.resume - tile.code->firstSlot());
    if (tile.translations->takesTurns(at) ||
        !tile.translations->find(at, CodeKind::Recording))
      return false;
  }
  return true;
}

} // namespace

bool runWindow(Tile &tile, std::uint64_t start, std::uint64_t cycleLimit,
               Learner *learner) {
  if (!tile.translations || tile.hostCalls ||
      (tile.contexts[Supervisor].watcher && !learner && !tile.recordsAll))
    return false;
  return isPossible(tile) && Window(tile, start, cycleLimit, learner).run();
}

} // namespace populus::runtime::emulator
