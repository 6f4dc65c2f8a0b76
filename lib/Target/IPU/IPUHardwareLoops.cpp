// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last form of counted loops, after register allocation.
//
// A loop of one block whose instructions may stand in the body of `rpt` becomes
// one, with iterations that overlap (IPUModuloScheduler.h, IPURepeat.h). Where
// the body has loads and a store that one instruction can do, it does
// (IPUFusedAccess.h). Here is decided what to schedule: which accesses
// may be fused, whether pointers move by additions or by the accesses, and how
// many stages there may be.
//
// In the other loops that count a register down to zero, `brnzdec` takes the
// place of the subtraction and the branch (IPULoopCounter.h).

#include "lib/Target/IPU/IPU.h"
#include "lib/Target/IPU/IPUCountedBlock.h"
#include "lib/Target/IPU/IPUInstrInfo.h"
#include "lib/Target/IPU/IPULocalRegisters.h"
#include "lib/Target/IPU/IPULoopAddresses.h"
#include "lib/Target/IPU/IPULoopCounter.h"
#include "lib/Target/IPU/IPUModuloScheduler.h"
#include "lib/Target/IPU/IPUPointerSteps.h"
#include "lib/Target/IPU/IPURepeat.h"
#include "lib/Target/IPU/IPUSubtarget.h"
#include "lib/Target/IPU/MCTargetDesc/IPUBaseInfo.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineLoopInfo.h"

using namespace llvm;

static constexpr unsigned MaxStages = 4;

namespace {

class IPUHardwareLoops : public MachineFunctionPass {
  const IPUInstrInfo *TII = nullptr;
  const TargetRegisterInfo *TRI = nullptr;
  MachineFunction *MF = nullptr;

public:
  static char ID;

  IPUHardwareLoops() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return "IPU hardware loops"; }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.addRequired<MachineLoopInfoWrapperPass>();
    AU.addRequired<AAResultsWrapperPass>();
    MachineFunctionPass::getAnalysisUsage(AU);
  }
  bool runOnMachineFunction(MachineFunction &MF) override;

private:
  SmallVector<IPUFusion, 8> fusions(const CountedBlock &L) const;
  MCRegister pairFor(const CountedBlock &L, const IPUFusion &Fusion) const;
  IPUModuloSchedule scheduleBody(CountedBlock &L, AAResults &AA);
  IPUModuloSchedule schedule(CountedBlock &L, MachineBasicBlock &Scratch,
                             AAResults &AA);
  bool makeRepeat(CountedBlock &L, AAResults &AA);
};

} // namespace

static bool isAux(const MachineInstr *MI) {
  return IPUII::isAux(MI->getDesc());
}

MCRegister IPUHardwareLoops::pairFor(const CountedBlock &L,
                                     const IPUFusion &Fusion) const {
  return FusedAccess::findPair(L.Body, Fusion, *TII, [&](MCRegister Half) {
    return L.isFree(Half) && !L.isUsed(Half);
  });
}

SmallVector<IPUFusion, 8>
IPUHardwareLoops::fusions(const CountedBlock &L) const {
  auto Result = FusedAccess::candidates(L.Body, *TII, [&](Register Pointer) {
    return !isLiveInto(*L.Exit, Pointer);
  });
  llvm::erase_if(Result,
                 [&](const IPUFusion &Fusion) { return !pairFor(L, Fusion); });
  return Result;
}

IPUModuloSchedule IPUHardwareLoops::scheduleBody(CountedBlock &L,
                                                 AAResults &AA) {
  LoopAddresses Addresses(L.Body, onlyEntry(*L.Block), *TII);
  bool Small = MF->getFunction().hasOptSize();
  SmallVector<IPUFusion, 8> Fusions;
  SmallVector<MCRegister, 8> Pairs;
  if (!Small) {
    L.NewPointers = Addresses.splitPointers([&] { return L.freeRegister(); });
    Fusions = fusions(L);
    for (const IPUFusion &Fusion : Fusions)
      Pairs.push_back(pairFor(L, Fusion));
  }
  LocalValues Values(L.Body, [&](MCRegister Reg) {
    return Register(Reg) != L.Counter && L.isFree(Reg) &&
           none_of(Pairs, [&](MCRegister Pair) {
             return TRI->regsOverlap(Pair, Reg);
           });
  });
  if (Small)
    return scheduleLoop({L.Body, 1, 1, AA, Addresses, Values, {}});
  Values.spread();
  L.TestRegister = L.freeRegister();
  unsigned Cheap = L.Count ? std::min(L.Count, MaxStages) : MaxStagesOfOne;
  unsigned Most = Cheap;
  if (!L.Count && L.TestRegister)
    Most = MaxStagesOfTwo;
  IPUModuloSchedule Schedule =
      scheduleLoop({L.Body, Cheap, Most, AA, Addresses, Values, Fusions});
  if (Schedule.Fused)
    L.Fused.emplace(L.Body, *Schedule.Fused, pairFor(L, *Schedule.Fused), *TII);
  // Without a part before or after the loop, the count 0, for 2^32, would be
  // taken for none at all.
  if (!L.fits() && Schedule.stages() == 1 && L.Bound == LoopBound::Unknown)
    for (unsigned &Slot : Schedule.Slots)
      Slot += Schedule.Interval;
  return Schedule;
}

/// The shorter one of two schedules: with additions to pointers, and with steps
/// of the accesses instead, which must keep their order then. The latter need a
/// body of their own, in a block that is not part of the function.
IPUModuloSchedule IPUHardwareLoops::schedule(CountedBlock &L,
                                             MachineBasicBlock &Scratch,
                                             AAResults &AA) {
  std::optional<CountedBlock> Stepping;
  if (2 * count_if(L.Body, isAux) <= int(L.Body.size())) {
    Stepping = L;
    for (MachineInstr *&MI : Stepping->Body) {
      MI = MF->CloneMachineInstr(MI);
      Scratch.push_back(MI);
    }
    if (!stepPointers(Stepping->Body, *TII))
      Stepping.reset();
  }
  IPUModuloSchedule Schedule = scheduleBody(L, AA);
  if (!Stepping)
    return Schedule;
  IPUModuloSchedule WithSteps = scheduleBody(*Stepping, AA);
  if (WithSteps.Interval >= Schedule.Interval)
    return Schedule;
  L = std::move(*Stepping);
  return WithSteps;
}

bool IPUHardwareLoops::makeRepeat(CountedBlock &L, AAResults &AA) {
  if (!L.fits() && MF->getFunction().hasOptSize())
    return false;
  MachineBasicBlock *Scratch = MF->CreateMachineBasicBlock();
  emitRepeat(L, schedule(L, *Scratch, AA), *TII);
  Scratch->clear();
  MF->deleteMachineBasicBlock(Scratch);
  return true;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

bool IPUHardwareLoops::runOnMachineFunction(MachineFunction &Function) {
  MF = &Function;
  const auto &ST = MF->getSubtarget<IPUSubtarget>();
  TII = ST.getInstrInfo();
  TRI = ST.getRegisterInfo();
  MachineLoopInfo &Loops = getAnalysis<MachineLoopInfoWrapperPass>().getLI();
  AAResults &AA = getAnalysis<AAResultsWrapperPass>().getAAResults();

  for (MachineLoop *L : Loops.getLoopsInPreorder()) {
    std::optional<CountedBlock> Counted;
    if (!ST.isSupervisor())
      Counted = CountedBlock::analyze(*L, *TII);
    if (!Counted || !makeRepeat(*Counted, AA))
      useDecrementingBranch(*L, *TII);
  }
  for (MachineBasicBlock &MBB : *MF)
    for (MachineInstr &MI : MBB)
      if (MI.getOpcode() == IPU::LOOP_DEC) {
        MI.setDesc(TII->get(IPU::ADD_rs));
        MI.getOperand(2).setImm(-1);
      }
  return true;
}

char IPUHardwareLoops::ID = 0;

FunctionPass *llvm::createIPUHardwareLoops() { return new IPUHardwareLoops(); }
