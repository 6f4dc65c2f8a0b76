// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows pointers that nothing but post-increments and constant additions
// move. An access has such a pointer as base or as delta, beside $mzero.

#include "lib/Target/IPU/IPULoopAddresses.h"
#include "lib/Target/IPU/IPUInstrInfo.h"
#include "lib/Target/IPU/MCTargetDesc/IPUMCTargetDesc.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"

using namespace llvm;

/// Returns whether an instruction adds a constant to a register.
static bool isAddition(const MachineInstr &MI) {
  return MI.getOpcode() == IPU::ADD_rs && MI.getOperand(1).isReg() &&
         MI.getOperand(2).isImm() &&
         MI.getOperand(0).getReg() == MI.getOperand(1).getReg();
}

/// The bytes that an instruction adds to a register, if it does nothing else to
/// it.
static std::optional<int64_t> step(const MachineInstr &MI, Register Pointer,
                                   const IPUInstrInfo &TII) {
  const TargetRegisterInfo *TRI = &TII.getRegisterInfo();
  unsigned Writes = count_if(MI.all_defs(), [&](const MachineOperand &Def) {
    return TRI->regsOverlap(Def.getReg(), Pointer);
  });
  if (Writes == 0)
    return 0;
  if (Writes > 1)
    return std::nullopt;
  if (isAddition(MI) && MI.getOperand(0).getReg() == Pointer)
    return MI.getOperand(2).getImm();
  auto Access = TII.postIncrement(MI);
  if (Access && Access->Pointer == Pointer && Access->Base == IPU::M15)
    return Access->Bytes;
  return std::nullopt;
}

/// The register that alone makes the address of an access, or none.
static Register pointerOf(const MachineInstr &MI, const IPUInstrInfo &TII) {
  bool HasOffset = TII.memoryScale(MI.getOpcode()) != 0;
  if ((!HasOffset && !TII.postIncrement(MI)) || MI.getNumMemOperands() == 0)
    return Register();
  // Register, base, delta, offset; or with a new pointer, and a stride.
  unsigned Base = HasOffset ? 1 : 2;
  Register First = MI.getOperand(Base).getReg();
  Register Second = MI.getOperand(Base + 1).getReg();
  if (First == IPU::M15)
    return Second;
  return Second == IPU::M15 ? First : Register();
}

LoopAddresses::LoopAddresses(SmallVectorImpl<MachineInstr *> &Body,
                             const MachineBasicBlock *Entry,
                             const IPUInstrInfo &TII)
    : Body(Body), Entry(Entry), TII(TII) {
  SmallVector<Register, 8> Pointers;
  for (const MachineInstr *MI : Body)
    if (Register Pointer = pointerOf(*MI, TII);
        Pointer && !is_contained(Pointers, Pointer))
      Pointers.push_back(Pointer);
  for (Register Pointer : Pointers)
    analyzePointer(Pointer);
}

// Copies and additions of constants are followed back through one block.
LoopAddresses::Origin LoopAddresses::originOf(Register Pointer) const {
  Origin From{Pointer};
  if (!Entry)
    return From;
  for (const MachineInstr &MI : reverse(*Entry)) {
    if (MI.isDebugInstr() ||
        !MI.modifiesRegister(From.Reg, &TII.getRegisterInfo()))
      continue;
    bool IsCopy = MI.getOpcode() == IPU::OR_m_rz && MI.getOperand(2).isImm() &&
                  MI.getOperand(2).getImm() == 0;
    bool IsSum = MI.getOpcode() == IPU::ADD_rs && MI.getOperand(1).isReg() &&
                 MI.getOperand(2).isImm();
    if (!IsCopy && !IsSum) {
      From.Def = &MI;
      break;
    }
    From.Reg = MI.getOperand(1).getReg();
    From.Offset += MI.getOperand(2).getImm();
  }
  return From;
}

void LoopAddresses::analyzePointer(Register Pointer) {
  Origin From = originOf(Pointer);
  SmallVector<std::pair<const MachineInstr *, Address>, 8> Found;
  int64_t Moved = 0;
  for (const MachineInstr *MI : Body) {
    if (pointerOf(*MI, TII) == Pointer) {
      int64_t Size = TII.memoryScale(MI->getOpcode());
      int64_t Offset = Size ? Size * MI->getOperand(3).getImm() : 0;
      if (!Size)
        Size = TII.postIncrement(*MI)->Size;
      Found.push_back(
          {MI, {Pointer, From, Moved + Offset, Size, /*Stride=*/0}});
    }
    std::optional<int64_t> Bytes = step(*MI, Pointer, TII);
    if (!Bytes)
      return;
    Moved += *Bytes;
  }
  for (auto &[MI, Place] : Found) {
    Place.Stride = Moved;
    Addresses[MI] = Place;
  }
}

// Iterations only get farther apart: it is enough to look at the next one.
bool LoopAddresses::mayMeet(const MachineInstr &First,
                            const MachineInstr &Second) const {
  auto A = Addresses.find(&First), B = Addresses.find(&Second);
  if (A == Addresses.end() || B == Addresses.end())
    return true;
  const Address &X = A->second, &Y = B->second;
  if (X.From.Reg != Y.From.Reg || X.From.Def != Y.From.Def ||
      X.Stride != Y.Stride)
    return true;
  int64_t Place = X.From.Offset + X.Offset;
  int64_t Next = Y.From.Offset + Y.Offset + X.Stride;
  if (X.Stride > 0)
    return Next < Place + X.Size;
  return X.Stride == 0 || Next + Y.Size > Place;
}

/// The only load before a store that uses its pointer, if the load can have
/// moved its own as far.
MachineInstr *LoopAddresses::loadToSplit(const MachineInstr &Store) const {
  const TargetRegisterInfo *TRI = &TII.getRegisterInfo();
  auto Place = Addresses.find(&Store);
  if (Place == Addresses.end() || !Store.mayStore() ||
      !TII.postIncrement(Store))
    return nullptr;
  Register Pointer = Place->second.Pointer;
  MachineInstr *Load = nullptr;
  for (MachineInstr *MI : Body) {
    if (MI == &Store || !MI->readsRegister(Pointer, TRI))
      continue;
    if (Load)
      return nullptr;
    Load = MI;
  }
  if (!Load || !Load->mayLoad() || !TII.memoryScale(Load->getOpcode()))
    return nullptr;
  auto Loaded = Addresses.find(Load);
  if (Loaded == Addresses.end())
    return nullptr;
  const Address &From = Loaded->second;
  bool CanStep =
      From.Stride % From.Size == 0 && isInt<8>(From.Stride / From.Size);
  return CanStep && isInt<16>(From.Offset) ? Load : nullptr;
}

SmallVector<SplitPointer, 2>
LoopAddresses::splitPointers(function_ref<MCRegister()> FreeRegister) {
  SmallVector<SplitPointer, 2> Result;
  for (MachineInstr *Store : Body) {
    MachineInstr *Load = loadToSplit(*Store);
    MCRegister Own = Load ? FreeRegister() : MCRegister();
    if (!Own)
      continue;
    const Address &From = Addresses.find(Load)->second;
    Result.push_back({Own, From.Pointer, From.Offset});
    TII.makeStepping(*Load, Own, From.Stride / From.Size);
  }
  return Result;
}

/// Returns all accesses of a pointer, if there are several, each has 64 bits
/// and each can move the pointer as far as an iteration does.
SmallVector<MachineInstr *, 4>
LoopAddresses::accessesToSeparate(Register Pointer) const {
  const TargetRegisterInfo *TRI = &TII.getRegisterInfo();
  SmallVector<MachineInstr *, 4> Result;
  for (MachineInstr *MI : Body) {
    if (!MI->readsRegister(Pointer, TRI) || isAddition(*MI))
      continue;
    auto Place = Addresses.find(MI);
    if (Place == Addresses.end() || Place->second.Pointer != Pointer)
      return {};
    const Address &At = Place->second;
    if (At.Size != 8 || At.Stride % At.Size || !isInt<8>(At.Stride / At.Size) ||
        !isInt<16>(At.Offset))
      return {};
    Result.push_back(MI);
  }
  if (Result.size() < 2)
    return {};
  return Result;
}

SmallVector<Register, 4> LoopAddresses::sharedPointers() const {
  SmallVector<Register, 4> Result;
  for (const MachineInstr *MI : Body) {
    auto Place = Addresses.find(MI);
    if (Place == Addresses.end())
      continue;
    Register Pointer = Place->second.Pointer;
    if (!is_contained(Result, Pointer) && !accessesToSeparate(Pointer).empty())
      Result.push_back(Pointer);
  }
  return Result;
}

SmallVector<SplitPointer, 2>
LoopAddresses::separate(Register Pointer,
                        function_ref<MCRegister()> FreeRegister) {
  SmallVector<SplitPointer, 2> Result;
  MachineInstr *Keeper = nullptr;
  for (MachineInstr *MI : accessesToSeparate(Pointer)) {
    const Address &At = Addresses.find(MI)->second;
    if (!Keeper && At.Offset == 0) {
      Keeper = MI;
      continue;
    }
    MCRegister Own = FreeRegister();
    if (!Own)
      return Result;
    Result.push_back({Own, Pointer, At.Offset});
    TII.makeStepping(*MI, Own, At.Stride / At.Size);
  }
  if (Keeper) {
    const Address &At = Addresses.find(Keeper)->second;
    TII.makeStepping(*Keeper, Pointer, At.Stride / At.Size);
  }
  llvm::erase_if(Body, [&](const MachineInstr *MI) {
    return isAddition(*MI) && MI->getOperand(0).getReg() == Pointer;
  });
  return Result;
}
