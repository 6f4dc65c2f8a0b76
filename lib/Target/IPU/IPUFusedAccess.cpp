// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each of the accesses moves its pointer, by its own size or by one of three
// strides that a register holds. The packed pointers are a copy, so that
// nothing else may use the originals.

#include "lib/Target/IPU/IPUFusedAccess.h"
#include "lib/Target/IPU/IPUInstrInfo.h"
#include "lib/Target/IPU/MCTargetDesc/IPUMCTargetDesc.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"

using namespace llvm;

// The most candidates of each kind; each one costs another search per interval.
static constexpr unsigned MaxOfKind = 3;

static Register pointerOf(const MachineInstr &Access, const IPUInstrInfo &TII) {
  return TII.postIncrement(Access)->Pointer;
}

static MCRegister destination(const MachineInstr &Load) {
  return Load.getOperand(0).getReg().asMCReg();
}

// The width of a field of the register with the strides.
static constexpr unsigned StrideBits = 10;

/// Returns the step of an access's pointer, in units of the access size.
static int64_t stepOf(const MachineInstr &Access, const IPUInstrInfo &TII) {
  auto Step = TII.postIncrement(Access);
  return Step->Bytes / Step->Size;
}

/// Returns whether an access has 64 bits and moves a pointer that only it uses.
static bool mayFuse(const MachineInstr &MI, ArrayRef<MachineInstr *> Body,
                    const IPUInstrInfo &TII,
                    function_ref<bool(Register)> IsDead) {
  if (MI.getOpcode() != IPU::LD64STEP_i && MI.getOpcode() != IPU::ST64STEP_i)
    return false;
  auto Access = TII.postIncrement(MI);
  if (Access->Base != IPU::M15 || !IsDead(Access->Pointer) ||
      MI.hasOrderedMemoryRef())
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
                         FusedRegisters Registers, const IPUInstrInfo &TII)
    : TII(&TII), Load(Body[Fusion.Load]),
      OtherLoad(Fusion.OtherLoad ? Body[*Fusion.OtherLoad] : nullptr),
      Store(Fusion.Store ? Body[*Fusion.Store] : nullptr),
      Registers(Registers) {
  // The first half of a quad is loaded by the first pointer.
  if (Fusion.needsQuad() &&
      destination(*OtherLoad).id() < destination(*Load).id())
    std::swap(Load, OtherLoad);
  for (const MachineInstr *Access : accesses())
    if (int64_t Step = stepOf(*Access, TII);
        Step != 1 && !is_contained(Strides, Step))
      Strides.push_back(Step);
}

SmallVector<const MachineInstr *, 3> FusedAccess::accesses() const {
  SmallVector<const MachineInstr *, 3> Result;
  for (const MachineInstr *Access : {Load, OtherLoad, Store})
    if (Access)
      Result.push_back(Access);
  return Result;
}

FusedRegisters
FusedAccess::findRegisters(ArrayRef<MachineInstr *> Body,
                           const IPUFusion &Fusion, const IPUInstrInfo &TII,
                           function_ref<bool(MCRegister)> IsFree) {
  const TargetRegisterInfo &TRI = TII.getRegisterInfo();
  FusedAccess Access(Body, Fusion, {}, TII);
  SmallVector<Register, 3> Pointers;
  for (const MachineInstr *Part : Access.accesses())
    Pointers.push_back(pointerOf(*Part, TII));
  FusedRegisters Result;
  auto Pair = find_if(IPU::MRPairRegClass, [&](MCRegister Pair) {
    return all_of(TRI.subregs(Pair), [&](MCRegister Half) {
      return is_contained(Pointers, Register(Half)) || IsFree(Half);
    });
  });
  if (Pair == IPU::MRPairRegClass.end())
    return Result;
  if (!Access.Strides.empty()) {
    auto Free = find_if(IPU::MRRegClass, [&](MCRegister Reg) {
      return IsFree(Reg) && !TRI.isSubRegister(*Pair, Reg);
    });
    if (Free == IPU::MRRegClass.end())
      return Result;
    Result.Strides = *Free;
  }
  Result.Pair = *Pair;
  return Result;
}

void FusedAccess::pack(MachineBasicBlock &MBB,
                       MachineBasicBlock::iterator Before) const {
  Register First = pointerOf(*Load, *TII);
  BuildMI(MBB, Before, DebugLoc(), TII->get(IPU::TAPACK), Registers.Pair)
      .addReg(First)
      .addReg(OtherLoad ? pointerOf(*OtherLoad, *TII) : First)
      .addReg(Store ? pointerOf(*Store, *TII) : Register(IPU::M15));
  if (Strides.empty())
    return;
  uint32_t Fields = 0;
  for (unsigned I = 0; I != Strides.size(); ++I)
    Fields |= (uint32_t(Strides[I]) & maskTrailingOnes<uint32_t>(StrideBits))
              << (I * StrideBits);
  TII->loadConstant(MBB, Before, DebugLoc(), Registers.Strides, Fields);
}

/// Adds the pointers, the strides, and which pointer moves by which: two bits
/// each, 0 for the size of the access.
const MachineInstrBuilder &
FusedAccess::addPacked(const MachineInstrBuilder &MIB,
                       ArrayRef<const MachineInstr *> Moving) const {
  int64_t Selectors = 0;
  for (unsigned I = 0; I != Moving.size(); ++I) {
    const auto *Stride = find(Strides, stepOf(*Moving[I], *TII));
    if (Stride != Strides.end())
      Selectors |= (Stride - Strides.begin() + 1) << (2 * I);
  }
  return MIB.addReg(Registers.Pair)
      .addReg(Strides.empty() ? MCRegister(IPU::M15) : Registers.Strides)
      .addImm(Selectors);
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
  MIB.addDef(Registers.Pair);
  if (Store)
    MIB.addReg(Store->getOperand(1).getReg());
  return addPacked(MIB, accesses()).cloneMergedMemRefs(accesses());
}

MachineInstr *FusedAccess::createStore() const {
  MachineFunction &MF = *Load->getMF();
  MachineInstrBuilder MIB =
      BuildMI(MF, Store->getDebugLoc(), TII->get(IPU::ST64PACE))
          .addDef(Registers.Pair)
          .addReg(Store->getOperand(1).getReg());
  return addPacked(MIB, Store).cloneMemRefs(*Store);
}
