// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last form of counted loops, after register allocation.
//
// A loop of one block whose instructions may stand in the body of `rpt` becomes
// one, with iterations that overlap (IPUModuloScheduler.h). With two stages:
//
//     before:  first half of the first iteration
//     body:    { second half of an iteration ; first half of the next one }
//     after:   second half of the last iteration
//
// The body is repeated once less than the loop. A loop runs at least once, so
// two stages are right for every count (`rpt` takes zero). Where three make the
// loop shorter, a test before it leads a count of one to an iteration of its
// own; more are used only for a count that is known.
//
// Where the body has a load and a store, or two loads, that one instruction can
// do, it does (IPUFusedAccess.h). Before the loop a load and a store go their
// own ways; then their pointers are packed, and what is left to store after it
// uses the packed ones.
//
// `rpt` counts to 65535, the low half of a register. Where the count may be
// larger, a block behind the loop does the 65536 iterations that a one in the
// high half stands for: one itself, and the others by going back with one less
// in the high half and 65535 in the low one. For the usual count that costs the
// test of the high half.
//
// In the other loops that count a register down to zero, `brnzdec` takes the
// place of the subtraction and the branch. It tests before it subtracts, so the
// register starts one lower.

#include "lib/Target/IPU/IPUHardwareLoops.h"
#include "lib/Target/IPU/IPU.h"
#include "lib/Target/IPU/IPUBundle.h"
#include "lib/Target/IPU/IPUFusedAccess.h"
#include "lib/Target/IPU/IPUInstrInfo.h"
#include "lib/Target/IPU/IPULocalRegisters.h"
#include "lib/Target/IPU/IPULoopAddresses.h"
#include "lib/Target/IPU/IPUMachineFunctionInfo.h"
#include "lib/Target/IPU/IPUModuloScheduler.h"
#include "lib/Target/IPU/IPUPointerSteps.h"
#include "lib/Target/IPU/IPUSubtarget.h"
#include "lib/Target/IPU/MCTargetDesc/IPUBaseInfo.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/CodeGen/LivePhysRegs.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"

using namespace llvm;

// Longer bodies gain little: what `rpt` saves is one slot an iteration.
static constexpr unsigned MaxBody = 64;
static constexpr unsigned MaxStages = 4;
// For a count that is not known: as they are, and with a test for a single one.
static constexpr unsigned MaxStagesOfOne = 2;
static constexpr unsigned MaxStagesOfTwo = 3;
static constexpr unsigned MaxImmediateCount = 4095;
// The bits that `rpt` counts.
static constexpr unsigned CountBits = 16;

namespace {

/// A block that is a loop, counts a register down to zero, and does nothing
/// else with it.
struct CountedBlock {
  MachineBasicBlock *Block = nullptr;
  MachineBasicBlock *Exit = nullptr;
  MachineInstr *Decrement = nullptr;
  MachineInstr *Branch = nullptr;
  Register Counter;
  /// See LoopBound; of LOOP_DEC.
  uint32_t Bound = LoopBound::Unknown;
  /// The number of iterations, or 0 where it is not known.
  uint32_t Count = 0;
  /// Pointers that only the body has, and needs before it.
  SmallVector<SplitPointer, 2> NewPointers;
  /// The instructions of an iteration.
  SmallVector<MachineInstr *, 16> Body;
  /// For the test of a count of one, if there is a register.
  MCRegister TestRegister;
  std::optional<FusedAccess> Fused;

  /// Whether the count is known to have no more bits than `rpt` counts.
  bool fits() const {
    return Count ? Count <= LoopBound::MaxRepeat
                 : Bound != LoopBound::Unknown && Bound <= LoopBound::MaxRepeat;
  }
};

/// What is executed once before the repeated part, repeatedly, and once after
/// it.
enum class Part { Before, Repeated, After };

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
  // Counting registers.
  bool isLiveInto(const MachineBasicBlock &MBB, Register Reg) const;
  bool touches(const MachineInstr &MI, Register Reg) const;
  MachineInstr *findDecrement(MachineBasicBlock &Latch, Register Counter) const;
  bool onlyCounts(const MachineLoop &L, const MachineInstr &Decrement,
                  const MachineInstr &Branch) const;
  void addToCounter(MachineBasicBlock &MBB, Register Counter, int Value);

  // brnzdec
  void useDecrementingBranch(MachineLoop &L);

  // rpt
  std::optional<CountedBlock> analyze(MachineLoop &L) const;
  uint32_t constantCount(const CountedBlock &L) const;
  MCRegister freeRegister(const CountedBlock &L) const;
  void addToPointers(MachineBasicBlock &Before,
                     ArrayRef<SplitPointer> Pointers);
  SmallVector<IPUFusion, 4> fusions(const CountedBlock &L) const;
  MCRegister pairFor(const CountedBlock &L, IPUFusion Fusion) const;
  IPUModuloSchedule scheduleBody(CountedBlock &L, AAResults &AA);
  IPUModuloSchedule schedule(CountedBlock &L, MachineBasicBlock &Scratch,
                             AAResults &AA);
  bool makeRepeat(CountedBlock &L, AAResults &AA);
  bool isFree(const CountedBlock &L, MCRegister Reg) const;
  bool isUsed(const CountedBlock &L, MCRegister Reg) const;
  MachineBasicBlock &blockBefore(MachineBasicBlock &Loop);
  MachineBasicBlock &blockAfter(CountedBlock &L, bool OfItsOwn);
  MachineBasicBlock &emitTestForOne(CountedBlock &L,
                                    const IPUModuloSchedule &Schedule,
                                    MachineBasicBlock &Before);
  void emitPart(MachineBasicBlock &MBB, MachineBasicBlock::iterator Before,
                const CountedBlock &L, const IPUModuloSchedule &Schedule,
                function_ref<bool(unsigned Stage)> Wanted, Part P);
  void emitSlot(MachineBasicBlock &MBB, MachineBasicBlock::iterator Before,
                IPUSlot Slot, bool Full);
  void emitRepeat(CountedBlock &L, const IPUModuloSchedule &Schedule);
  MachineBasicBlock &emitHighHalf(CountedBlock &L, MachineBasicBlock &After);
  void dropConstant(MachineBasicBlock &MBB, Register Reg);
};

} // namespace

//===----------------------------------------------------------------------===//
// Counting registers
//===----------------------------------------------------------------------===//

bool IPUHardwareLoops::isLiveInto(const MachineBasicBlock &MBB,
                                  Register Reg) const {
  return any_of(MBB.liveins(), [&](const auto &LiveIn) {
    return TRI->regsOverlap(LiveIn.PhysReg, Reg);
  });
}

bool IPUHardwareLoops::touches(const MachineInstr &MI, Register Reg) const {
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

/// The decrement that a latch's branch tests.
MachineInstr *IPUHardwareLoops::findDecrement(MachineBasicBlock &Latch,
                                              Register Counter) const {
  for (MachineInstr &MI :
       reverse(make_range(Latch.begin(), Latch.getFirstTerminator())))
    if (!MI.isDebugInstr() && touches(MI, Counter))
      return decremented(MI) == Counter ? &MI : nullptr;
  return nullptr;
}

// Nothing but the two looks at the counter, in the loop or after it.
bool IPUHardwareLoops::onlyCounts(const MachineLoop &L,
                                  const MachineInstr &Decrement,
                                  const MachineInstr &Branch) const {
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

/// Adds to a register at the end of a block; what set it takes it over if that
/// is simple.
void IPUHardwareLoops::addToCounter(MachineBasicBlock &MBB, Register Counter,
                                    int Value) {
  MachineBasicBlock::iterator End = MBB.getFirstTerminator();
  for (MachineInstr &MI : reverse(make_range(MBB.begin(), End))) {
    if (MI.isDebugInstr() || !touches(MI, Counter))
      continue;
    bool ReadsIt = MI.readsRegister(Counter, TRI);
    if (MI.getOpcode() == IPU::SETZI_m && MI.getOperand(1).isImm() &&
        MI.getOperand(1).getImm() >= -Value) {
      MI.getOperand(1).setImm(MI.getOperand(1).getImm() + Value);
      return;
    }
    if (MI.getOpcode() == IPU::OR_m_rz && !ReadsIt &&
        MI.getOperand(2).getImm() == 0) {
      MI.setDesc(TII->get(IPU::ADD_rs));
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
  BuildMI(MBB, End, DebugLoc(), TII->get(IPU::ADD_rs), Counter)
      .addReg(Counter)
      .addImm(Value);
}

//===----------------------------------------------------------------------===//
// brnzdec
//===----------------------------------------------------------------------===//

void IPUHardwareLoops::useDecrementingBranch(MachineLoop &L) {
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
    addToCounter(*Preheader, Counter, -1);
  } else {
    MachineBasicBlock &Before = blockBefore(Header);
    addToCounter(Before, Counter, -1);
    recomputeLiveIns(Before);
  }
  BuildMI(*Latch, Branch, Branch->getDebugLoc(), TII->get(IPU::BRNZDEC),
          Counter)
      .addReg(Counter)
      .addMBB(L.getHeader());
  Branch->eraseFromParent();
  Decrement->eraseFromParent();
}

//===----------------------------------------------------------------------===//
// Which loops `rpt` can do
//===----------------------------------------------------------------------===//

static bool mayRepeat(const MachineInstr &MI) {
  const MCInstrDesc &Desc = MI.getDesc();
  return !MI.isPseudo() && !MI.isInlineAsm() && !MI.isCall() &&
         !MI.isTerminator() && !MI.isPosition() && !IPUII::isControl(Desc) &&
         !IPUII::isSystem(Desc) && !IPUII::noBundle(Desc);
}

std::optional<CountedBlock> IPUHardwareLoops::analyze(MachineLoop &L) const {
  if (L.getNumBlocks() != 1)
    return std::nullopt;
  CountedBlock Result;
  MachineBasicBlock &MBB = *L.getHeader();
  Result.Block = &MBB;
  MachineBasicBlock *Taken, *Else;
  SmallVector<MachineOperand, 2> Cond;
  if (TII->analyzeBranch(MBB, Taken, Else, Cond, /*AllowModify=*/false) ||
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
  Result.Count = constantCount(Result);
  return Result;
}

static MachineBasicBlock *onlyEntry(const MachineBasicBlock &MBB) {
  MachineBasicBlock *Entry = nullptr;
  for (MachineBasicBlock *Pred : MBB.predecessors())
    if (Pred != &MBB) {
      if (Entry)
        return nullptr;
      Entry = Pred;
    }
  return Entry;
}

/// The number of iterations, if the block before the loop says it.
uint32_t IPUHardwareLoops::constantCount(const CountedBlock &L) const {
  MachineBasicBlock *Entry = onlyEntry(*L.Block);
  if (!Entry)
    return 0;
  for (MachineInstr &MI : reverse(*Entry))
    if (!MI.isDebugInstr() && MI.modifiesRegister(L.Counter, TRI))
      return MI.getOpcode() == IPU::SETZI_m && MI.getOperand(1).isImm()
                 ? MI.getOperand(1).getImm()
                 : 0;
  return 0;
}

/// Whether a register has no value around the loop, and a callee need not keep
/// it.
bool IPUHardwareLoops::isFree(const CountedBlock &L, MCRegister Reg) const {
  if (isLiveInto(*L.Block, Reg) || isLiveInto(*L.Exit, Reg) ||
      MF->getRegInfo().isReserved(Reg))
    return false;
  if (MF->getInfo<IPUMachineFunctionInfo>()->isEntry() || isUsed(L, Reg) ||
      any_of(
          MF->getFrameInfo().getCalleeSavedInfo(),
          [&](const CalleeSavedInfo &Saved) { return Saved.getReg() == Reg; }))
    return true;
  for (const MCPhysReg *Kept = TRI->getCalleeSavedRegs(MF); *Kept; ++Kept)
    if (TRI->regsOverlap(*Kept, Reg))
      return false;
  return Reg != IPU::M10;
}

bool IPUHardwareLoops::isUsed(const CountedBlock &L, MCRegister Reg) const {
  auto Touches = [&](const MachineInstr &MI) { return touches(MI, Reg); };
  return any_of(*L.Block, Touches) ||
         any_of(L.Body, [&](const MachineInstr *MI) { return Touches(*MI); });
}

//===----------------------------------------------------------------------===//
// `rpt`
//===----------------------------------------------------------------------===//

/// Where instructions go that are to run once before the loop.
MachineBasicBlock &IPUHardwareLoops::blockBefore(MachineBasicBlock &Loop) {
  if (MachineBasicBlock *Entry = onlyEntry(Loop))
    if (Entry->succ_size() == 1)
      return *Entry;
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

/// The block that the loop falls through to, at whose start instructions go
/// that are to run once after it.
MachineBasicBlock &IPUHardwareLoops::blockAfter(CountedBlock &L,
                                                bool OfItsOwn) {
  if (!OfItsOwn && L.Exit->pred_size() == 1 &&
      L.Block->isLayoutSuccessor(L.Exit))
    return *L.Exit;
  MachineBasicBlock *After =
      MF->CreateMachineBasicBlock(L.Exit->getBasicBlock());
  MF->insert(std::next(L.Block->getIterator()), After);
  L.Block->replaceSuccessor(L.Exit, After);
  After->addSuccessor(L.Exit);
  if (!After->isLayoutSuccessor(L.Exit))
    BuildMI(After, DebugLoc(), TII->get(IPU::BRI)).addMBB(L.Exit);
  return *After;
}

static bool isAux(const MachineInstr *MI) {
  return IPUII::isAux(MI->getDesc());
}

static MachineInstr *copyOf(const MachineInstr *MI, MachineFunction &MF) {
  if (!MI)
    return nullptr;
  MachineInstr *Copy = MF.CloneMachineInstr(MI);
  for (MachineOperand &MO : Copy->operands())
    if (MO.isReg()) {
      if (MO.isDef())
        MO.setIsDead(false);
      else
        MO.setIsKill(false);
    }
  return Copy;
}

/// Copies of a slot's instructions: as a bundle with both halves if Full, else
/// as they are, the one that reads what the other writes first.
void IPUHardwareLoops::emitSlot(MachineBasicBlock &MBB,
                                MachineBasicBlock::iterator Before,
                                IPUSlot Slot, bool Full) {
  MachineInstr *Main = copyOf(Slot.Main, *MF), *Aux = copyOf(Slot.Aux, *MF);
  if (Full && !Main)
    Main = BuildMI(*MF, DebugLoc(), TII->get(IPU::OR_m_rz), IPU::M15)
               .addReg(IPU::M15)
               .addImm(0);
  if (Full && !Aux)
    Aux = BuildMI(*MF, DebugLoc(), TII->get(IPU::OR_a_rz), IPU::A15)
              .addReg(IPU::A15)
              .addImm(0);
  for (MachineInstr *Half : {Main, Aux})
    if (Half)
      MBB.insert(Before, Half);
  if (!Main || !Aux)
    return;
  bool AuxReadsMain = any_of(Main->all_defs(), [&](const MachineOperand &Def) {
    return Aux->readsRegister(Def.getReg(), TRI);
  });
  if (Full || AuxReadsMain)
    makeIPUBundle(*Main, *Aux);
}

/// One interval of the schedule, of those stages that are wanted.
void IPUHardwareLoops::emitPart(MachineBasicBlock &MBB,
                                MachineBasicBlock::iterator Before,
                                const CountedBlock &L,
                                const IPUModuloSchedule &Schedule,
                                function_ref<bool(unsigned Stage)> Wanted,
                                Part P) {
  std::vector<IPUSlot> Slots(Schedule.Interval);
  // A load goes ahead of a store that is fused with it.
  bool Fused = Schedule.Fused && !(P == Part::Before && L.Fused->isStore());
  for (size_t I = 0; I != L.Body.size(); ++I) {
    if (!Wanted(Schedule.stageOf(I)))
      continue;
    MachineInstr *MI = L.Body[I];
    bool IsFirst = Fused && I == Schedule.Fused->First;
    bool IsSecond = Fused && I == Schedule.Fused->Second;
    if (IsSecond && Wanted(Schedule.stageOf(Schedule.Fused->First)))
      continue;
    if (IsFirst || IsSecond)
      MI = IsFirst ? L.Fused->createBoth() : L.Fused->createStore();
    IPUSlot &Slot = Slots[Schedule.Slots[I] % Schedule.Interval];
    (isAux(MI) ? Slot.Aux : Slot.Main) = MI;
  }
  for (const IPUSlot &Slot : Slots)
    emitSlot(MBB, Before, Slot, P == Part::Repeated);
}

/// Removes an instruction that gives a register its constant value.
void IPUHardwareLoops::dropConstant(MachineBasicBlock &MBB, Register Reg) {
  for (MachineInstr &MI : reverse(MBB)) {
    if (MI.isDebugInstr() || !touches(MI, Reg))
      continue;
    if (MI.getOpcode() == IPU::SETZI_m)
      MI.eraseFromParent();
    return;
  }
}

/// The new contents of the block.
void IPUHardwareLoops::emitRepeat(CountedBlock &L,
                                  const IPUModuloSchedule &Schedule) {
  MachineBasicBlock &MBB = *L.Block;
  unsigned Repeated = L.Count - (Schedule.stages() - 1);
  MachineBasicBlock::iterator Old = MBB.begin();
  MachineInstr *Repeat =
      L.Count && L.Count <= MaxImmediateCount
          ? BuildMI(MBB, Old, DebugLoc(), TII->get(IPU::RPT_i)).addImm(Repeated)
          : BuildMI(MBB, Old, DebugLoc(), TII->get(IPU::RPT_r))
                .addReg(L.Counter);
  Repeat->addOperand(MachineOperand::CreateImm(Schedule.Interval - 1));
  // A body starts at a multiple of eight bytes.
  MachineInstr *Idle =
      BuildMI(MBB, Old, DebugLoc(), TII->get(IPU::OR_a_rz), IPU::A15)
          .addReg(IPU::A15)
          .addImm(0);
  makeIPUBundle(*Repeat, *Idle);
  MBB.setAlignment(Align(8));
  MF->ensureAlignment(Align(8));
  emitPart(
      MBB, Old, L, Schedule, [](unsigned) { return true; }, Part::Repeated);
  MBB.erase(Old, MBB.end());
  MBB.removeSuccessor(&MBB);
}

/// Behind a loop whose count may have a high half: what that stands for.
MachineBasicBlock &IPUHardwareLoops::emitHighHalf(CountedBlock &L,
                                                  MachineBasicBlock &After) {
  MachineBasicBlock &MBB = *L.Block;
  MachineBasicBlock *High = MF->CreateMachineBasicBlock(MBB.getBasicBlock());
  MF->insert(std::next(MBB.getIterator()), High);
  // What the loop repeats, which comes after its first bundle.
  for (const MachineInstr &MI : make_range(std::next(MBB.begin()), MBB.end()))
    MF->cloneMachineInstrBundle(*High, High->end(), MI);
  BuildMI(High, DebugLoc(), TII->get(IPU::SHL_rz), L.Counter)
      .addReg(L.Counter)
      .addImm(CountBits);
  BuildMI(High, DebugLoc(), TII->get(IPU::ADD_rs), L.Counter)
      .addReg(L.Counter)
      .addImm(-1);
  BuildMI(High, DebugLoc(), TII->get(IPU::BRI)).addMBB(&MBB);
  High->addSuccessor(&MBB);

  BuildMI(&MBB, DebugLoc(), TII->get(IPU::SHR_rz), L.Counter)
      .addReg(L.Counter)
      .addImm(CountBits);
  BuildMI(&MBB, DebugLoc(), TII->get(IPU::BRZ))
      .addReg(L.Counter)
      .addMBB(&After);
  MBB.addSuccessor(High);
  return *High;
}

/// A register of the main file that has nothing to do with the loop.
MCRegister IPUHardwareLoops::freeRegister(const CountedBlock &L) const {
  for (MCRegister Reg : IPU::MRRegClass)
    if (isFree(L, Reg) && !isUsed(L, Reg))
      return Reg;
  return MCRegister();
}

void IPUHardwareLoops::addToPointers(MachineBasicBlock &Before,
                                     ArrayRef<SplitPointer> Pointers) {
  for (const SplitPointer &New : Pointers)
    BuildMI(Before, Before.getFirstTerminator(), DebugLoc(),
            TII->get(IPU::ADD_rs), New.Own)
        .addReg(New.Pointer)
        .addImm(New.Offset);
}

MCRegister IPUHardwareLoops::pairFor(const CountedBlock &L,
                                     IPUFusion Fusion) const {
  return FusedAccess::findPair(
      *L.Body[Fusion.First], *L.Body[Fusion.Second], *TII,
      [&](MCRegister Half) { return isFree(L, Half) && !isUsed(L, Half); });
}

SmallVector<IPUFusion, 4>
IPUHardwareLoops::fusions(const CountedBlock &L) const {
  auto Result = FusedAccess::candidates(L.Body, *TII, [&](Register Pointer) {
    return !isLiveInto(*L.Exit, Pointer);
  });
  llvm::erase_if(Result, [&](IPUFusion Fusion) { return !pairFor(L, Fusion); });
  return Result;
}

IPUModuloSchedule IPUHardwareLoops::scheduleBody(CountedBlock &L,
                                                 AAResults &AA) {
  LoopAddresses Addresses(L.Body, onlyEntry(*L.Block), *TII);
  bool Small = MF->getFunction().hasOptSize();
  SmallVector<IPUFusion, 4> Fusions;
  SmallVector<MCRegister, 4> Pairs;
  if (!Small) {
    L.NewPointers = Addresses.splitPointers([&] { return freeRegister(L); });
    Fusions = fusions(L);
    for (IPUFusion Fusion : Fusions)
      Pairs.push_back(pairFor(L, Fusion));
  }
  LocalValues Values(L.Body, [&](MCRegister Reg) {
    return Reg != L.Counter && isFree(L, Reg) &&
           none_of(Pairs, [&](MCRegister Pair) {
             return TRI->regsOverlap(Pair, Reg);
           });
  });
  if (Small)
    return scheduleLoop({L.Body, 1, 1, AA, Addresses, Values, {}});
  Values.spread();
  L.TestRegister = freeRegister(L);
  unsigned Cheap = L.Count ? std::min(L.Count, MaxStages) : MaxStagesOfOne;
  unsigned Most = Cheap;
  if (!L.Count && L.TestRegister)
    Most = MaxStagesOfTwo;
  IPUModuloSchedule Schedule =
      scheduleLoop({L.Body, Cheap, Most, AA, Addresses, Values, Fusions});
  if (Schedule.Fused)
    L.Fused.emplace(*L.Body[Schedule.Fused->First],
                    *L.Body[Schedule.Fused->Second],
                    pairFor(L, *Schedule.Fused), *TII);
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

/// Splits the way to the loop: a single iteration goes past it. Returns the
/// block in which the other way goes on.
MachineBasicBlock &
IPUHardwareLoops::emitTestForOne(CountedBlock &L,
                                 const IPUModuloSchedule &Schedule,
                                 MachineBasicBlock &Before) {
  MachineBasicBlock *Enter =
      MF->CreateMachineBasicBlock(L.Block->getBasicBlock());
  MF->insert(L.Block->getIterator(), Enter);
  Before.ReplaceUsesOfBlockWith(L.Block, Enter);
  Enter->addSuccessor(L.Block);
  MachineBasicBlock *One =
      MF->CreateMachineBasicBlock(L.Block->getBasicBlock());
  MF->insert(MF->end(), One);
  Before.addSuccessor(One);
  One->addSuccessor(L.Exit);

  MachineBasicBlock::iterator End = Before.getFirstTerminator();
  BuildMI(Before, End, DebugLoc(), TII->get(IPU::CMPEQ_rs), L.TestRegister)
      .addReg(L.Counter)
      .addImm(1);
  BuildMI(Before, End, DebugLoc(), TII->get(IPU::BRNZ))
      .addReg(L.TestRegister)
      .addMBB(One);
  if (L.Fused && !L.Fused->isStore())
    L.Fused->pack(*One, One->end());
  for (unsigned Only = 0; Only != Schedule.stages(); ++Only)
    emitPart(
        *One, One->end(), L, Schedule,
        [&](unsigned Stage) { return Stage == Only; }, Part::Before);
  BuildMI(One, DebugLoc(), TII->get(IPU::BRI)).addMBB(L.Exit);
  return *Enter;
}

bool IPUHardwareLoops::makeRepeat(CountedBlock &L, AAResults &AA) {
  if (!L.fits() && MF->getFunction().hasOptSize())
    return false;
  MachineBasicBlock *Scratch = MF->CreateMachineBasicBlock();
  IPUModuloSchedule Schedule = schedule(L, *Scratch, AA);
  unsigned Stages = Schedule.stages();

  MachineBasicBlock *Before = &blockBefore(*L.Block);
  bool HasTest = !L.Count && Stages > MaxStagesOfOne;
  MachineBasicBlock &After = blockAfter(L, HasTest);
  SmallVector<MachineBasicBlock *, 6> Changed = {&After, L.Block, Before};
  addToPointers(*Before, L.NewPointers);
  if (HasTest) {
    Before = &emitTestForOne(L, Schedule, *Before);
    Changed.append({Before, &MF->back()});
  }
  if (L.Count && L.Count <= MaxImmediateCount)
    dropConstant(*Before, L.Counter);
  else if (Stages > 1)
    addToCounter(*Before, L.Counter, 1 - int(Stages));
  if (L.Fused && !L.Fused->isStore())
    L.Fused->pack(*Before, Before->getFirstTerminator());
  for (unsigned Last = 0; Last + 1 < Stages; ++Last)
    emitPart(
        *Before, Before->getFirstTerminator(), L, Schedule,
        [&](unsigned Stage) { return Stage <= Last; }, Part::Before);
  if (L.Fused && L.Fused->isStore())
    L.Fused->pack(*Before, Before->getFirstTerminator());
  MachineBasicBlock::iterator BeforeRest = After.begin();
  for (unsigned First = 1; First < Stages; ++First)
    emitPart(
        After, BeforeRest, L, Schedule,
        [&](unsigned Stage) { return Stage >= First; }, Part::After);
  emitRepeat(L, Schedule);
  if (!L.fits())
    Changed.push_back(&emitHighHalf(L, After));
  fullyRecomputeLiveIns(Changed);
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
      Counted = analyze(*L);
    if (!Counted || !makeRepeat(*Counted, AA))
      useDecrementingBranch(*L);
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
