// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop of one block that `rpt` can do, and what there is for it to use.

#ifndef POPULUS_LIB_TARGET_IPU_IPUCOUNTEDBLOCK_H
#define POPULUS_LIB_TARGET_IPU_IPUCOUNTEDBLOCK_H

#include "lib/Target/IPU/IPUFusedAccess.h"
#include "lib/Target/IPU/IPUHardwareLoops.h"
#include "lib/Target/IPU/IPULoopAddresses.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace llvm {

class IPUInstrInfo;
class MachineLoop;

/// A block that is a loop, counts a register down to zero, and does nothing
/// else with it.
struct CountedBlock {
  MachineBasicBlock *Block = nullptr;
  MachineBasicBlock *Exit = nullptr;
  MachineInstr *Decrement = nullptr;
  MachineInstr *Branch = nullptr;
  Register Counter;
  /// See LoopBound; of LOOP_DEC.
  uint32_t Bound = LoopBound::Unknown;
  /// The number of iterations, or 0 where it is not known.
  uint32_t Count = 0;
  /// Pointers that only the body has, and needs before it.
  SmallVector<SplitPointer, 2> NewPointers;
  /// The instructions of an iteration.
  SmallVector<MachineInstr *, 16> Body;
  /// The register for the test of a count of one, if there is a free one.
  MCRegister TestRegister;
  std::optional<FusedAccess> Fused;

  /// A loop that `rpt` can do, or none.
  static std::optional<CountedBlock> analyze(MachineLoop &L,
                                             const IPUInstrInfo &TII);

  /// Returns whether the count is known to have no more bits than `rpt` counts.
  bool fits() const;

  /// Returns whether a register has no value around the loop, and a callee need
  /// not keep it.
  bool isFree(MCRegister Reg) const;
  /// Returns whether the loop has a register as an operand.
  bool isUsed(MCRegister Reg) const;
  /// A register of the main file that has nothing to do with the loop, or none.
  MCRegister freeRegister() const;
};

} // namespace llvm

#endif
