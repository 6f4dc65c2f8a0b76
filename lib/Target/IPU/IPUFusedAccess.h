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
class MachineInstrBuilder;

/// Registers of the main file: a pair for the packed pointers, and a register
/// for the strides if one pointer moves by another distance than the size of
/// its access. The pair is missing if there were not enough registers.
struct FusedRegisters {
  MCRegister Pair, Strides;
};

class FusedAccess {
  const IPUInstrInfo *TII;
  MachineInstr *Load, *OtherLoad, *Store;
  FusedRegisters Registers;
  /// The strides other than the size of the access, each once.
  SmallVector<int64_t, 3> Strides;

public:
  /// Takes a body whose registers are allocated.
  FusedAccess(ArrayRef<MachineInstr *> Body, const IPUFusion &Fusion,
              FusedRegisters Registers, const IPUInstrInfo &TII);

  /// Returns the accesses of a body that may be fused, the most useful first.
  /// IsDead says whether a pointer is needed by the loop only.
  static SmallVector<IPUFusion, 8>
  candidates(ArrayRef<MachineInstr *> Body, const IPUInstrInfo &TII,
             function_ref<bool(Register)> IsDead);

  /// Registers that are free, or for the pair the pointers' own.
  static FusedRegisters findRegisters(ArrayRef<MachineInstr *> Body,
                                      const IPUFusion &Fusion,
                                      const IPUInstrInfo &TII,
                                      function_ref<bool(MCRegister)> IsFree);

  bool isStore() const { return Store; }

  /// Packs the pointers as they are at that place.
  void pack(MachineBasicBlock &MBB, MachineBasicBlock::iterator Before) const;
  /// Instructions that are not in a block yet: all accesses, and the store
  /// alone.
  MachineInstr *createAll() const;
  MachineInstr *createStore() const;

private:
  SmallVector<const MachineInstr *, 3> accesses() const;
  const MachineInstrBuilder &
  addPacked(const MachineInstrBuilder &MIB,
            ArrayRef<const MachineInstr *> Moving) const;
};

} // namespace llvm

#endif
