// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's own way to finish a bundle takes its instructions for executed one
// after the other, so that the second half would read what the first one wrote.
// Here the header of the bundle names all registers that either half reads, and
// all that either writes.

#include "lib/Target/IPU/IPUBundle.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

using namespace llvm;

void llvm::makeIPUBundle(MachineInstr &Main, MachineInstr &Aux) {
  MachineBasicBlock &MBB = *Main.getParent();
  MachineFunction &MF = *MBB.getParent();
  MachineInstrBuilder Header =
      BuildMI(MF, Main.getDebugLoc(),
              MF.getSubtarget().getInstrInfo()->get(TargetOpcode::BUNDLE));
  // The auxiliary half writes the values of a return before the return hands
  // them over.
  if (Main.isReturn())
    for (MachineOperand &MO : Main.implicit_operands())
      if (MO.isUse() && Aux.definesRegister(MO.getReg(), /*TRI=*/nullptr))
        MO.setIsInternalRead();
  SmallSet<Register, 8> Reads, Writes;
  for (MachineInstr *Half : {&Main, &Aux})
    for (const MachineOperand &MO : Half->operands()) {
      if (!MO.isReg() || !MO.getReg())
        continue;
      if (MO.isDef() && Writes.insert(MO.getReg()).second)
        Header.addReg(MO.getReg(), RegState::ImplicitDefine);
      if (MO.readsReg() && Reads.insert(MO.getReg()).second)
        Header.addReg(MO.getReg(), RegState::Implicit);
    }
  MBB.insert(Main.getIterator(), Header);
  Main.bundleWithPred();
  Aux.bundleWithPred();
}
