// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes bundles of a main and an auxiliary instruction for workers, after
// everything else is decided. For example, four instructions that take four
// issue slots become two bundles:
//
//     ld32   $a0, ...            { ld32 $a0, ...   ; f32mul $a2, $a3, $a3 }
//     add    $m1, $m1, 1         { add $m1, $m1, 1 ; f32add $a1, $a0, $a2 }
//     f32mul $a2, $a3, $a3
//     f32add $a1, $a0, $a2
//
// The pass reorders the instructions between two boundaries: calls, branches,
// inline assembly, and instructions whose effects registers and memory do not
// show. It fills one issue slot at a time. The first instruction is the ready
// one with the longest chain of dependents behind it; an instruction is ready
// if its predecessors have issued. Its partner is a ready instruction of the
// other pipe. Both halves of a bundle read before either writes, so an
// instruction may share the slot of one that only reads what it overwrites.

#include "lib/Target/IPU/IPU.h"
#include "lib/Target/IPU/IPUBundle.h"
#include "lib/Target/IPU/IPUInstrInfo.h"
#include "lib/Target/IPU/IPUMachinePasses.h"
#include "lib/Target/IPU/IPUSubtarget.h"
#include "lib/Target/IPU/MCTargetDesc/IPUBaseInfo.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/ScheduleDAGInstrs.h"
#include "llvm/PassRegistry.h"

using namespace llvm;

#define DEBUG_TYPE "ipu-bundler"

namespace {

/// The dependences within a region, and an order of issue.
class RegionScheduler : public ScheduleDAGInstrs {
  // The least number of slots behind each node, and the number of its
  // predecessors that have not issued.
  std::vector<unsigned> Height, Waiting;
  std::vector<SUnit *> Ready;

public:
  RegionScheduler(MachineFunction &MF)
      : ScheduleDAGInstrs(MF, nullptr, /*RemoveKillFlags=*/true) {}

  void schedule() override {}
  std::vector<IPUSlot> schedule(MachineBasicBlock &MBB,
                                MachineBasicBlock::iterator Begin,
                                MachineBasicBlock::iterator End, unsigned Size);

private:
  void measure();
  SUnit *takeBest(function_ref<bool(const SUnit &)> Fits);
  bool onlyWaitsForReader(const SUnit &SU, const SUnit &Reader) const;
  SUnit *takePartner(const SUnit &First);
  void issue(const SUnit &SU);
};

class IPUBundler : public MachineFunctionPass {
  const IPUInstrInfo *TII = nullptr;

public:
  static char ID;

  IPUBundler() : MachineFunctionPass(ID) {
    initializeIPUBundlerPass(*PassRegistry::getPassRegistry());
  }

  StringRef getPassName() const override { return "IPU bundles"; }
  bool runOnMachineFunction(MachineFunction &MF) override;

private:
  void packBlock(MachineBasicBlock &MBB, RegionScheduler &Scheduler);
  void packBranch(MachineBasicBlock &MBB);
  void packRegion(MachineBasicBlock &MBB, MachineBasicBlock::iterator Begin,
                  MachineBasicBlock::iterator End, RegionScheduler &Scheduler);
};

} // namespace

static bool isAux(const SUnit &SU) {
  return IPUII::isAux(SU.getInstr()->getDesc());
}

static bool writeSameRegister(const MachineInstr &A, const MachineInstr &B,
                              const TargetRegisterInfo *TRI) {
  for (const MachineOperand &Def : A.all_defs())
    if (B.modifiesRegister(Def.getReg(), TRI))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// The order within a region
//===----------------------------------------------------------------------===//

// Nodes are in the order of the program, so that successors are measured first.
void RegionScheduler::measure() {
  Height.assign(SUnits.size(), 0);
  Waiting.assign(SUnits.size(), 0);
  Ready.clear();
  for (SUnit &SU : reverse(SUnits)) {
    for (const SDep &Succ : SU.Succs) {
      const SUnit *To = Succ.getSUnit();
      if (To->isBoundaryNode())
        continue;
      unsigned Latency = Succ.getKind() == SDep::Anti ? 0 : 1;
      Height[SU.NodeNum] =
          std::max(Height[SU.NodeNum], Height[To->NodeNum] + Latency);
      ++Waiting[To->NodeNum];
    }
  }
  for (SUnit &SU : SUnits)
    if (!Waiting[SU.NodeNum])
      Ready.push_back(&SU);
}

// The highest, and of several the first of the program.
SUnit *RegionScheduler::takeBest(function_ref<bool(const SUnit &)> Fits) {
  auto Best = Ready.end();
  for (auto I = Ready.begin(); I != Ready.end(); ++I) {
    if (!Fits(**I))
      continue;
    if (Best == Ready.end() ||
        Height[(*I)->NodeNum] > Height[(*Best)->NodeNum] ||
        (Height[(*I)->NodeNum] == Height[(*Best)->NodeNum] &&
         (*I)->NodeNum < (*Best)->NodeNum))
      Best = I;
  }
  if (Best == Ready.end())
    return nullptr;
  SUnit *Taken = *Best;
  Ready.erase(Best);
  return Taken;
}

bool RegionScheduler::onlyWaitsForReader(const SUnit &SU,
                                         const SUnit &Reader) const {
  return none_of(SU.Preds, [&](const SDep &Pred) {
    return Pred.getSUnit() == &Reader && Pred.getKind() != SDep::Anti;
  });
}

// First has been issued, so that what waited for it alone is ready too.
SUnit *RegionScheduler::takePartner(const SUnit &First) {
  return takeBest([&](const SUnit &SU) {
    return isAux(SU) != isAux(First) && onlyWaitsForReader(SU, First) &&
           !writeSameRegister(*SU.getInstr(), *First.getInstr(), TRI);
  });
}

void RegionScheduler::issue(const SUnit &SU) {
  for (const SDep &Succ : SU.Succs) {
    SUnit *To = Succ.getSUnit();
    if (!To->isBoundaryNode() && --Waiting[To->NodeNum] == 0)
      Ready.push_back(To);
  }
}

std::vector<IPUSlot>
RegionScheduler::schedule(MachineBasicBlock &MBB,
                          MachineBasicBlock::iterator Begin,
                          MachineBasicBlock::iterator End, unsigned Size) {
  startBlock(&MBB);
  enterRegion(&MBB, Begin, End, Size);
  buildSchedGraph(/*AA=*/nullptr);
  measure();
  std::vector<IPUSlot> Slots;
  while (SUnit *First = takeBest([](const SUnit &) { return true; })) {
    issue(*First);
    SUnit *Second = takePartner(*First);
    if (Second)
      issue(*Second);
    IPUSlot S;
    for (SUnit *SU : {First, Second})
      if (SU)
        (isAux(*SU) ? S.Aux : S.Main) = SU->getInstr();
    Slots.push_back(S);
  }
  exitRegion();
  finishBlock();
  return Slots;
}

//===----------------------------------------------------------------------===//
// Bundles
//===----------------------------------------------------------------------===//

static void place(MachineBasicBlock &MBB, MachineBasicBlock::iterator Before,
                  const IPUSlot &S) {
  for (MachineInstr *Half : {S.Main, S.Aux})
    if (Half)
      MBB.splice(Before, &MBB, Half->getIterator());
  if (S.Main && S.Aux)
    makeIPUBundle(*S.Main, *S.Aux);
}

// Debug instructions stay in their order, behind the region.
void IPUBundler::packRegion(MachineBasicBlock &MBB,
                            MachineBasicBlock::iterator Begin,
                            MachineBasicBlock::iterator End,
                            RegionScheduler &Scheduler) {
  SmallVector<MachineInstr *, 16> Instrs, DebugInstrs;
  for (MachineInstr &MI : make_range(Begin, End))
    (MI.isDebugInstr() ? DebugInstrs : Instrs).push_back(&MI);
  if (Instrs.size() < 2)
    return;
  for (MachineInstr *MI : DebugInstrs)
    MI->removeFromParent();
  for (const IPUSlot &S : Scheduler.schedule(MBB, Instrs.front()->getIterator(),
                                             End, Instrs.size()))
    place(MBB, End, S);
  for (MachineInstr *MI : DebugInstrs)
    MBB.insert(End, MI);
}

static bool isBoundary(const MachineInstr &MI, const IPUInstrInfo &TII) {
  if (MI.isDebugInstr())
    return false;
  return MI.isCall() || MI.isTerminator() || MI.isInlineAsm() ||
         MI.isPseudo() || MI.isMetaInstruction() ||
         MI.hasUnmodeledSideEffects() || IPUII::noBundle(MI.getDesc()) ||
         TII.isSchedulingBoundary(MI, MI.getParent(), *MI.getMF());
}

// The auxiliary pipe is free in the slot of a branch, and what is in it
// executes whether the branch is taken or not.
void IPUBundler::packBranch(MachineBasicBlock &MBB) {
  MachineBasicBlock::iterator Branch = MBB.getFirstTerminator();
  if (Branch == MBB.end() || Branch == MBB.begin() ||
      IPUII::noBundle(Branch->getDesc()))
    return;
  MachineInstr &Last = *std::prev(Branch);
  if (Last.isBundle() || !IPUII::isAux(Last.getDesc()) ||
      isBoundary(Last, *TII))
    return;
  MBB.splice(std::next(Branch), &MBB, Last.getIterator());
  makeIPUBundle(*Branch, Last);
}

void IPUBundler::packBlock(MachineBasicBlock &MBB, RegionScheduler &Scheduler) {
  MachineBasicBlock::iterator Begin = MBB.begin();
  while (Begin != MBB.end()) {
    MachineBasicBlock::iterator End = Begin;
    while (End != MBB.end() && !isBoundary(*End, *TII))
      ++End;
    packRegion(MBB, Begin, End, Scheduler);
    Begin = End == MBB.end() ? End : std::next(End);
  }
  packBranch(MBB);
}

bool IPUBundler::runOnMachineFunction(MachineFunction &MF) {
  const auto &ST = MF.getSubtarget<IPUSubtarget>();
  if (ST.isSupervisor())
    return false;
  TII = ST.getInstrInfo();
  // Kill flags would be wrong in the new order, and nothing reads them any
  // more.
  for (MachineBasicBlock &MBB : MF)
    for (MachineInstr &MI : MBB)
      for (MachineOperand &MO : MI.operands())
        if (MO.isReg() && MO.isUse() && !MO.isDebug())
          MO.setIsKill(false);
  RegionScheduler Scheduler(MF);
  for (MachineBasicBlock &MBB : MF)
    packBlock(MBB, Scheduler);
  return true;
}

char IPUBundler::ID = 0;

INITIALIZE_PASS(IPUBundler, DEBUG_TYPE, "IPU bundler", false, false)

FunctionPass *llvm::createIPUBundler() { return new IPUBundler(); }
