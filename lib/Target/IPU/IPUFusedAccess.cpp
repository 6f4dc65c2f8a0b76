// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses that move their pointers by their own size are the ones to fuse: no
// register for the stride is needed then. The packed pointers are a copy, so
// that nothing else may use the originals.

#include "lib/Target/IPU/IPUFusedAccess.h"
#include "lib/Target/IPU/IPUInstrInfo.h"
#include "lib/Target/IPU/MCTargetDesc/IPUMCTargetDesc.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"

using namespace llvm;

// Each is a search more for each interval.
static constexpr unsigned MaxCandidates = 4;

static Register pointerOf(const MachineInstr &Access, const IPUInstrInfo &TII) {
  return TII.postIncrement(Access)->Pointer;
}

/// An access of 64 bits whose pointer goes on to the next ones, and is nobody
/// else's.
static bool mayFuse(const MachineInstr &MI, ArrayRef<MachineInstr *> Body,
                    const IPUInstrInfo &TII,
                    function_ref<bool(Register)> IsDead) {
  if (MI.getOpcode() != IPU::LD64STEP_i && MI.getOpcode() != IPU::ST64STEP_i)
    return false;
  auto Access = TII.postIncrement(MI);
  if (Access->Base != IPU::M15 || Access->Bytes != int64_t(Access->Size) ||
      !IsDead(Access->Pointer) || MI.hasOrderedMemoryRef())
    return false;
  return none_of(Body, [&](const MachineInstr *Other) {
    return Other != &MI &&
           Other->readsRegister(Access->Pointer, &TII.getRegisterInfo());
  });
}

SmallVector<IPUFusion, 4>
FusedAccess::candidates(ArrayRef<MachineInstr *> Body, const IPUInstrInfo &TII,
                        function_ref<bool(Register)> IsDead) {
  SmallVector<unsigned, 8> Loads, Stores;
  for (unsigned I = 0; I != Body.size(); ++I)
    if (mayFuse(*Body[I], Body, TII, IsDead))
      (Body[I]->mayStore() ? Stores : Loads).push_back(I);
  SmallVector<IPUFusion, 4> Result;
  for (const SmallVector<unsigned, 8> *Seconds : {&Stores, &Loads})
    for (unsigned First : Loads)
      for (unsigned Second : *Seconds)
        if ((Seconds == &Stores || First < Second) &&
            Result.size() < MaxCandidates)
          Result.push_back({First, Second});
  return Result;
}

MCRegister FusedAccess::findPair(const MachineInstr &First,
                                 const MachineInstr &Second,
                                 const IPUInstrInfo &TII,
                                 function_ref<bool(MCRegister)> IsFree) {
  const TargetRegisterInfo &TRI = TII.getRegisterInfo();
  for (MCRegister Pair : IPU::MRPairRegClass)
    if (all_of(TRI.subregs(Pair), [&](MCRegister Half) {
          return Half == pointerOf(First, TII) ||
                 Half == pointerOf(Second, TII) || IsFree(Half);
        }))
      return Pair;
  return MCRegister();
}

void FusedAccess::pack(MachineBasicBlock &MBB,
                       MachineBasicBlock::iterator Before) const {
  Register Load = pointerOf(*First, *TII), Other = pointerOf(*Second, *TII);
  BuildMI(MBB, Before, DebugLoc(), TII->get(IPU::TAPACK), Pair)
      .addReg(Load)
      .addReg(isStore() ? Load : Other)
      .addReg(isStore() ? Other : Register(IPU::M15));
}

/// Every pointer moves by the size of its access: the stride does not matter.
static const MachineInstrBuilder &addPacked(const MachineInstrBuilder &MIB,
                                            MCRegister Pair) {
  return MIB.addReg(Pair).addReg(IPU::M15).addImm(0);
}

MachineInstr *FusedAccess::createBoth() const {
  MachineFunction &MF = *First->getMF();
  unsigned Opcode = isStore() ? IPU::LDST64PACE : IPU::LD2X64PACE;
  MachineInstrBuilder MIB = BuildMI(MF, First->getDebugLoc(), TII->get(Opcode))
                                .addDef(First->getOperand(0).getReg());
  if (!isStore())
    MIB.addDef(Second->getOperand(0).getReg());
  MIB.addDef(Pair);
  if (isStore())
    MIB.addReg(Second->getOperand(1).getReg());
  addPacked(MIB, Pair);
  return MIB.cloneMergedMemRefs({First, Second});
}

MachineInstr *FusedAccess::createStore() const {
  MachineFunction &MF = *First->getMF();
  MachineInstrBuilder MIB =
      BuildMI(MF, Second->getDebugLoc(), TII->get(IPU::ST64PACE))
          .addDef(Pair)
          .addReg(Second->getOperand(1).getReg());
  return addPacked(MIB, Pair).cloneMemRefs(*Second);
}
