// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last form of counted loops, after register allocation. For example, a
// loop that multiplies an array by a factor, in outline:
//
//     loop: ld64step                  rpt count
//           f32v2mul                    { ldst64pace ; f32v2mul }
//           st64step
//           subtract one, branch
//
// A loop of one block becomes an `rpt` if all of its instructions may stand in
// one. Its iterations then overlap: in the example, one bundle loads for an
// iteration, multiplies for the one before and stores for the one before that
// (IPUModuloScheduler.h). IPURepeat.h adds the code that fills and empties this
// pipeline. IPUFusedAccess.h makes one instruction of loads and a store. This
// file decides what to schedule: which accesses may be fused, whether additions
// or the accesses move the pointers, and how many stages there may be.
//
// Other loops that count a register down to zero get `brnzdec` in place of the
// subtraction and the branch (IPULoopCounter.h).

#include "lib/Target/IPU/IPU.h"
#include "lib/Target/IPU/IPUBuiltinCalls.h"
#include "lib/Target/IPU/IPUCountedBlock.h"
#include "lib/Target/IPU/IPUInstrInfo.h"
#include "lib/Target/IPU/IPULocalRegisters.h"
#include "lib/Target/IPU/IPULoopAddresses.h"
#include "lib/Target/IPU/IPULoopCounter.h"
#include "lib/Target/IPU/IPUMachinePasses.h"
#include "lib/Target/IPU/IPUModuloScheduler.h"
#include "lib/Target/IPU/IPUPointerSteps.h"
#include "lib/Target/IPU/IPURepeat.h"
#include "lib/Target/IPU/IPUSubtarget.h"
#include "lib/Target/IPU/MCTargetDesc/IPUBaseInfo.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/MachineOptimizationRemarkEmitter.h"
#include "llvm/InitializePasses.h"

using namespace llvm;

#define DEBUG_TYPE "ipu-hardware-loops"

static constexpr unsigned MaxStages = 4;

namespace {

class IPUHardwareLoops : public MachineFunctionPass {
  const IPUInstrInfo *TII = nullptr;
  const TargetRegisterInfo *TRI = nullptr;
  MachineFunction *MF = nullptr;
  MachineOptimizationRemarkEmitter *Remarks = nullptr;

public:
  static char ID;

  IPUHardwareLoops() : MachineFunctionPass(ID) {
    initializeIPUHardwareLoopsPass(*PassRegistry::getPassRegistry());
  }

  StringRef getPassName() const override { return "IPU hardware loops"; }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.addRequired<MachineLoopInfoWrapperPass>();
    AU.addRequired<AAResultsWrapperPass>();
    AU.addRequired<MachineOptimizationRemarkEmitterPass>();
    MachineFunctionPass::getAnalysisUsage(AU);
  }
  bool runOnMachineFunction(MachineFunction &MF) override;

private:
  SmallVector<IPUFusion, 8> fusions(const CountedBlock &L) const;
  FusedRegisters registersFor(const CountedBlock &L,
                              const IPUFusion &Fusion) const;
  void separatePointers(CountedBlock &L, LoopAddresses &Addresses) const;
  IPUModuloSchedule scheduleBody(CountedBlock &L, AAResults &AA,
                                 bool Separate = false);
  IPUModuloSchedule schedule(CountedBlock &L, MachineBasicBlock &Scratch,
                             AAResults &AA);
  bool makeRepeat(CountedBlock &L, AAResults &AA);
  void report(const CountedBlock &L, const IPUModuloSchedule &Schedule) const;
  void reportMissed(const MachineLoop &L) const;
};

} // namespace

static bool isAux(const MachineInstr *MI) {
  return IPUII::isAux(MI->getDesc());
}

FusedRegisters IPUHardwareLoops::registersFor(const CountedBlock &L,
                                              const IPUFusion &Fusion) const {
  return FusedAccess::findRegisters(L.Body, Fusion, *TII, [&](MCRegister Half) {
    return L.isFree(Half) && !L.isUsed(Half);
  });
}

SmallVector<IPUFusion, 8>
IPUHardwareLoops::fusions(const CountedBlock &L) const {
  auto Result = FusedAccess::candidates(L.Body, *TII, [&](Register Pointer) {
    return !isLiveInto(*L.Exit, Pointer);
  });
  llvm::erase_if(Result, [&](const IPUFusion &Fusion) {
    return !registersFor(L, Fusion).Pair;
  });
  return Result;
}

void IPUHardwareLoops::separatePointers(CountedBlock &L,
                                        LoopAddresses &Addresses) const {
  for (Register Pointer : Addresses.sharedPointers())
    if (!isLiveInto(*L.Exit, Pointer))
      L.NewPointers.append(
          Addresses.separate(Pointer, [&] { return L.freeRegister(); }));
}

/// The only use of the accumulators in a body, if that is a scaled sum of the
/// compiler's own (IPUScaledSums.cpp).
static std::optional<IPUDelayedResult>
findDelayedResult(ArrayRef<MachineInstr *> Body) {
  const MachineFunction &MF = *Body.front()->getMF();
  const TargetRegisterInfo *TRI = MF.getSubtarget().getRegisterInfo();
  if (!MF.getFunction().hasFnAttribute(CompilerAccumulators))
    return std::nullopt;
  SmallVector<unsigned, 2> Users;
  for (unsigned I = 0; I != Body.size(); ++I)
    if (Body[I]->readsRegister(IPU::AACC, TRI) ||
        Body[I]->modifiesRegister(IPU::AACC, TRI))
      Users.push_back(I);
  if (Users.size() != 2 || Body[Users[0]]->getOpcode() != IPU::F32V2AXPY ||
      Body[Users[1]]->getOpcode() != IPU::F32V2GINA)
    return std::nullopt;
  MachineOperand &Unused = Body[Users[0]]->getOperand(0);
  const MachineInstr &Read = *Body[Users[1]];
  if (!(Unused.isDead() || Unused.getReg() == IPU::A14_15) ||
      Read.getOperand(1).getReg() != IPU::A14_15 ||
      Read.getOperand(2).getImm() != 0)
    return std::nullopt;
  Unused.setReg(IPU::A14_15);
  return IPUDelayedResult{Users[0], Users[1]};
}

IPUModuloSchedule IPUHardwareLoops::scheduleBody(CountedBlock &L, AAResults &AA,
                                                 bool Separate) {
  LoopAddresses Addresses(L.Body, onlyEntry(*L.Block), *TII);
  bool Small = MF->getFunction().hasOptSize();
  SmallVector<IPUFusion, 8> Fusions;
  SmallVector<MCRegister, 16> ForFusions;
  if (!Small) {
    if (Separate)
      separatePointers(L, Addresses);
    L.NewPointers.append(
        Addresses.splitPointers([&] { return L.freeRegister(); }));
    Fusions = fusions(L);
    for (const IPUFusion &Fusion : Fusions) {
      FusedRegisters Registers = registersFor(L, Fusion);
      ForFusions.push_back(Registers.Pair);
      if (Registers.Strides)
        ForFusions.push_back(Registers.Strides);
    }
  }
  std::optional<IPUDelayedResult> Delayed = findDelayedResult(L.Body);
  LocalValues Values(L.Body, [&](MCRegister Reg) {
    return Register(Reg) != L.Counter && L.isFree(Reg) &&
           none_of(ForFusions, [&](MCRegister Kept) {
             return TRI->regsOverlap(Kept, Reg);
           });
  });
  if (Small)
    return scheduleLoop({L.Body, 1, 1, AA, Addresses, Values, {}});
  Values.spread();
  L.TestRegister = L.freeRegister();
  unsigned Cheap = L.Count ? std::min(L.Count, MaxStages) : MaxStagesOfOne;
  unsigned Most = Cheap;
  if (!L.Count && L.TestRegister)
    Most = MaxStagesWithTest;
  IPUModuloSchedule Schedule = scheduleLoop(
      {L.Body, Cheap, Most, AA, Addresses, Values, Fusions, Delayed});
  if (Schedule.Fused)
    L.Fused.emplace(L.Body, *Schedule.Fused, registersFor(L, *Schedule.Fused),
                    *TII);
  // Without a part before or after the loop, the count 0, for 2^32, would be
  // taken for none at all.
  if (!L.fits() && Schedule.stages() == 1 && L.Bound == LoopBound::Unknown)
    for (unsigned &Slot : Schedule.Slots)
      Slot += Schedule.Interval;
  return Schedule;
}

/// A loop with copies of the instructions, in a block that is not part of the
/// function.
static CountedBlock copyOf(const CountedBlock &L, MachineBasicBlock &Scratch) {
  CountedBlock Copy = L;
  for (MachineInstr *&MI : Copy.Body) {
    MI = Scratch.getParent()->CloneMachineInstr(MI);
    Scratch.push_back(MI);
  }
  return Copy;
}

/// The shortest schedule: with additions to pointers, or with steps of the
/// accesses, which must keep their order then, or with a pointer that steps for
/// each access.
IPUModuloSchedule IPUHardwareLoops::schedule(CountedBlock &L,
                                             MachineBasicBlock &Scratch,
                                             AAResults &AA) {
  std::optional<CountedBlock> Stepping, Separate;
  if (2 * count_if(L.Body, isAux) <= int(L.Body.size())) {
    Stepping = copyOf(L, Scratch);
    if (!stepPointers(Stepping->Body, *TII))
      Stepping.reset();
  }
  if (!MF->getFunction().hasOptSize() &&
      !LoopAddresses(L.Body, nullptr, *TII).sharedPointers().empty())
    Separate = copyOf(L, Scratch);
  IPUModuloSchedule Best = scheduleBody(L, AA);
  for (std::optional<CountedBlock> *Other : {&Stepping, &Separate}) {
    if (!*Other)
      continue;
    IPUModuloSchedule Schedule =
        scheduleBody(**Other, AA, /*Separate=*/Other == &Separate);
    if (Schedule.Interval >= Best.Interval)
      continue;
    L = std::move(**Other);
    Best = std::move(Schedule);
  }
  return Best;
}

void IPUHardwareLoops::report(const CountedBlock &L,
                              const IPUModuloSchedule &Schedule) const {
  using NV = DiagnosticInfoOptimizationBase::Argument;
  Remarks->emit([&] {
    MachineOptimizationRemark Remark(
        DEBUG_TYPE, "Repeat", L.Block->findDebugLoc(L.Block->begin()), L.Block);
    Remark << "rpt of " << NV("Bundles", Schedule.Interval)
           << " bundles; iterations overlap in "
           << NV("Stages", Schedule.stages()) << " stages";
    if (Schedule.Fused)
      Remark << "; loads and stores are one instruction";
    return Remark;
  });
}

void IPUHardwareLoops::reportMissed(const MachineLoop &L) const {
  Remarks->emit([&] {
    const char *Reason = L.getNumBlocks() > 1
                             ? "it has more than one block"
                             : "its count is not known before it, or an "
                               "instruction in it cannot be repeated";
    return MachineOptimizationRemarkMissed(DEBUG_TYPE, "NoRepeat",
                                           L.getStartLoc(), L.getHeader())
           << "loop is no rpt: " << Reason;
  });
}

bool IPUHardwareLoops::makeRepeat(CountedBlock &L, AAResults &AA) {
  if (!L.fits() && MF->getFunction().hasOptSize())
    return false;
  MachineBasicBlock *Scratch = MF->CreateMachineBasicBlock();
  IPUModuloSchedule Schedule = schedule(L, *Scratch, AA);
  report(L, Schedule);
  emitRepeat(L, Schedule, *TII);
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
  Remarks = &getAnalysis<MachineOptimizationRemarkEmitterPass>().getORE();
  AAResults &AA = getAnalysis<AAResultsWrapperPass>().getAAResults();

  for (MachineLoop *L : Loops.getLoopsInPreorder()) {
    std::optional<CountedBlock> Counted;
    if (!ST.isSupervisor())
      Counted = CountedBlock::analyze(*L, *TII);
    if (Counted && makeRepeat(*Counted, AA))
      continue;
    if (L->isInnermost() && !ST.isSupervisor())
      reportMissed(*L);
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

INITIALIZE_PASS_BEGIN(IPUHardwareLoops, DEBUG_TYPE, "IPU hardware loops", false,
                      false)
INITIALIZE_PASS_DEPENDENCY(MachineLoopInfoWrapperPass)
INITIALIZE_PASS_DEPENDENCY(AAResultsWrapperPass)
INITIALIZE_PASS_DEPENDENCY(MachineOptimizationRemarkEmitterPass)
INITIALIZE_PASS_END(IPUHardwareLoops, DEBUG_TYPE, "IPU hardware loops", false,
                    false)

FunctionPass *llvm::createIPUHardwareLoops() { return new IPUHardwareLoops(); }
