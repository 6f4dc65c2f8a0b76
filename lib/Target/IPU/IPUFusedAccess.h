// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two accesses of 64 bits in a loop that one instruction does: two loads
// (`ld2x64pace`), or a load and the store of an earlier iteration
// (`ldst64pace`). Their pointers are packed into a pair of registers.

#ifndef POPULUS_LIB_TARGET_IPU_IPUFUSEDACCESS_H
#define POPULUS_LIB_TARGET_IPU_IPUFUSEDACCESS_H

#include "lib/Target/IPU/IPUModuloScheduler.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGen/MachineInstr.h"

namespace llvm {

class IPUInstrInfo;

class FusedAccess {
  const IPUInstrInfo *TII;
  MachineInstr *First, *Second;
  /// Of the main file, for the packed pointers.
  MCRegister Pair;

public:
  FusedAccess(MachineInstr &First, MachineInstr &Second, MCRegister Pair,
              const IPUInstrInfo &TII)
      : TII(&TII), First(&First), Second(&Second), Pair(Pair) {}

  /// Those of a body that may be fused, the most useful first. IsDead says of a
  /// pointer that nothing but the loop needs it.
  static SmallVector<IPUFusion, 4>
  candidates(ArrayRef<MachineInstr *> Body, const IPUInstrInfo &TII,
             function_ref<bool(Register)> IsDead);

  /// A pair of registers for the packed pointers: free ones, or the pointers'
  /// own; or none.
  static MCRegister findPair(const MachineInstr &First,
                             const MachineInstr &Second,
                             const IPUInstrInfo &TII,
                             function_ref<bool(MCRegister)> IsFree);

  bool isStore() const { return Second->mayStore(); }

  /// Packs the pointers as they are at that place.
  void pack(MachineBasicBlock &MBB, MachineBasicBlock::iterator Before) const;
  /// Instructions that are not in a block yet: both accesses, and the store
  /// alone.
  MachineInstr *createBoth() const;
  MachineInstr *createStore() const;
};

} // namespace llvm

#endif
