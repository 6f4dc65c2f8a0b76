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

} // namespace llvm

#endif
