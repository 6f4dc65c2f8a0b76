// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stack frame: it grows down, $sp is 8-byte aligned, incoming stack
// arguments begin at the $sp of entry. A worker's entry point makes its stack
// itself, below $mworker_base.

#ifndef POPULUS_LIB_TARGET_IPU_IPUFRAMELOWERING_H
#define POPULUS_LIB_TARGET_IPU_IPUFRAMELOWERING_H

#include "llvm/CodeGen/TargetFrameLowering.h"

namespace llvm {

class IPUFrameLowering : public TargetFrameLowering {
public:
  IPUFrameLowering()
      : TargetFrameLowering(StackGrowsDown, Align(8), /*LocalAreaOffset=*/0,
                            Align(8)) {}

  void emitPrologue(MachineFunction &MF, MachineBasicBlock &MBB) const override;
  void emitEpilogue(MachineFunction &MF, MachineBasicBlock &MBB) const override;
  StackOffset getFrameIndexReference(const MachineFunction &MF, int FI,
                                     Register &FrameReg) const override;
  bool hasFP(const MachineFunction &MF) const override;
  bool hasReservedCallFrame(const MachineFunction &MF) const override;
  MachineBasicBlock::iterator
  eliminateCallFramePseudoInstr(MachineFunction &MF, MachineBasicBlock &MBB,
                                MachineBasicBlock::iterator I) const override;
  void determineCalleeSaves(MachineFunction &MF, BitVector &SavedRegs,
                            RegScavenger *RS) const override;
  void processFunctionBeforeFrameFinalized(MachineFunction &MF,
                                           RegScavenger *RS) const override;
};

} // namespace llvm

#endif
