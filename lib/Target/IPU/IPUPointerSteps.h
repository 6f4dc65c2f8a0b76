// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a loop's body, accesses that move their pointer to the place of the next
// access, so that no addition is needed at the end.

#ifndef POPULUS_LIB_TARGET_IPU_IPUPOINTERSTEPS_H
#define POPULUS_LIB_TARGET_IPU_IPUPOINTERSTEPS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGen/MachineInstr.h"

namespace llvm {

class IPUInstrInfo;

/// Replaces additions to pointers, which leave the body, by steps of the
/// accesses that use them. Returns whether there were any.
bool stepPointers(SmallVectorImpl<MachineInstr *> &Body,
                  const IPUInstrInfo &TII);

/// A register for a stride: to be set to the bytes that another one holds,
/// shifted right, before the loop.
struct ScaledStride {
  Register Own, Bytes;
  unsigned Shift;
};

/// Does the same for additions of registers that do not change. FreeRegister
/// returns a register for a stride, or none. IsDead says whether a pointer is
/// needed by the loop only.
SmallVector<ScaledStride, 2>
stridePointers(SmallVectorImpl<MachineInstr *> &Body, const IPUInstrInfo &TII,
               function_ref<MCRegister()> FreeRegister,
               function_ref<bool(Register)> IsDead);

} // namespace llvm

#endif
