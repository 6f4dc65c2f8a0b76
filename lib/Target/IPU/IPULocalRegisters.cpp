// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Register allocation packs values into few registers, so that the next
// iteration of a loop cannot start before this one is done with them. Here the
// values that are born and die within the body get their registers once more:
// spread over all that are free before there is a schedule, or fitted to one. A
// value has its register from the slot that writes it to the last that reads
// it, when another one may already be written; the slots of all iterations fall
// together in one interval, where a search with a limited number of steps finds
// a register for each value.

#include "lib/Target/IPU/IPULocalRegisters.h"
#include "lib/Target/IPU/IPURegisterInfo.h"
#include "lib/Target/IPU/MCTargetDesc/IPUMCTargetDesc.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

// Registers that are tried for a schedule, over all values.
static constexpr unsigned MaxTries = 2000;

//===----------------------------------------------------------------------===//
// Finding the values
//===----------------------------------------------------------------------===//

/// The values of one register class in a body.
class LocalValues::Collector {
  ArrayRef<MachineInstr *> Body;
  const TargetRegisterClass &Class;
  const TargetRegisterInfo &TRI;
  std::vector<Value> Values;
  // Maps a register to its current value: an index of Values.
  DenseMap<MCRegister, size_t> Current;
  BitVector Excluded;

public:
  Collector(ArrayRef<MachineInstr *> Body, const TargetRegisterClass &Class,
            const TargetRegisterInfo &TRI)
      : Body(Body), Class(Class), TRI(TRI), Excluded(TRI.getNumRegs()) {}

  std::vector<Value> run(function_ref<bool(MCRegister)> IsFree);

private:
  void exclude(MCRegister Reg);
  void visitUse(unsigned Instr, MachineOperand &MO);
  void visitDef(unsigned Instr, MachineOperand &MO);
};

/// Values in this register stay where they are.
void LocalValues::Collector::exclude(MCRegister Reg) {
  for (MCRegAliasIterator Alias(Reg, &TRI, /*IncludeSelf=*/true);
       Alias.isValid(); ++Alias)
    Excluded.set(*Alias);
}

void LocalValues::Collector::visitUse(unsigned Instr, MachineOperand &MO) {
  MCRegister Reg = MO.getReg().asMCReg();
  auto Found = Current.find(Reg);
  if (!Class.contains(Reg) || MO.isImplicit() || Found == Current.end()) {
    exclude(Reg);
    return;
  }
  Value &V = Values[Found->second];
  V.Operands.push_back(&MO);
  V.Instrs.push_back(Instr);
}

void LocalValues::Collector::visitDef(unsigned Instr, MachineOperand &MO) {
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
  Values.push_back({&Class, {&MO}, {Instr}});
}

std::vector<LocalValues::Value>
LocalValues::Collector::run(function_ref<bool(MCRegister)> IsFree) {
  const MachineRegisterInfo &MRI = Body.front()->getMF()->getRegInfo();
  for (unsigned I = 0; I != Body.size(); ++I)
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
  for (const auto &[Reg, Last] : Current)
    if (!IsFree(Reg))
      exclude(Reg);
  llvm::erase_if(Values, [&](const Value &V) {
    return Excluded.test(V.Operands.front()->getReg());
  });
  return std::move(Values);
}

LocalValues::LocalValues(ArrayRef<MachineInstr *> Body,
                         function_ref<bool(MCRegister)> IsFree)
    : Body(Body), TRI(*Body.front()->getMF()->getSubtarget().getRegisterInfo()),
      Units(TRI.getNumRegUnits()) {
  for (const TargetRegisterClass *Class :
       {&IPU::ARPairRegClass, &IPU::ARRegClass, &IPU::MRRegClass})
    for (Value &V : Collector(Body, *Class, TRI).run(IsFree)) {
      for (const MachineOperand *MO : V.Operands)
        ValueOfOperand[MO] = Values.size();
      Values.push_back(std::move(V));
    }
  for (const TargetRegisterClass *Class : {&IPU::ARRegClass, &IPU::MRRegClass})
    for (MCRegister Reg : *Class)
      if (IsFree(Reg))
        for (unsigned Unit : TRI.regunits(Reg))
          Units.set(Unit);
  for (const MachineInstr *MI : Body)
    for (const MachineOperand &MO : MI->operands())
      if (MO.isReg() && MO.getReg() && !valueOf(MO))
        for (unsigned Unit : TRI.regunits(MO.getReg().asMCReg()))
          Units.reset(Unit);
}

bool LocalValues::hasUnits(MCRegister Reg) const {
  return all_of(TRI.regunits(Reg),
                [&](unsigned Unit) { return Units.test(Unit); });
}

void LocalValues::give(Value &V, MCRegister Reg) {
  for (MachineOperand *MO : V.Operands)
    MO->setReg(Reg);
}

//===----------------------------------------------------------------------===//
// Without a schedule
//===----------------------------------------------------------------------===//

// There are always enough registers, because there were.
void LocalValues::spreadClass(const TargetRegisterClass &Class) {
  struct PoolEntry {
    MCRegister Reg;
    // The last instruction that has a value of the register.
    int BusyUntil = -1;
  };
  BitVector Others(TRI.getNumRegUnits());
  for (const Value &V : Values)
    if (V.Class != &Class)
      for (unsigned Unit : TRI.regunits(V.Operands.front()->getReg().asMCReg()))
        Others.set(Unit);
  std::vector<PoolEntry> Pool;
  for (MCRegister Reg : Class)
    if (hasUnits(Reg) && none_of(TRI.regunits(Reg), [&](unsigned Unit) {
          return Others.test(Unit);
        }))
      Pool.push_back({Reg});
  for (Value &V : Values) {
    if (V.Class != &Class)
      continue;
    PoolEntry &Entry = *std::min_element(
        Pool.begin(), Pool.end(), [](const PoolEntry &A, const PoolEntry &B) {
          return A.BusyUntil < B.BusyUntil;
        });
    give(V, Entry.Reg);
    Entry.BusyUntil = std::max(V.Instrs.back(), V.Instrs.front() + 1);
  }
}

void LocalValues::spread() {
  for (const TargetRegisterClass *Class :
       {&IPU::ARPairRegClass, &IPU::ARRegClass, &IPU::MRRegClass})
    spreadClass(*Class);
}

//===----------------------------------------------------------------------===//
// For a schedule
//===----------------------------------------------------------------------===//

/// The search for registers that fit a schedule.
class LocalValues::Assignment {
  const LocalValues &All;
  const unsigned Interval;
  // The slots of the interval in which each value has its register.
  std::vector<BitVector> Lives;
  // The values that need a register most come first.
  std::vector<unsigned> Order;
  // The taken slots of each register unit.
  std::vector<BitVector> Taken;
  // The values of a quad.
  std::optional<std::pair<unsigned, unsigned>> Halves;
  unsigned Tries = 0;

public:
  std::vector<MCRegister> Chosen;

  Assignment(const LocalValues &All, ArrayRef<unsigned> Slots,
             unsigned Interval);
  /// False if that is not possible.
  bool require(Quad Loads);
  bool search(size_t Place = 0);

private:
  bool isFree(MCRegister Reg, const BitVector &Life) const;
  bool fitsQuad(unsigned V, MCRegister Reg) const;
  void mark(MCRegister Reg, const BitVector &Life, bool IsTaken);
};

LocalValues::Assignment::Assignment(const LocalValues &All,
                                    ArrayRef<unsigned> Slots, unsigned Interval)
    : All(All), Interval(Interval),
      Taken(All.TRI.getNumRegUnits(), BitVector(Interval)), Chosen(All.size()) {
  for (const Value &V : All.Values) {
    unsigned Begin = Slots[V.Instrs.front()], End = Begin + 1;
    for (unsigned Instr : V.Instrs)
      End = std::max(End, Slots[Instr]);
    BitVector Life(Interval);
    for (unsigned Slot = Begin; Slot != End; ++Slot)
      Life.set(Slot % Interval);
    Order.push_back(Lives.size());
    Lives.push_back(std::move(Life));
  }
  // Pairs first.
  llvm::stable_sort(Order, [&](unsigned A, unsigned B) {
    const auto *ClassA = All.Values[A].Class, *ClassB = All.Values[B].Class;
    if (ClassA != ClassB)
      return All.TRI.getRegSizeInBits(*ClassA) >
             All.TRI.getRegSizeInBits(*ClassB);
    return Lives[A].count() > Lives[B].count();
  });
}

bool LocalValues::Assignment::isFree(MCRegister Reg,
                                     const BitVector &Life) const {
  return All.hasUnits(Reg) &&
         none_of(All.TRI.regunits(Reg),
                 [&](unsigned Unit) { return Taken[Unit].anyCommon(Life); });
}

void LocalValues::Assignment::mark(MCRegister Reg, const BitVector &Life,
                                   bool IsTaken) {
  for (unsigned Unit : All.TRI.regunits(Reg)) {
    if (IsTaken)
      Taken[Unit] |= Life;
    else
      Taken[Unit].reset(Life);
  }
}

bool LocalValues::Assignment::require(Quad Loads) {
  auto First = All.valueOf(Loads.First->getOperand(0)),
       Second = All.valueOf(Loads.Second->getOperand(0));
  if (!First || !Second)
    return false;
  Halves.emplace(*First, *Second);
  std::stable_partition(Order.begin(), Order.end(), [&](unsigned V) {
    return V == *First || V == *Second;
  });
  return true;
}

/// Returns whether a register is the other half of a quad, if that matters.
bool LocalValues::Assignment::fitsQuad(unsigned V, MCRegister Reg) const {
  if (!Halves || (V != Halves->first && V != Halves->second))
    return true;
  MCRegister Other =
      Chosen[V == Halves->first ? Halves->second : Halves->first];
  return any_of(IPU::ARQuadRegClass, [&](MCRegister Quad) {
    return All.TRI.isSubRegister(Quad, Reg) && Reg != Other &&
           (!Other || All.TRI.isSubRegister(Quad, Other));
  });
}

bool LocalValues::Assignment::search(size_t Place) {
  if (Place == Order.size())
    return true;
  unsigned V = Order[Place];
  for (MCRegister Reg : *All.Values[V].Class) {
    if (!isFree(Reg, Lives[V]) || !fitsQuad(V, Reg))
      continue;
    if (++Tries > MaxTries)
      return false;
    Chosen[V] = Reg;
    mark(Reg, Lives[V], true);
    if (search(Place + 1))
      return true;
    mark(Reg, Lives[V], false);
    Chosen[V] = MCRegister();
  }
  return false;
}

bool LocalValues::assign(ArrayRef<unsigned> Slots, unsigned Interval,
                         Quad Loads) {
  Assignment Search(*this, Slots, Interval);
  if ((Loads.First && !Search.require(Loads)) || !Search.search())
    return false;
  for (size_t I = 0; I != Values.size(); ++I)
    give(Values[I], Search.Chosen[I]);
  return true;
}
