// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With two stages:
//
//     before:  first half of the first iteration
//     body:    { second half of an iteration ; first half of the next one }
//     after:   second half of the last iteration
//
// The body is repeated once less than the loop. A loop runs at least once, so
// two stages are right for every count (`rpt` takes zero). If more stages make
// the loop shorter, a test in front sends smaller counts to a loop whose
// iterations do not overlap.
//
// Accesses that are fused in the loop are separate instructions in front of it.
// Then their pointers are packed, and the stores behind the loop use the packed
// pointers.
//
// `rpt` counts the low part of a register: 16 bits, on ipu1 12. If the count
// may be larger, a block behind the loop does the iterations of each one in the
// high part. It does one iteration itself, takes one from the high part, sets
// all bits of the low part, and goes back to the loop for the others. The usual
// count pays only for the test of the high part.

#include "lib/Target/IPU/IPURepeat.h"
#include "lib/Target/IPU/IPUBundle.h"
#include "lib/Target/IPU/IPUCountedBlock.h"
#include "lib/Target/IPU/IPUInstrInfo.h"
#include "lib/Target/IPU/IPULoopCounter.h"
#include "lib/Target/IPU/IPUModuloScheduler.h"
#include "lib/Target/IPU/IPUSubtarget.h"
#include "lib/Target/IPU/MCTargetDesc/IPUBaseInfo.h"
#include "lib/Target/IPU/MCTargetDesc/IPUMCTargetDesc.h"
#include "llvm/CodeGen/LivePhysRegs.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"

using namespace llvm;

static constexpr unsigned MaxImmediateCount = 4095;

namespace {

/// The parts of a repeated loop: code that runs once before the repetition, the
/// repeated code, code that runs once after it, and a whole iteration of its
/// own.
enum class Part { Before, Repeated, After, Alone };

class Emitter {
  CountedBlock &L;
  const IPUModuloSchedule &Schedule;
  const IPUInstrInfo &TII;
  MachineFunction &MF;
  const unsigned CountBits; // of `rpt`

public:
  Emitter(CountedBlock &L, const IPUModuloSchedule &Schedule,
          const IPUInstrInfo &TII)
      : L(L), Schedule(Schedule), TII(TII), MF(*L.Block->getParent()),
        CountBits(MF.getSubtarget<IPUSubtarget>().repeatBits()) {}

  void run();

private:
  bool hasImmediateCount() const {
    return L.Count && L.Count <= MaxImmediateCount;
  }
  void preparePointers(MachineBasicBlock &Before);
  void dropConstant(MachineBasicBlock &MBB, Register Reg);
  MachineBasicBlock &blockAfter(bool OfItsOwn);
  MachineBasicBlock &emitTestForFew(MachineBasicBlock &Before);
  void emitPart(MachineBasicBlock &MBB, MachineBasicBlock::iterator Before,
                function_ref<bool(unsigned Stage)> Wanted, Part P);
  void emitSlot(MachineBasicBlock &MBB, MachineBasicBlock::iterator Before,
                IPUSlot Slot, bool Full);
  void emitBody();
  MachineBasicBlock &emitHighPart(MachineBasicBlock &After);
};

} // namespace

//===----------------------------------------------------------------------===//
// Around the loop
//===----------------------------------------------------------------------===//

void Emitter::preparePointers(MachineBasicBlock &Before) {
  for (const SplitPointer &New : L.NewPointers)
    BuildMI(Before, Before.getFirstTerminator(), DebugLoc(),
            TII.get(IPU::ADD_rs), New.Own)
        .addReg(New.Pointer)
        .addImm(New.Offset);
}

/// Removes an instruction that gives a register its constant value.
void Emitter::dropConstant(MachineBasicBlock &MBB, Register Reg) {
  for (MachineInstr &MI : reverse(MBB)) {
    if (MI.isDebugInstr() || !touches(MI, Reg))
      continue;
    if (MI.getOpcode() == IPU::SETZI_m)
      MI.eraseFromParent();
    return;
  }
}

/// The block that the loop falls through to, at whose start instructions go
/// that are to run once after it.
MachineBasicBlock &Emitter::blockAfter(bool OfItsOwn) {
  if (!OfItsOwn && L.Exit->pred_size() == 1 &&
      L.Block->isLayoutSuccessor(L.Exit))
    return *L.Exit;
  MachineBasicBlock *After =
      MF.CreateMachineBasicBlock(L.Exit->getBasicBlock());
  MF.insert(std::next(L.Block->getIterator()), After);
  L.Block->replaceSuccessor(L.Exit, After);
  After->addSuccessor(L.Exit);
  if (!After->isLayoutSuccessor(L.Exit))
    BuildMI(After, DebugLoc(), TII.get(IPU::BRI)).addMBB(L.Exit);
  return *After;
}

//===----------------------------------------------------------------------===//
// Instructions of a schedule
//===----------------------------------------------------------------------===//

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
void Emitter::emitSlot(MachineBasicBlock &MBB,
                       MachineBasicBlock::iterator Before, IPUSlot Slot,
                       bool Full) {
  MachineInstr *Main = copyOf(Slot.Main, MF), *Aux = copyOf(Slot.Aux, MF);
  if (Full && !Main)
    Main = BuildMI(MF, DebugLoc(), TII.get(IPU::OR_m_rz), IPU::M15)
               .addReg(IPU::M15)
               .addImm(0);
  if (Full && !Aux)
    Aux = BuildMI(MF, DebugLoc(), TII.get(IPU::OR_a_rz), IPU::A15)
              .addReg(IPU::A15)
              .addImm(0);
  for (MachineInstr *Half : {Main, Aux})
    if (Half)
      MBB.insert(Before, Half);
  if (!Main || !Aux)
    return;
  bool AuxReadsMain = any_of(Main->all_defs(), [&](const MachineOperand &Def) {
    return Aux->readsRegister(Def.getReg(), &TII.getRegisterInfo());
  });
  if (Full || AuxReadsMain)
    makeIPUBundle(*Main, *Aux);
}

/// Emits one interval of the schedule, with the stages that the part needs.
void Emitter::emitPart(MachineBasicBlock &MBB,
                       MachineBasicBlock::iterator Before,
                       function_ref<bool(unsigned Stage)> Wanted, Part P) {
  std::vector<IPUSlot> Slots(Schedule.Interval);
  // Loads go ahead of a store that is fused with them, and on their own.
  bool Fused = Schedule.Fused && P != Part::Alone &&
               !(P == Part::Before && L.Fused->isStore());
  std::vector<MachineInstr *> Behind(Schedule.Interval);
  for (size_t I = 0; I != L.Body.size(); ++I) {
    if (!Wanted(Schedule.stageOf(I)))
      continue;
    MachineInstr *MI = L.Body[I];
    unsigned Place = Schedule.Slots[I] % Schedule.Interval;
    if (Fused && Schedule.Fused->isPart(I)) {
      if (Wanted(Schedule.stageOf(Schedule.Fused->Load)))
        continue;
      MI = L.Fused->createStore();
    } else if (Fused && I == Schedule.Fused->Load) {
      MI = L.Fused->createAll();
    } else if (Schedule.Fused && Schedule.Fused->OtherLoad == I) {
      Behind[Place] = MI;
      continue;
    }
    if (Schedule.Delayed && I == Schedule.Delayed->Read &&
        Wanted(Schedule.stageOf(Schedule.Delayed->Start)))
      continue;
    if (Schedule.Delayed && I == Schedule.Delayed->Start &&
        Wanted(Schedule.stageOf(Schedule.Delayed->Read))) {
      MI = MF.CloneMachineInstr(MI);
      MI->getOperand(0).setReg(
          L.Body[Schedule.Delayed->Read]->getOperand(0).getReg());
    }
    (IPUII::isAux(MI->getDesc()) ? Slots[Place].Aux : Slots[Place].Main) = MI;
  }
  for (unsigned Place = 0; Place != Schedule.Interval; ++Place) {
    emitSlot(MBB, Before, Slots[Place], P == Part::Repeated);
    emitSlot(MBB, Before, {Behind[Place], nullptr}, /*Full=*/false);
  }
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// The new contents of the block.
void Emitter::emitBody() {
  MachineBasicBlock &MBB = *L.Block;
  unsigned Repeated = L.Count - (Schedule.stages() - 1);
  MachineBasicBlock::iterator Old = MBB.begin();
  MachineInstr *Repeat =
      hasImmediateCount()
          ? BuildMI(MBB, Old, DebugLoc(), TII.get(IPU::RPT_i)).addImm(Repeated)
          : BuildMI(MBB, Old, DebugLoc(), TII.get(IPU::RPT_r))
                .addReg(L.Counter);
  Repeat->addOperand(MachineOperand::CreateImm(Schedule.Interval - 1));
  // A body starts at a multiple of eight bytes.
  MachineInstr *Idle =
      BuildMI(MBB, Old, DebugLoc(), TII.get(IPU::OR_a_rz), IPU::A15)
          .addReg(IPU::A15)
          .addImm(0);
  makeIPUBundle(*Repeat, *Idle);
  MBB.setAlignment(Align(8));
  MF.ensureAlignment(Align(8));
  emitPart(MBB, Old, [](unsigned) { return true; }, Part::Repeated);
  MBB.erase(Old, MBB.end());
  MBB.removeSuccessor(&MBB);
}

/// Emits the block behind a loop whose count may have a high part, which does
/// the iterations of that part.
MachineBasicBlock &Emitter::emitHighPart(MachineBasicBlock &After) {
  MachineBasicBlock &MBB = *L.Block;
  MachineBasicBlock *High = MF.CreateMachineBasicBlock(MBB.getBasicBlock());
  MF.insert(std::next(MBB.getIterator()), High);
  // The first bundle precedes the body that the loop repeats.
  for (const MachineInstr &MI : make_range(std::next(MBB.begin()), MBB.end()))
    MF.cloneMachineInstrBundle(*High, High->end(), MI);
  BuildMI(High, DebugLoc(), TII.get(IPU::SHL_rz), L.Counter)
      .addReg(L.Counter)
      .addImm(CountBits);
  BuildMI(High, DebugLoc(), TII.get(IPU::ADD_rs), L.Counter)
      .addReg(L.Counter)
      .addImm(-1);
  BuildMI(High, DebugLoc(), TII.get(IPU::BRI)).addMBB(&MBB);
  High->addSuccessor(&MBB);

  BuildMI(&MBB, DebugLoc(), TII.get(IPU::SHR_rz), L.Counter)
      .addReg(L.Counter)
      .addImm(CountBits);
  BuildMI(&MBB, DebugLoc(), TII.get(IPU::BRZ)).addReg(L.Counter).addMBB(&After);
  MBB.addSuccessor(High);
  return *High;
}

/// Splits the way to the loop: few iterations go past it. Returns the block in
/// which the other way goes on.
MachineBasicBlock &Emitter::emitTestForFew(MachineBasicBlock &Before) {
  unsigned Enough = Schedule.stages() - 1;
  MachineBasicBlock *Enter =
      MF.CreateMachineBasicBlock(L.Block->getBasicBlock());
  MF.insert(L.Block->getIterator(), Enter);
  Before.ReplaceUsesOfBlockWith(L.Block, Enter);
  Enter->addSuccessor(L.Block);
  MachineBasicBlock *Few = MF.CreateMachineBasicBlock(L.Block->getBasicBlock());
  MF.insert(MF.end(), Few);
  Before.addSuccessor(Few);
  Few->addSuccessor(L.Exit);

  MachineBasicBlock::iterator End = Before.getFirstTerminator();
  bool OnlyOne = Enough == 2;
  BuildMI(Before, End, DebugLoc(),
          TII.get(OnlyOne ? IPU::CMPEQ_rs : IPU::CMPULT_rz), L.TestRegister)
      .addReg(L.Counter)
      .addImm(OnlyOne ? 1 : Enough);
  BuildMI(Before, End, DebugLoc(), TII.get(IPU::BRNZ))
      .addReg(L.TestRegister)
      .addMBB(Few);
  for (unsigned Only = 0; Only != Schedule.stages(); ++Only)
    emitPart(
        *Few, Few->end(), [&](unsigned Stage) { return Stage == Only; },
        Part::Alone);
  if (!OnlyOne) {
    Few->addSuccessor(Few);
    BuildMI(Few, DebugLoc(), TII.get(IPU::ADD_rs), L.Counter)
        .addReg(L.Counter)
        .addImm(-1);
    BuildMI(Few, DebugLoc(), TII.get(IPU::BRNZ)).addReg(L.Counter).addMBB(Few);
  }
  BuildMI(Few, DebugLoc(), TII.get(IPU::BRI)).addMBB(L.Exit);
  return *Enter;
}

void Emitter::run() {
  unsigned Stages = Schedule.stages();
  MachineBasicBlock *Before = &blockBefore(*L.Block);
  bool HasTest = !L.Count && Stages > MaxStagesOfOne;
  MachineBasicBlock &After = blockAfter(HasTest);
  SmallVector<MachineBasicBlock *, 6> Changed = {&After, L.Block, Before};
  preparePointers(*Before);
  if (HasTest) {
    Before = &emitTestForFew(*Before);
    Changed.append({Before, &MF.back()});
  }
  if (hasImmediateCount())
    dropConstant(*Before, L.Counter);
  else if (Stages > 1)
    addToCounter(*Before, L.Counter, 1 - int(Stages), TII);
  if (L.Fused && !L.Fused->isStore())
    L.Fused->pack(*Before, Before->getFirstTerminator());
  for (unsigned Last = 0; Last + 1 < Stages; ++Last)
    emitPart(
        *Before, Before->getFirstTerminator(),
        [&](unsigned Stage) { return Stage <= Last; }, Part::Before);
  if (L.Fused && L.Fused->isStore())
    L.Fused->pack(*Before, Before->getFirstTerminator());
  MachineBasicBlock::iterator BeforeRest = After.begin();
  for (unsigned First = 1; First < Stages; ++First)
    emitPart(
        After, BeforeRest, [&](unsigned Stage) { return Stage >= First; },
        Part::After);
  emitBody();
  if (!L.fits())
    Changed.push_back(&emitHighPart(After));
  fullyRecomputeLiveIns(Changed);
}

void llvm::emitRepeat(CountedBlock &L, const IPUModuloSchedule &Schedule,
                      const IPUInstrInfo &TII) {
  Emitter(L, Schedule, TII).run();
}
