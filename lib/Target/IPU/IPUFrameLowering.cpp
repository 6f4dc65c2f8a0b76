// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prologue and epilogue. The frame is allocated by one addition; callee-saved
// registers are ordinary slots that the generic code stores and reloads. With
// variable-sized objects $m9 keeps the value of $sp after the allocation.

#include "lib/Target/IPU/IPUFrameLowering.h"
#include "lib/Target/IPU/IPU.h"
#include "lib/Target/IPU/IPUInstrInfo.h"
#include "lib/Target/IPU/IPUMachineFunctionInfo.h"
#include "lib/Target/IPU/IPUSubtarget.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/RegisterScavenging.h"
#include "llvm/MC/MCDwarf.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

static const Register SP = IPU::M11;
static const Register FP = IPU::M9;
static const Register WorkerBase = IPU::M12;

bool IPUFrameLowering::hasFP(const MachineFunction &MF) const {
  const MachineFrameInfo &MFI = MF.getFrameInfo();
  return MF.getTarget().Options.DisableFramePointerElim(MF) ||
         MFI.hasVarSizedObjects() || MFI.isFrameAddressTaken();
}

bool IPUFrameLowering::hasReservedCallFrame(const MachineFunction &MF) const {
  return !MF.getFrameInfo().hasVarSizedObjects();
}

// Callee-saved registers, among them the frame pointer itself, are saved and
// reloaded while $sp is at the end of the frame.
StackOffset IPUFrameLowering::getFrameIndexReference(const MachineFunction &MF,
                                                     int FI,
                                                     Register &FrameReg) const {
  const MachineFrameInfo &MFI = MF.getFrameInfo();
  bool IsCalleeSaved =
      any_of(MFI.getCalleeSavedInfo(), [&](const CalleeSavedInfo &CSI) {
        return CSI.getFrameIdx() == FI;
      });
  FrameReg = hasFP(MF) && !IsCalleeSaved ? FP : SP;
  return StackOffset::getFixed(MFI.getObjectOffset(FI) + MFI.getStackSize());
}

static void addToRegister(MachineBasicBlock &MBB, MachineBasicBlock::iterator I,
                          const DebugLoc &DL, Register Dest, Register Src,
                          int64_t Amount, MachineInstr::MIFlag Flag) {
  const auto &TII =
      *MBB.getParent()->getSubtarget<IPUSubtarget>().getInstrInfo();
  if (Amount == 0 && Dest == Src)
    return;
  if (isInt<16>(Amount)) {
    BuildMI(MBB, I, DL, TII.get(IPU::ADD_rs), Dest)
        .addReg(Src)
        .addImm(Amount)
        .setMIFlag(Flag);
    return;
  }
  // Big frames: $m6 is free in prologues and epilogues, for it carries neither
  // arguments nor results and is not saved.
  TII.loadConstant(MBB, I, DL, IPU::M6, Amount);
  BuildMI(MBB, I, DL, TII.get(IPU::ADD_rr), Dest)
      .addReg(Src)
      .addReg(IPU::M6, RegState::Kill)
      .setMIFlag(Flag);
}

static void emitCFI(MachineBasicBlock &MBB, MachineBasicBlock::iterator I,
                    const DebugLoc &DL, const MCCFIInstruction &CFI) {
  MachineFunction &MF = *MBB.getParent();
  const auto &TII = *MF.getSubtarget<IPUSubtarget>().getInstrInfo();
  unsigned Index = MF.addFrameInst(CFI);
  BuildMI(MBB, I, DL, TII.get(TargetOpcode::CFI_INSTRUCTION))
      .addCFIIndex(Index)
      .setMIFlag(MachineInstr::FrameSetup);
}

void IPUFrameLowering::emitPrologue(MachineFunction &MF,
                                    MachineBasicBlock &MBB) const {
  MachineFrameInfo &MFI = MF.getFrameInfo();
  const auto &Info = *MF.getInfo<IPUMachineFunctionInfo>();
  const auto &TRI = *MF.getSubtarget<IPUSubtarget>().getRegisterInfo();
  MachineBasicBlock::iterator I = MBB.begin();
  DebugLoc DL;

  int64_t Size = alignTo(MFI.getStackSize(), getStackAlign());
  MFI.setStackSize(Size);

  if (Info.isEntry()) {
    bool NeedsStack =
        Size || MFI.hasCalls() || MFI.hasVarSizedObjects() || hasFP(MF);
    if (!NeedsStack)
      return;
    addToRegister(MBB, I, DL, SP, WorkerBase, -Size, MachineInstr::FrameSetup);
    if (hasFP(MF))
      addToRegister(MBB, I, DL, FP, SP, 0, MachineInstr::FrameSetup);
    return;
  }

  addToRegister(MBB, I, DL, SP, SP, -Size, MachineInstr::FrameSetup);
  bool NeedsCFI = MF.needsFrameMoves();
  if (NeedsCFI && Size)
    emitCFI(MBB, I, DL, MCCFIInstruction::cfiDefCfaOffset(nullptr, Size));

  // The saving stores follow.
  std::advance(I, MFI.getCalleeSavedInfo().size());
  if (NeedsCFI)
    for (const CalleeSavedInfo &CSI : MFI.getCalleeSavedInfo())
      emitCFI(MBB, I, DL,
              MCCFIInstruction::createOffset(
                  nullptr, TRI.getDwarfRegNum(CSI.getReg(), true),
                  MFI.getObjectOffset(CSI.getFrameIdx())));
  if (hasFP(MF)) {
    addToRegister(MBB, I, DL, FP, SP, 0, MachineInstr::FrameSetup);
    if (NeedsCFI)
      emitCFI(MBB, I, DL,
              MCCFIInstruction::createDefCfaRegister(
                  nullptr, TRI.getDwarfRegNum(FP, true)));
  }
}

void IPUFrameLowering::emitEpilogue(MachineFunction &MF,
                                    MachineBasicBlock &MBB) const {
  const MachineFrameInfo &MFI = MF.getFrameInfo();
  if (MF.getInfo<IPUMachineFunctionInfo>()->isEntry())
    return;
  MachineBasicBlock::iterator I = MBB.getFirstTerminator();
  DebugLoc DL = I != MBB.end() ? I->getDebugLoc() : DebugLoc();
  // Reloads of callee-saved registers address the frame through $sp.
  if (hasFP(MF)) {
    MachineBasicBlock::iterator First = I;
    for (size_t N = MFI.getCalleeSavedInfo().size(); N; --N)
      --First;
    addToRegister(MBB, First, DL, SP, FP, 0, MachineInstr::FrameDestroy);
  }
  addToRegister(MBB, I, DL, SP, SP, MFI.getStackSize(),
                MachineInstr::FrameDestroy);
}

MachineBasicBlock::iterator IPUFrameLowering::eliminateCallFramePseudoInstr(
    MachineFunction &MF, MachineBasicBlock &MBB,
    MachineBasicBlock::iterator I) const {
  if (!hasReservedCallFrame(MF)) {
    const auto &TII = *MF.getSubtarget<IPUSubtarget>().getInstrInfo();
    int64_t Amount = alignTo(TII.getFrameSize(*I), getStackAlign());
    if (I->getOpcode() == TII.getCallFrameSetupOpcode())
      Amount = -Amount;
    addToRegister(MBB, I, I->getDebugLoc(), SP, SP, Amount,
                  MachineInstr::NoFlags);
  }
  return MBB.erase(I);
}

void IPUFrameLowering::determineCalleeSaves(MachineFunction &MF,
                                            BitVector &SavedRegs,
                                            RegScavenger *RS) const {
  TargetFrameLowering::determineCalleeSaves(MF, SavedRegs, RS);
  if (MF.getInfo<IPUMachineFunctionInfo>()->isEntry())
    return;
  if (hasFP(MF))
    SavedRegs.set(FP);
}

// A slot beyond the reach of an immediate needs a register, which may have to
// be freed first.
void IPUFrameLowering::processFunctionBeforeFrameFinalized(
    MachineFunction &MF, RegScavenger *RS) const {
  MachineFrameInfo &MFI = MF.getFrameInfo();
  if (!RS || MFI.estimateStackSize(MF) < 4000)
    return;
  const TargetRegisterClass &RC = IPU::MRRegClass;
  const auto &TRI = *MF.getSubtarget<IPUSubtarget>().getRegisterInfo();
  for (int I = 0; I < 2; ++I)
    RS->addScavengingFrameIndex(MFI.CreateStackObject(
        TRI.getSpillSize(RC), TRI.getSpillAlign(RC), /*isSpillSlot=*/false));
}
