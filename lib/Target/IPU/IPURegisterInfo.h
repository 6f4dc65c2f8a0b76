// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers as the code generator sees them: which are reserved, which a callee
// saves, and how a stack slot becomes an address.

#ifndef POPULUS_LIB_TARGET_IPU_IPUREGISTERINFO_H
#define POPULUS_LIB_TARGET_IPU_IPUREGISTERINFO_H

#include "llvm/CodeGen/TargetRegisterInfo.h"

#define GET_REGINFO_HEADER
#include "lib/Target/IPU/IPUGenRegisterInfo.inc"

namespace llvm {

class IPURegisterInfo : public IPUGenRegisterInfo {
public:
  IPURegisterInfo();

  const MCPhysReg *getCalleeSavedRegs(const MachineFunction *MF) const override;
  const uint32_t *getCallPreservedMask(const MachineFunction &MF,
                                       CallingConv::ID CC) const override;
  BitVector getReservedRegs(const MachineFunction &MF) const override;
  bool requiresRegisterScavenging(const MachineFunction &) const override {
    return true;
  }
  bool requiresFrameIndexScavenging(const MachineFunction &) const override {
    return true;
  }
  bool eliminateFrameIndex(MachineBasicBlock::iterator MI, int SPAdj,
                           unsigned FIOperandNum,
                           RegScavenger *RS) const override;
  Register getFrameRegister(const MachineFunction &MF) const override;
  StringRef getRegAsmName(MCRegister Reg) const override;
};

} // namespace llvm

#endif
