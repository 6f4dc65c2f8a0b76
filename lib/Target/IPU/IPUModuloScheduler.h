// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule for the body of a loop in which iterations overlap: each starts a
// fixed number of issue slots after the one before. The scheduler works on
// physical registers, so the scheduled instructions are the ones that are
// executed.

#ifndef POPULUS_LIB_TARGET_IPU_IPUMODULOSCHEDULER_H
#define POPULUS_LIB_TARGET_IPU_IPUMODULOSCHEDULER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/CodeGen/MachineFunction.h"
#include <optional>
#include <vector>

namespace llvm {

class AAResults;
class LoopAddresses;
class LocalValues;

/// Accesses of a body that one instruction can do at once: a load and another
/// one of the same iteration, or a store of an earlier one, or both.
struct IPUFusion {
  unsigned Load;
  std::optional<unsigned> OtherLoad, Store;

  /// Returns whether the load's instruction also does this one.
  bool isPart(unsigned Instr) const {
    return OtherLoad == Instr || Store == Instr;
  }
  /// Instructions that it makes superfluous.
  unsigned saved() const { return OtherLoad.has_value() + Store.has_value(); }
  /// Returns whether the loads must be to the halves of a quad.
  bool needsQuad() const { return OtherLoad && Store; }
};

/// An instruction that leaves its result behind, and the one that reads it. The
/// first one of the next iteration can do that as well.
struct IPUDelayedResult {
  unsigned Start, Read;
};

struct IPUModuloSchedule {
  /// Issue slots between the starts of two iterations.
  unsigned Interval = 0;
  /// The slot of each instruction, from the start of its iteration.
  std::vector<unsigned> Slots;
  /// Accesses in the same slot of the interval, fused to one instruction.
  std::optional<IPUFusion> Fused;
  /// Two instructions an interval apart, replaced by one.
  std::optional<IPUDelayedResult> Delayed;

  /// Returns the number of stages: parts of an interval's length that an
  /// iteration takes.
  unsigned stages() const;
  unsigned stageOf(size_t Instr) const { return Slots[Instr] / Interval; }
};

/// A loop that is to be scheduled.
struct IPULoopToSchedule {
  /// The instructions, in the order of the program.
  ArrayRef<MachineInstr *> Body;
  /// Stages that cost nothing but code, and the most that are possible.
  unsigned CheapStages, MaxStages;
  AAResults &AA;
  const LoopAddresses &Addresses;
  /// Get registers that fit the schedule.
  LocalValues &Values;
  ArrayRef<IPUFusion> Fusions;
  std::optional<IPUDelayedResult> Delayed = std::nullopt;
};

/// The shortest interval for the body of a single-block loop.
IPUModuloSchedule scheduleLoop(const IPULoopToSchedule &Loop);

} // namespace llvm

#endif
