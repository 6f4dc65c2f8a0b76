// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Register allocation packs values into few registers, so that the next
// iteration of a loop cannot start before this one is done with them. Here the
// values that are born and die within the body are allocated once more, in the
// order of the program, each to the register that has not been used for
// longest. There are always enough registers, because there were.

#include "lib/Target/IPU/IPULocalRegisters.h"
#include "lib/Target/IPU/IPURegisterInfo.h"
#include "lib/Target/IPU/MCTargetDesc/IPUMCTargetDesc.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"

using namespace llvm;

namespace {

/// A value: its definition, its uses, and operands that change it in place.
struct LocalValue {
  SmallVector<MachineOperand *, 4> Operands;
  int Last = 0;
};

/// A register that values may be given, and the last instruction that has one
/// of them in it.
struct PoolEntry {
  MCRegister Reg;
  int BusyUntil = -1;
};

/// The values of one register class in a body.
class ClassAllocator {
  ArrayRef<MachineInstr *> Body;
  const TargetRegisterClass &Class;
  const TargetRegisterInfo &TRI;
  // In the order of their definitions, which are at Starts.
  std::vector<LocalValue> Values;
  std::vector<int> Starts;
  // Of a register now: an index of Values.
  DenseMap<MCRegister, size_t> Current;
  BitVector Excluded;

public:
  ClassAllocator(ArrayRef<MachineInstr *> Body,
                 const TargetRegisterClass &Class,
                 const TargetRegisterInfo &TRI)
      : Body(Body), Class(Class), TRI(TRI), Excluded(TRI.getNumRegs()) {}

  void run(function_ref<bool(MCRegister)> IsFree);

private:
  void exclude(MCRegister Reg);
  void visitUse(int Instr, MachineOperand &MO);
  void visitDef(int Instr, MachineOperand &MO);
  void collect();
  std::vector<PoolEntry> pool(function_ref<bool(MCRegister)> IsFree) const;
  MCRegister registerOf(const LocalValue &Value) const {
    return Value.Operands.front()->getReg().asMCReg();
  }
};

} // namespace

/// Values in this register stay where they are.
void ClassAllocator::exclude(MCRegister Reg) {
  for (MCRegAliasIterator Alias(Reg, &TRI, /*IncludeSelf=*/true);
       Alias.isValid(); ++Alias)
    Excluded.set(*Alias);
}

void ClassAllocator::visitUse(int Instr, MachineOperand &MO) {
  MCRegister Reg = MO.getReg().asMCReg();
  auto Found = Current.find(Reg);
  if (!Class.contains(Reg) || MO.isImplicit() || Found == Current.end()) {
    exclude(Reg);
    return;
  }
  LocalValue &Value = Values[Found->second];
  Value.Operands.push_back(&MO);
  Value.Last = Instr;
}

void ClassAllocator::visitDef(int Instr, MachineOperand &MO) {
  MCRegister Reg = MO.getReg().asMCReg();
  if (!Class.contains(Reg) || MO.isImplicit()) {
    exclude(Reg);
    return;
  }
  if (MO.isTied()) {
    visitUse(Instr, MO);
    return;
  }
  Current[Reg] = Values.size();
  Values.push_back({{&MO}, Instr});
  Starts.push_back(Instr);
}

void ClassAllocator::collect() {
  const MachineRegisterInfo &MRI = Body.front()->getMF()->getRegInfo();
  for (int I = 0, E = Body.size(); I != E; ++I)
    for (bool Defs : {false, true})
      for (MachineOperand &MO : Body[I]->operands()) {
        if (!MO.isReg() || !MO.getReg() || MO.isDef() != Defs ||
            MRI.isConstantPhysReg(MO.getReg()))
          continue;
        if (Defs)
          visitDef(I, MO);
        else
          visitUse(I, MO);
      }
}

std::vector<PoolEntry>
ClassAllocator::pool(function_ref<bool(MCRegister)> IsFree) const {
  std::vector<PoolEntry> Result;
  for (MCRegister Reg : Class)
    if (!Excluded.test(Reg) && IsFree(Reg))
      Result.push_back({Reg});
  return Result;
}

void ClassAllocator::run(function_ref<bool(MCRegister)> IsFree) {
  collect();
  for (const auto &[Reg, Value] : Current)
    if (!IsFree(Reg))
      exclude(Reg);
  std::vector<PoolEntry> Pool = pool(IsFree);
  for (size_t I = 0; I != Values.size(); ++I) {
    LocalValue &Value = Values[I];
    if (Excluded.test(registerOf(Value)))
      continue;
    PoolEntry &Entry = *std::min_element(
        Pool.begin(), Pool.end(), [](const PoolEntry &A, const PoolEntry &B) {
          return A.BusyUntil < B.BusyUntil;
        });
    for (MachineOperand *MO : Value.Operands)
      MO->setReg(Entry.Reg);
    Entry.BusyUntil = std::max(Value.Last, Starts[I] + 1);
  }
}

void llvm::spreadLocalValues(ArrayRef<MachineInstr *> Body,
                             function_ref<bool(MCRegister)> IsFree) {
  const TargetRegisterInfo &TRI =
      *Body.front()->getMF()->getSubtarget().getRegisterInfo();
  for (const TargetRegisterClass *Class :
       {&IPU::ARPairRegClass, &IPU::ARRegClass, &IPU::MRRegClass})
    ClassAllocator(Body, *Class, TRI).run(IsFree);
}
