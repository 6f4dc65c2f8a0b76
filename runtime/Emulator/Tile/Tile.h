// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state that the seven contexts of a tile share: code, weights, the
// supervisor's registers, and the launching of workers.

#ifndef POPULUS_RUNTIME_EMULATOR_TILE_TILE_H
#define POPULUS_RUNTIME_EMULATOR_TILE_TILE_H

#include "runtime/Emulator/Code/Code.h"
#include "runtime/Emulator/Machine/Context.h"
#include "runtime/Emulator/Machine/WeightRegisters.h"
#include "runtime/Emulator/Tile/AccessRecord.h"
#include "runtime/Session/RunControl.h"
#include "runtime/Target/Timing.h"

#include <array>

namespace populus::runtime {
class HostCalls;
}

namespace populus::runtime::emulator {

inline constexpr unsigned NumWorkers = 6;
inline constexpr unsigned Supervisor = 6;
/// The return address of a supervisor codelet.
inline constexpr Address SupervisorReturn = 0xfffffffc;

/// The weights in the units' order: transposed, so that both sets lie together,
/// and widened to halves and to floats. Each form is made on demand
/// (needWeights), because most code needs only one of them.
struct Weights {
  alignas(64) float half[4][4][2][8] = {}; // column, channel, set, unit
  alignas(64) float single[8][2][8] = {};  // column and word, set, unit
};

/// Sets of weight registers, a bit for each, as halves and as floats.
using WeightKinds = std::uint8_t;
inline constexpr WeightKinds NoWeights = 0, HalfWeights = 0b0011,
                             SingleWeights = 0b1100;

class Learner;
class Translations;

struct Tile {
  std::array<Context, NumWorkers + 1> contexts;
  Weights weights;
  WeightRegisters weightRegisters;
  /// Sets of registers, as bits, from which `weights` have not been made since
  /// they changed; for each WeightKind.
  WeightKinds staleWeights = 0;
  std::uint32_t weightLoad = 0;
  std::uint32_t fpInitialControl = 0;
  std::uint32_t consensus = 1;
  std::uint32_t number = 0;
  std::uint32_t accumulatorSets = 2; // and of weights
  std::uint32_t repeatMask = 0xffff; // what `rpt` takes of a register
  Address region0 = 0;
  const Code *code = nullptr;
  /// Host code for it; null: everything is interpreted.
  Translations *translations = nullptr;
  /// Bytes behind Context::lo and Context::storeLo, watched or not.
  std::uint32_t loadBytes = 0;
  std::uint32_t storeBytes = 0;
  /// Receives the calls of `trap 1`; null: it is a trap as any other.
  HostCalls *hostCalls = nullptr;
  /// Who may end a run from outside; null: nobody.
  const RunControl *control = nullptr;

  /// Cycles of this tile before the current vertex, and, where contexts run
  /// interleaved, the current one.
  std::uint64_t now = 0;
  bool interleaved = false;
  /// True if all accesses are to be recorded (CheckedRun.h); a run with an
  /// access that cannot be recorded ends as if by a fault.
  bool recordsAll = false;
  /// Turns that interleaved contexts have taken.
  std::uint64_t turns = 0;
  /// Turns that translated code has taken.
  std::uint64_t translatedTurns = 0;

  /// True if vertices that are still running have to end.
  bool isInterrupted() const {
    return control && control->interrupt.load(std::memory_order_relaxed);
  }

  bool workersActive() const {
    for (unsigned i = 0; i != NumWorkers; ++i)
      if (contexts[i].active)
        return true;
    return false;
  }

  void setStaleWeights(unsigned sets) {
    staleWeights |= static_cast<WeightKinds>(sets * 0b101);
  }

  std::uint64_t cycleCount(const Context &c) const {
    if (interleaved)
      return now;
    return c.launchedAt +
           static_cast<std::uint64_t>(c.issued) * timing::CyclesPerBundle;
  }

  /// Prepares a worker to start at `entry`. The state that the architecture
  /// keeps from the context's last vertex stays.
  void launch(unsigned worker, const Slot *entry, Address vertex) {
    Context &c = contexts[worker];
    c.m[VertexBase] = vertex;
    c.fpControl = fpInitialControl;
    c.fpStatus = 0;
    c.issued = 0;
    c.waiting = 0;
    c.repeatFirst = nullptr;
    c.repeatEnd = nullptr;
    c.launchedFrom = entry;
    c.resume = entry;
    c.exited = false;
    c.active = true;
  }

  /// The run instruction: the lowest worker that is free.
  bool run(Context &supervisor, Address entry, Address vertex) {
    const Slot *slot = checkLaunch(supervisor, entry, vertex);
    if (!slot)
      return false;
    for (unsigned i = 0; i != NumWorkers; ++i)
      if (!contexts[i].active) {
        launch(i, slot, vertex);
        return true;
      }
    return supervisor.fault(FaultKind::RunWhileActive);
  }

  /// The runall instruction: all six workers, their states `spacing` apart.
  bool runAll(Context &supervisor, Address entry, Address vertex,
              std::uint32_t spacing) {
    const Slot *slot = checkLaunch(supervisor, entry, vertex);
    if (!slot)
      return false;
    if (workersActive())
      return supervisor.fault(FaultKind::RunWhileActive);
    for (unsigned i = 0; i != NumWorkers; ++i)
      launch(i, slot, vertex + i * spacing);
    return true;
  }

private:
  const Slot *checkLaunch(Context &supervisor, Address entry, Address vertex) {
    const Slot *slot = code->find(entry);
    if (!slot)
      supervisor.fault(FaultKind::InvalidPc, entry);
    else if (vertex % 4 != 0) {
      supervisor.fault(FaultKind::Misaligned, vertex);
      return nullptr;
    }
    return slot;
  }
};

/// The trap that is a host call; only where the tile has hostCalls. False: the
/// context stops, by a fault or because the program has ended.
inline constexpr std::int32_t HostCallTrap = 1;
bool callHost(Context &c);

/// Ends a context, because it has exited or faulted in the slot.
inline void stop(Context &c, const Slot *slot) {
  c.resume = nullptr;
  if (c.faultKind != FaultKind::None && !c.faultSlot)
    c.faultSlot = slot;
}

/// Interprets a worker by itself from Context::resume until it exits, faults or
/// is above its limit of turns (where resume is not null).
void interpret(Context &c);

/// Loads weights from Tile::weightLoad on, as the slots do that follow each
/// other from this one on. False: nothing has been done, for one of them
/// faults, or a watcher is to be told.
bool loadWeightRun(Context &c, const Slot *slot);

/// Makes weights of registers that have changed.
void makeWeights(Tile &tile, WeightKinds kinds);
/// Makes the weights that are about to be read.
inline void needWeights(Tile &tile, WeightKinds kinds) {
  if (tile.staleWeights & kinds) [[unlikely]]
    makeWeights(tile, kinds);
}

/// Runs a worker by itself until it exits or faults; above the limit of turns
/// it faults.
void runWorker(Tile &tile, unsigned worker, std::int64_t turnLimit);

/// Runs a worker that records its accesses until it exits (resume is then the
/// slot of the exit) or has taken so many issue slots, or more; it can be
/// continued. Returns false if it faulted; the state is then not that of the
/// fault.
bool runRecording(Tile &tile, unsigned worker, std::int64_t turns);

/// Runs a vertex to its end and records all accesses. Returns false if it
/// faulted, has taken so many issue slots, or the listener has heard enough;
/// its stores have then been undone.
bool runRecordedVertex(Tile &tile, unsigned worker, std::int64_t turns);
/// Runs a vertex whose accesses are known (Script.h).
bool runUnrecorded(Tile &tile, unsigned worker, std::int64_t turns);

/// Runs the active contexts in turns until all are done or one faults, which is
/// returned (else null). Cycles are added to Tile::now. The learner, if there
/// is one, looks on.
Context *runInterleaved(Tile &tile, std::uint64_t cycleLimit,
                        Learner *learner = nullptr);

} // namespace populus::runtime::emulator

#endif
