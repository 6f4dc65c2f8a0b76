// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of 64 bits in a loop that one instruction does: two loads
// (`ld2x64pace`), a load and the store of an earlier iteration (`ldst64pace`),
// or two loads and such a store (`ld2xst64pace`). Their pointers are packed
// into a pair of registers.

#ifndef POPULUS_LIB_TARGET_IPU_IPUFUSEDACCESS_H
#define POPULUS_LIB_TARGET_IPU_IPUFUSEDACCESS_H

#include "lib/Target/IPU/IPUModuloScheduler.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGen/MachineInstr.h"

namespace llvm {

class IPUInstrInfo;

class FusedAccess {
  const IPUInstrInfo *TII;
  MachineInstr *Load, *OtherLoad, *Store;
  /// Of the main file, for the packed pointers.
  MCRegister Pair;

public:
  /// Of a body whose registers are decided.
  FusedAccess(ArrayRef<MachineInstr *> Body, const IPUFusion &Fusion,
              MCRegister Pair, const IPUInstrInfo &TII);

  /// Those of a body that may be fused, the most useful first. IsDead says of a
  /// pointer that nothing but the loop needs it.
  static SmallVector<IPUFusion, 8>
  candidates(ArrayRef<MachineInstr *> Body, const IPUInstrInfo &TII,
             function_ref<bool(Register)> IsDead);

  /// A pair of registers for the packed pointers: free ones, or the pointers'
  /// own; or none.
  static MCRegister findPair(ArrayRef<MachineInstr *> Body,
                             const IPUFusion &Fusion, const IPUInstrInfo &TII,
                             function_ref<bool(MCRegister)> IsFree);

  bool isStore() const { return Store; }

  /// Packs the pointers as they are at that place.
  void pack(MachineBasicBlock &MBB, MachineBasicBlock::iterator Before) const;
  /// Instructions that are not in a block yet: all accesses, and the store
  /// alone.
  MachineInstr *createAll() const;
  MachineInstr *createStore() const;
};

} // namespace llvm

#endif
