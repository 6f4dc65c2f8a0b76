// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of a loop's body that are born and die within one iteration, and
// other registers for them, so that iterations can overlap.

#ifndef POPULUS_LIB_TARGET_IPU_IPULOCALREGISTERS_H
#define POPULUS_LIB_TARGET_IPU_IPULOCALREGISTERS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include <optional>

namespace llvm {

class LocalValues {
  /// A value: its definition, its uses, and operands that change it in place;
  /// the instructions that have them, by their places in the body.
  struct Value {
    const TargetRegisterClass *Class;
    SmallVector<MachineOperand *, 4> Operands;
    SmallVector<unsigned, 4> Instrs;
  };
  class Collector;
  class Assignment;

public:
  /// Two loads to the halves of one quad of registers; none without a first.
  struct Quad {
    const MachineInstr *First = nullptr, *Second = nullptr;
  };

private:
  ArrayRef<MachineInstr *> Body;
  const TargetRegisterInfo &TRI;
  // The values, grouped by register class and ordered by their definitions.
  std::vector<Value> Values;
  DenseMap<const MachineOperand *, unsigned> ValueOfOperand;
  // The units of the registers that the values may have.
  BitVector Units;

public:
  /// Besides the registers that the values have now, they may be given those
  /// for which IsFree says that they have no value around the loop.
  LocalValues(ArrayRef<MachineInstr *> Body,
              function_ref<bool(MCRegister)> IsFree);

  /// The index of an operand's value, below size(); nothing if it has none.
  std::optional<unsigned> valueOf(const MachineOperand &MO) const {
    auto Found = ValueOfOperand.find(&MO);
    if (Found == ValueOfOperand.end())
      return std::nullopt;
    return Found->second;
  }
  unsigned size() const { return Values.size(); }

  /// Gives each value the register that has not been used for longest, in the
  /// order of the program.
  void spread();

  /// Gives the values registers for a schedule: the slot of each instruction,
  /// and the slots between the starts of two iterations. False, and nothing has
  /// changed, if none were found.
  bool assign(ArrayRef<unsigned> Slots, unsigned Interval, Quad Loads);

private:
  bool hasUnits(MCRegister Reg) const;
  void give(Value &V, MCRegister Reg);
  void spreadClass(const TargetRegisterClass &Class);
};

} // namespace llvm

#endif
