// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One issue slot of a worker, and how it becomes machine code.

#ifndef POPULUS_LIB_TARGET_IPU_IPUBUNDLE_H
#define POPULUS_LIB_TARGET_IPU_IPUBUNDLE_H

#include "llvm/CodeGen/MachineBasicBlock.h"

namespace llvm {

/// A main and an auxiliary instruction that issue together; a half may be
/// missing.
struct IPUSlot {
  MachineInstr *Main = nullptr;
  MachineInstr *Aux = nullptr;
};

/// Ties two neighbouring instructions, the auxiliary one behind the main one,
/// to a bundle whose halves both read before either writes.
void makeIPUBundle(MachineInstr &Main, MachineInstr &Aux);

} // namespace llvm

#endif
