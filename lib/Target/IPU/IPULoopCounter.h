// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The register that counts a loop down to zero, and the loops that end in
// `brnzdec`, which tests and subtracts at once.

#ifndef POPULUS_LIB_TARGET_IPU_IPULOOPCOUNTER_H
#define POPULUS_LIB_TARGET_IPU_IPULOOPCOUNTER_H

#include "llvm/CodeGen/MachineBasicBlock.h"

namespace llvm {

class IPUInstrInfo;
class MachineLoop;
class TargetRegisterInfo;

const TargetRegisterInfo *registersOf(const MachineBasicBlock &MBB);
bool isLiveInto(const MachineBasicBlock &MBB, Register Reg);
/// Returns whether an instruction reads or changes a register.
bool touches(const MachineInstr &MI, Register Reg);

/// The decrement that a latch's branch tests, or null.
MachineInstr *findDecrement(MachineBasicBlock &Latch, Register Counter);
/// Returns whether only the two read the counter, in the loop or after it.
bool onlyCounts(const MachineLoop &L, const MachineInstr &Decrement,
                const MachineInstr &Branch);
/// Adds to a register at the end of a block; what set it takes it over if that
/// is simple.
void addToCounter(MachineBasicBlock &MBB, Register Counter, int Value,
                  const IPUInstrInfo &TII);

/// The only block before a loop of one block, or null.
MachineBasicBlock *onlyEntry(const MachineBasicBlock &Loop);
/// Returns the block for instructions that run once before the loop.
MachineBasicBlock &blockBefore(MachineBasicBlock &Loop);

/// Gives a loop `brnzdec`, if it counts a register down.
void useDecrementingBranch(MachineLoop &L, const IPUInstrInfo &TII);

} // namespace llvm

#endif
