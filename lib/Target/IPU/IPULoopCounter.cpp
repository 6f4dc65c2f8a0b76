// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A counter is only found where it is as simple as instruction selection and
// strength reduction make it: one subtraction of one, and the branch on it.
//
// `brnzdec` tests before it subtracts, so the register starts one lower.

#include "lib/Target/IPU/IPULoopCounter.h"
#include "lib/Target/IPU/IPUInstrInfo.h"
#include "lib/Target/IPU/MCTargetDesc/IPUMCTargetDesc.h"
#include "llvm/CodeGen/LivePhysRegs.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

const TargetRegisterInfo *llvm::registersOf(const MachineBasicBlock &MBB) {
  return MBB.getParent()->getSubtarget().getRegisterInfo();
}

//===----------------------------------------------------------------------===//
// Counting registers
//===----------------------------------------------------------------------===//

bool llvm::isLiveInto(const MachineBasicBlock &MBB, Register Reg) {
  const TargetRegisterInfo *TRI = registersOf(MBB);
  return any_of(MBB.liveins(), [&](const auto &LiveIn) {
    return TRI->regsOverlap(LiveIn.PhysReg, Reg);
  });
}

bool llvm::touches(const MachineInstr &MI, Register Reg) {
  const TargetRegisterInfo *TRI = registersOf(*MI.getParent());
  return MI.readsRegister(Reg, TRI) || MI.modifiesRegister(Reg, TRI);
}

/// An instruction that subtracts one from a register, or null.
static Register decremented(const MachineInstr &MI) {
  if (MI.getOpcode() == IPU::LOOP_DEC ||
      (MI.getOpcode() == IPU::ADD_rs && MI.getOperand(1).isReg() &&
       MI.getOperand(2).isImm() && MI.getOperand(2).getImm() == -1))
    if (MI.getOperand(0).getReg() == MI.getOperand(1).getReg())
      return MI.getOperand(0).getReg();
  return Register();
}

MachineInstr *llvm::findDecrement(MachineBasicBlock &Latch, Register Counter) {
  for (MachineInstr &MI :
       reverse(make_range(Latch.begin(), Latch.getFirstTerminator())))
    if (!MI.isDebugInstr() && touches(MI, Counter))
      return decremented(MI) == Counter ? &MI : nullptr;
  return nullptr;
}

bool llvm::onlyCounts(const MachineLoop &L, const MachineInstr &Decrement,
                      const MachineInstr &Branch) {
  Register Counter = Decrement.getOperand(0).getReg();
  for (MachineBasicBlock *MBB : L.blocks()) {
    for (MachineInstr &MI : *MBB)
      if (!MI.isDebugInstr() && &MI != &Decrement && &MI != &Branch &&
          touches(MI, Counter))
        return false;
    for (MachineBasicBlock *Succ : MBB->successors())
      if (!L.contains(Succ) && isLiveInto(*Succ, Counter))
        return false;
  }
  return true;
}

void llvm::addToCounter(MachineBasicBlock &MBB, Register Counter, int Value,
                        const IPUInstrInfo &TII) {
  MachineBasicBlock::iterator End = MBB.getFirstTerminator();
  for (MachineInstr &MI : reverse(make_range(MBB.begin(), End))) {
    if (MI.isDebugInstr() || !touches(MI, Counter))
      continue;
    bool ReadsIt = MI.readsRegister(Counter, registersOf(MBB));
    if (MI.getOpcode() == IPU::SETZI_m && MI.getOperand(1).isImm() &&
        MI.getOperand(1).getImm() >= -Value) {
      MI.getOperand(1).setImm(MI.getOperand(1).getImm() + Value);
      return;
    }
    if (MI.getOpcode() == IPU::OR_m_rz && !ReadsIt &&
        MI.getOperand(2).getImm() == 0) {
      MI.setDesc(TII.get(IPU::ADD_rs));
      MI.getOperand(2).setImm(Value);
      return;
    }
    if (MI.getOpcode() == IPU::ADD_rs && MI.getOperand(0).getReg() == Counter &&
        isInt<16>(MI.getOperand(2).getImm() + Value)) {
      MI.getOperand(2).setImm(MI.getOperand(2).getImm() + Value);
      return;
    }
    break;
  }
  BuildMI(MBB, End, DebugLoc(), TII.get(IPU::ADD_rs), Counter)
      .addReg(Counter)
      .addImm(Value);
}

//===----------------------------------------------------------------------===//
// Blocks before a loop
//===----------------------------------------------------------------------===//

MachineBasicBlock *llvm::onlyEntry(const MachineBasicBlock &MBB) {
  MachineBasicBlock *Entry = nullptr;
  for (MachineBasicBlock *Pred : MBB.predecessors())
    if (Pred != &MBB) {
      if (Entry)
        return nullptr;
      Entry = Pred;
    }
  return Entry;
}

MachineBasicBlock &llvm::blockBefore(MachineBasicBlock &Loop) {
  if (MachineBasicBlock *Entry = onlyEntry(Loop))
    if (Entry->succ_size() == 1)
      return *Entry;
  MachineFunction *MF = Loop.getParent();
  MachineBasicBlock *Before = MF->CreateMachineBasicBlock(Loop.getBasicBlock());
  MF->insert(Loop.getIterator(), Before);
  SmallVector<MachineBasicBlock *, 4> Entries;
  for (MachineBasicBlock *Pred : Loop.predecessors())
    if (Pred != &Loop)
      Entries.push_back(Pred);
  for (MachineBasicBlock *Entry : Entries)
    Entry->ReplaceUsesOfBlockWith(&Loop, Before);
  Before->addSuccessor(&Loop);
  return *Before;
}

//===----------------------------------------------------------------------===//
// brnzdec
//===----------------------------------------------------------------------===//

void llvm::useDecrementingBranch(MachineLoop &L, const IPUInstrInfo &TII) {
  MachineBasicBlock *Latch = L.getLoopLatch();
  MachineBasicBlock &Header = *L.getHeader();
  bool IsOneBlock = Latch == &Header;
  MachineBasicBlock *Preheader = L.getLoopPreheader();
  if (!Latch || (!Preheader && !IsOneBlock))
    return;
  MachineBasicBlock::iterator Branch = Latch->getFirstTerminator();
  if (Branch == Latch->end() || Branch->getOpcode() != IPU::BRNZ ||
      Branch->getOperand(1).getMBB() != L.getHeader())
    return;
  Register Counter = Branch->getOperand(0).getReg();
  MachineInstr *Decrement = findDecrement(*Latch, Counter);
  if (!Decrement || !onlyCounts(L, *Decrement, *Branch))
    return;
  if (Preheader) {
    addToCounter(*Preheader, Counter, -1, TII);
  } else {
    MachineBasicBlock &Before = blockBefore(Header);
    addToCounter(Before, Counter, -1, TII);
    recomputeLiveIns(Before);
  }
  BuildMI(*Latch, Branch, Branch->getDebugLoc(), TII.get(IPU::BRNZDEC), Counter)
      .addReg(Counter)
      .addMBB(L.getHeader());
  Branch->eraseFromParent();
  Decrement->eraseFromParent();
}
