// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A body may have everything but control flow, calls, and instructions that
// must stand alone. The number of iterations is known if the block before sets
// the counter to a constant.

#include "lib/Target/IPU/IPUCountedBlock.h"
#include "lib/Target/IPU/IPUInstrInfo.h"
#include "lib/Target/IPU/IPULoopCounter.h"
#include "lib/Target/IPU/IPUMachineFunctionInfo.h"
#include "lib/Target/IPU/IPUSubtarget.h"
#include "lib/Target/IPU/MCTargetDesc/IPUBaseInfo.h"
#include "lib/Target/IPU/MCTargetDesc/IPUMCTargetDesc.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"

using namespace llvm;

// Longer bodies gain little: what `rpt` saves is one slot an iteration.
static constexpr unsigned MaxBody = 64;

//===----------------------------------------------------------------------===//
// Loops that `rpt` can execute
//===----------------------------------------------------------------------===//

/// The number of iterations, if the block before the loop says it.
static uint32_t constantCount(const CountedBlock &L) {
  MachineBasicBlock *Entry = onlyEntry(*L.Block);
  if (!Entry)
    return 0;
  for (MachineInstr &MI : reverse(*Entry))
    if (!MI.isDebugInstr() &&
        MI.modifiesRegister(L.Counter, registersOf(*L.Block)))
      return MI.getOpcode() == IPU::SETZI_m && MI.getOperand(1).isImm()
                 ? MI.getOperand(1).getImm()
                 : 0;
  return 0;
}

static bool mayRepeat(const MachineInstr &MI) {
  const MCInstrDesc &Desc = MI.getDesc();
  return !MI.isPseudo() && !MI.isInlineAsm() && !MI.isCall() &&
         !MI.isTerminator() && !MI.isPosition() && !IPUII::isControl(Desc) &&
         !IPUII::isSystem(Desc) && !IPUII::noBundle(Desc);
}

/// A register that is written in parts is also named as a whole then. The parts
/// tell all there is to know, and do not depend on each other.
static void dropWholes(MachineInstr &MI, const TargetRegisterInfo &TRI) {
  for (unsigned I = MI.getNumOperands(); I-- != MI.getNumExplicitOperands();) {
    const MachineOperand &Whole = MI.getOperand(I);
    if (Whole.isReg() && Whole.isImplicit() &&
        any_of(MI.defs(), [&](const MachineOperand &Part) {
          return TRI.isSubRegister(Whole.getReg(), Part.getReg());
        }))
      MI.removeOperand(I);
  }
}

std::optional<CountedBlock> CountedBlock::analyze(MachineLoop &L,
                                                  const IPUInstrInfo &TII) {
  if (L.getNumBlocks() != 1)
    return std::nullopt;
  CountedBlock Result;
  MachineBasicBlock &MBB = *L.getHeader();
  Result.Block = &MBB;
  MachineBasicBlock *Taken, *Else;
  SmallVector<MachineOperand, 2> Cond;
  if (TII.analyzeBranch(MBB, Taken, Else, Cond, /*AllowModify=*/false) ||
      Cond.empty() || Taken != &MBB || Cond[0].getImm() != IPU::BRNZ)
    return std::nullopt;
  for (MachineBasicBlock *Succ : MBB.successors())
    if (Succ != &MBB)
      Result.Exit = Succ;
  Result.Branch = &*MBB.getFirstTerminator();
  Result.Counter = Cond[1].getReg();
  Result.Decrement = findDecrement(MBB, Result.Counter);
  if (!Result.Exit || !Result.Decrement ||
      !onlyCounts(L, *Result.Decrement, *Result.Branch))
    return std::nullopt;
  if (Result.Decrement->getOpcode() == IPU::LOOP_DEC)
    Result.Bound = Result.Decrement->getOperand(2).getImm();

  for (MachineInstr &MI : make_range(MBB.begin(), MBB.getFirstTerminator())) {
    if (&MI == Result.Decrement || MI.isDebugInstr() || MI.isKill())
      continue;
    if (!mayRepeat(MI))
      return std::nullopt;
    Result.Body.push_back(&MI);
  }
  if (Result.Body.empty() || Result.Body.size() > MaxBody)
    return std::nullopt;
  for (MachineInstr *MI : Result.Body)
    dropWholes(*MI, TII.getRegisterInfo());
  Result.Count = constantCount(Result);
  return Result;
}

bool CountedBlock::fits() const {
  const auto &ST = Block->getParent()->getSubtarget<IPUSubtarget>();
  const uint32_t Most = (1u << ST.repeatBits()) - 1;
  return Count ? Count <= Most : Bound != LoopBound::Unknown && Bound <= Most;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

bool CountedBlock::isFree(MCRegister Reg) const {
  const MachineFunction *MF = Block->getParent();
  const TargetRegisterInfo *TRI = registersOf(*Block);
  if (isLiveInto(*Block, Reg) || isLiveInto(*Exit, Reg) ||
      MF->getRegInfo().isReserved(Reg))
    return false;
  if (MF->getInfo<IPUMachineFunctionInfo>()->isEntry() || isUsed(Reg) ||
      any_of(
          MF->getFrameInfo().getCalleeSavedInfo(),
          [&](const CalleeSavedInfo &Saved) { return Saved.getReg() == Reg; }))
    return true;
  for (const MCPhysReg *Kept = TRI->getCalleeSavedRegs(MF); *Kept; ++Kept)
    if (TRI->regsOverlap(*Kept, Reg))
      return false;
  return Reg != IPU::M10;
}

bool CountedBlock::isUsed(MCRegister Reg) const {
  auto Touches = [&](const MachineInstr &MI) { return touches(MI, Reg); };
  return any_of(*Block, Touches) ||
         any_of(Body, [&](const MachineInstr *MI) { return Touches(*MI); });
}

MCRegister CountedBlock::freeRegister() const {
  for (MCRegister Reg : IPU::MRRegClass)
    if (isFree(Reg) && !isUsed(Reg))
      return Reg;
  return MCRegister();
}
