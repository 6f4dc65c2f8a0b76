// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A schedule for the body of a loop in which iterations overlap: each starts a
// fixed number of issue slots after the one before. Works on physical
// registers: what is scheduled is what will be executed.

#ifndef POPULUS_LIB_TARGET_IPU_IPUMODULOSCHEDULER_H
#define POPULUS_LIB_TARGET_IPU_IPUMODULOSCHEDULER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/CodeGen/MachineFunction.h"
#include <vector>

namespace llvm {

class AAResults;
class LoopAddresses;

struct IPUModuloSchedule {
  /// Issue slots between the starts of two iterations.
  unsigned Interval = 0;
  /// The slot of each instruction, from the start of its iteration.
  std::vector<unsigned> Slots;

  /// In how many parts of an interval's length an iteration falls.
  unsigned stages() const;
  unsigned stageOf(size_t Instr) const { return Slots[Instr] / Interval; }
};

/// The shortest interval for the body of a single-block loop, given in the
/// order of the program, in at most that many stages.
IPUModuloSchedule scheduleLoop(ArrayRef<MachineInstr *> Body,
                               unsigned MaxStages, AAResults &AA,
                               const LoopAddresses &Addresses);

} // namespace llvm

#endif
