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

// Of each kind; each is a search more for each interval.
static constexpr unsigned MaxOfKind = 3;

static Register pointerOf(const MachineInstr &Access, const IPUInstrInfo &TII) {
  return TII.postIncrement(Access)->Pointer;
}

static MCRegister destination(const MachineInstr &Load) {
  return Load.getOperand(0).getReg().asMCReg();
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

SmallVector<IPUFusion, 8>
FusedAccess::candidates(ArrayRef<MachineInstr *> Body, const IPUInstrInfo &TII,
                        function_ref<bool(Register)> IsDead) {
  SmallVector<unsigned, 8> Loads, Stores;
  for (unsigned I = 0; I != Body.size(); ++I)
    if (mayFuse(*Body[I], Body, TII, IsDead))
      (Body[I]->mayStore() ? Stores : Loads).push_back(I);
  SmallVector<IPUFusion, 8> All, WithStore, OfLoads;
  for (unsigned Load : Loads) {
    for (unsigned Store : Stores)
      WithStore.push_back({Load, std::nullopt, Store});
    for (unsigned Other : Loads) {
      if (Other <= Load)
        continue;
      OfLoads.push_back({Load, Other, std::nullopt});
      for (unsigned Store : Stores)
        All.push_back({Load, Other, Store});
    }
  }
  SmallVector<IPUFusion, 8> Result;
  for (const SmallVector<IPUFusion, 8> &Kind : {All, WithStore, OfLoads})
    append_range(Result, ArrayRef(Kind).take_front(MaxOfKind));
  return Result;
}

FusedAccess::FusedAccess(ArrayRef<MachineInstr *> Body, const IPUFusion &Fusion,
                         MCRegister Pair, const IPUInstrInfo &TII)
    : TII(&TII), Load(Body[Fusion.Load]),
      OtherLoad(Fusion.OtherLoad ? Body[*Fusion.OtherLoad] : nullptr),
      Store(Fusion.Store ? Body[*Fusion.Store] : nullptr), Pair(Pair) {
  // The first half of a quad is loaded by the first pointer.
  if (Fusion.needsQuad() &&
      destination(*OtherLoad).id() < destination(*Load).id())
    std::swap(Load, OtherLoad);
}

MCRegister FusedAccess::findPair(ArrayRef<MachineInstr *> Body,
                                 const IPUFusion &Fusion,
                                 const IPUInstrInfo &TII,
                                 function_ref<bool(MCRegister)> IsFree) {
  const TargetRegisterInfo &TRI = TII.getRegisterInfo();
  SmallVector<Register, 3> Pointers = {pointerOf(*Body[Fusion.Load], TII)};
  for (std::optional<unsigned> Part : {Fusion.OtherLoad, Fusion.Store})
    if (Part)
      Pointers.push_back(pointerOf(*Body[*Part], TII));
  for (MCRegister Pair : IPU::MRPairRegClass)
    if (all_of(TRI.subregs(Pair), [&](MCRegister Half) {
          return is_contained(Pointers, Register(Half)) || IsFree(Half);
        }))
      return Pair;
  return MCRegister();
}

void FusedAccess::pack(MachineBasicBlock &MBB,
                       MachineBasicBlock::iterator Before) const {
  Register First = pointerOf(*Load, *TII);
  BuildMI(MBB, Before, DebugLoc(), TII->get(IPU::TAPACK), Pair)
      .addReg(First)
      .addReg(OtherLoad ? pointerOf(*OtherLoad, *TII) : First)
      .addReg(Store ? pointerOf(*Store, *TII) : Register(IPU::M15));
}

/// Every pointer moves by the size of its access: the stride does not matter.
static const MachineInstrBuilder &addPacked(const MachineInstrBuilder &MIB,
                                            MCRegister Pair) {
  return MIB.addReg(Pair).addReg(IPU::M15).addImm(0);
}

MachineInstr *FusedAccess::createAll() const {
  MachineFunction &MF = *Load->getMF();
  unsigned Opcode = !Store      ? IPU::LD2X64PACE
                    : OtherLoad ? IPU::LD2XST64PACE
                                : IPU::LDST64PACE;
  MCRegister Loaded = destination(*Load);
  if (Store && OtherLoad)
    Loaded = TII->getRegisterInfo().getMatchingSuperReg(
        Loaded, IPU::sub_pair_lo, &IPU::ARQuadRegClass);
  MachineInstrBuilder MIB =
      BuildMI(MF, Load->getDebugLoc(), TII->get(Opcode)).addDef(Loaded);
  if (!Store)
    MIB.addDef(destination(*OtherLoad));
  MIB.addDef(Pair);
  if (Store)
    MIB.addReg(Store->getOperand(1).getReg());
  addPacked(MIB, Pair);
  SmallVector<const MachineInstr *, 3> Accesses;
  for (const MachineInstr *Access : {Load, OtherLoad, Store})
    if (Access)
      Accesses.push_back(Access);
  return MIB.cloneMergedMemRefs(Accesses);
}

MachineInstr *FusedAccess::createStore() const {
  MachineFunction &MF = *Load->getMF();
  MachineInstrBuilder MIB =
      BuildMI(MF, Store->getDebugLoc(), TII->get(IPU::ST64PACE))
          .addDef(Pair)
          .addReg(Store->getOperand(1).getReg());
  return addPacked(MIB, Pair).cloneMemRefs(*Store);
}
