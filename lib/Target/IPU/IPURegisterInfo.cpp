// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stack slots: an access takes the slot's offset as its scaled immediate, an
// address calculation as a 16-bit addend; offsets that fit neither go through a
// register.

#include "lib/Target/IPU/IPURegisterInfo.h"
#include "lib/Target/IPU/IPU.h"
#include "lib/Target/IPU/IPUFrameLowering.h"
#include "lib/Target/IPU/IPUInstrInfo.h"
#include "lib/Target/IPU/IPUMachineFunctionInfo.h"
#include "lib/Target/IPU/IPUSubtarget.h"
#include "lib/Target/IPU/MCTargetDesc/IPUInstPrinter.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/RegisterScavenging.h"

using namespace llvm;

#define GET_REGINFO_TARGET_DESC
#include "lib/Target/IPU/IPUGenRegisterInfo.inc"

IPURegisterInfo::IPURegisterInfo() : IPUGenRegisterInfo(/*RA=*/IPU::M10) {}

const MCPhysReg *
IPURegisterInfo::getCalleeSavedRegs(const MachineFunction *MF) const {
  if (MF->getInfo<IPUMachineFunctionInfo>()->isEntry())
    return CSR_Entry_SaveList;
  return MF->getSubtarget<IPUSubtarget>().isSupervisor()
             ? CSR_Supervisor_SaveList
             : CSR_Worker_SaveList;
}

// The registers that a call keeps are the same for entry points and other
// callers. $lr is written by the call itself.
const uint32_t *IPURegisterInfo::getCallPreservedMask(const MachineFunction &MF,
                                                      CallingConv::ID) const {
  return MF.getSubtarget<IPUSubtarget>().isSupervisor() ? CSR_Supervisor_RegMask
                                                        : CSR_Worker_RegMask;
}

BitVector IPURegisterInfo::getReservedRegs(const MachineFunction &MF) const {
  BitVector Reserved(getNumRegs());
  for (MCPhysReg Reg : {IPU::M11, IPU::M12, IPU::M13, IPU::M14, IPU::M15,
                        IPU::A8, IPU::A9, IPU::A10, IPU::A11, IPU::A12,
                        IPU::A13, IPU::A14, IPU::A15, IPU::AACC, IPU::TAS})
    markSuperRegs(Reserved, Reg);
  if (getFrameLowering(MF)->hasFP(MF))
    markSuperRegs(Reserved, IPU::M9);
  return Reserved;
}

Register IPURegisterInfo::getFrameRegister(const MachineFunction &MF) const {
  return getFrameLowering(MF)->hasFP(MF) ? IPU::M9 : IPU::M11;
}

// Returns the name of a register in inline assembly; a register without such a
// name would not be known as clobbered.
StringRef IPURegisterInfo::getRegAsmName(MCRegister Reg) const {
  return IPUInstPrinter::getRegisterName(Reg);
}

bool IPURegisterInfo::eliminateFrameIndex(MachineBasicBlock::iterator II,
                                          int SPAdj, unsigned FIOperandNum,
                                          RegScavenger *) const {
  MachineInstr &MI = *II;
  MachineBasicBlock &MBB = *MI.getParent();
  MachineFunction &MF = *MBB.getParent();
  const auto &TII = *MF.getSubtarget<IPUSubtarget>().getInstrInfo();
  const DebugLoc &DL = MI.getDebugLoc();

  Register Base;
  int64_t Offset = getFrameLowering(MF)
                       ->getFrameIndexReference(
                           MF, MI.getOperand(FIOperandNum).getIndex(), Base)
                       .getFixed() +
                   SPAdj;
  MI.getOperand(FIOperandNum).ChangeToRegister(Base, /*isDef=*/false);

  // A debug value's offset is folded into its expression by the caller.
  if (MI.isDebugValue())
    report_fatal_error("debug values are handled by the prologue inserter");

  // Address: add $d, base, imm.
  if (MI.getOpcode() == IPU::ADD_rs) {
    Offset += MI.getOperand(FIOperandNum + 1).getImm();
    if (isInt<16>(Offset)) {
      MI.getOperand(FIOperandNum + 1).setImm(Offset);
      return false;
    }
    MachineRegisterInfo &MRI = MF.getRegInfo();
    Register Addend = MRI.createVirtualRegister(&IPU::MRRegClass);
    TII.loadConstant(MBB, II, DL, Addend, Offset);
    BuildMI(MBB, II, DL, TII.get(IPU::ADD_rr), MI.getOperand(0).getReg())
        .addReg(Base)
        .addReg(Addend, RegState::Kill);
    MI.eraseFromParent();
    return true;
  }

  // Access: base, delta, imm scaled by the access size.
  unsigned Scale = TII.memoryScale(MI.getOpcode());
  if (!Scale)
    report_fatal_error("stack slot in an instruction that is not an access: " +
                       TII.getName(MI.getOpcode()));
  Offset += MI.getOperand(FIOperandNum + 2).getImm() * int64_t(Scale);
  // An access without a stepping form becomes two accesses.
  int64_t Following = TII.steppingForm(MI.getOpcode()) ? 0 : 1;
  if (Offset >= 0 && Offset % Scale == 0 &&
      isUInt<12>(Offset / Scale + Following)) {
    MI.getOperand(FIOperandNum + 2).setImm(Offset / Scale);
    return false;
  }
  Register Addend = MF.getRegInfo().createVirtualRegister(&IPU::MRRegClass);
  MachineOperand &Delta = MI.getOperand(FIOperandNum + 1);
  if (Delta.getReg() != IPU::M15) {
    Register Sum = MF.getRegInfo().createVirtualRegister(&IPU::MRRegClass);
    TII.loadConstant(MBB, II, DL, Addend, Offset);
    BuildMI(MBB, II, DL, TII.get(IPU::ADD_rr), Sum)
        .addReg(Delta.getReg(), getKillRegState(Delta.isKill()))
        .addReg(Addend, RegState::Kill);
    Addend = Sum;
  } else {
    TII.loadConstant(MBB, II, DL, Addend, Offset);
  }
  Delta.ChangeToRegister(Addend, /*isDef=*/false, false, /*isKill=*/true);
  MI.getOperand(FIOperandNum + 2).setImm(0);
  return false;
}
