// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spreads the short-lived values of a loop's body over all registers that are
// free there, so that iterations can overlap.

#ifndef POPULUS_LIB_TARGET_IPU_IPULOCALREGISTERS_H
#define POPULUS_LIB_TARGET_IPU_IPULOCALREGISTERS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/CodeGen/MachineInstr.h"

namespace llvm {

/// Gives the values that live within one run of Body other registers of their
/// classes. Those for which IsFree says that they have no value around the loop
/// may be used besides the ones that the values have now.
void spreadLocalValues(ArrayRef<MachineInstr *> Body,
                       function_ref<bool(MCRegister)> IsFree);

} // namespace llvm

#endif
