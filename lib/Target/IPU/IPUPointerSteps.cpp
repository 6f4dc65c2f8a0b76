// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pointer that several accesses use with offsets, and that an addition then
// moves, costs the main pipe a slot that it often lacks. The accesses can move
// the pointer instead, by a multiple of their size. Each one moves it to the
// address of the next access, and the last one to the first address of the next
// iteration. For example, accesses at p, p + 8 and p + 24 followed by p += 32
// become accesses that step by 8, by 16 and by 8. The first access has to be at
// the pointer itself.

#include "lib/Target/IPU/IPUPointerSteps.h"
#include "lib/Target/IPU/IPUInstrInfo.h"
#include "lib/Target/IPU/MCTargetDesc/IPUMCTargetDesc.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace {

/// An access, and the bytes from the pointer's first value to its place.
struct Stop {
  MachineInstr *Access;
  int64_t Place;
  int64_t Size;
  /// The step of the pointer, in units of the access size.
  int64_t Step = 0;
};

/// All that a body does with a pointer.
struct Path {
  Register Pointer;
  MachineInstr *Addition;
  SmallVector<Stop, 8> Stops;
};

} // namespace

/// The pointer that an instruction adds a constant to, or none.
static Register increased(const MachineInstr &MI) {
  bool Matches = MI.getOpcode() == IPU::ADD_rs && MI.getOperand(1).isReg() &&
                 MI.getOperand(2).isImm() &&
                 MI.getOperand(0).getReg() == MI.getOperand(1).getReg();
  return Matches ? MI.getOperand(0).getReg() : Register();
}

/// Returns whether an access can step: by its pointer, and an offset.
static bool mayStep(const MachineInstr &MI, Register Pointer,
                    const IPUInstrInfo &TII) {
  if (!TII.steppingForm(MI.getOpcode()) || !MI.getOperand(3).isImm())
    return false;
  if (!MI.getOperand(1).isReg() || MI.getOperand(1).getReg() != Pointer ||
      MI.getOperand(2).getReg() != IPU::M15)
    return false;
  return MI.getOperand(0).getReg() != Pointer;
}

/// False if something but steps and an addition is done with the pointer.
static bool followPath(Path &P, ArrayRef<MachineInstr *> Body,
                       const IPUInstrInfo &TII) {
  const TargetRegisterInfo *TRI = &TII.getRegisterInfo();
  int64_t Moved = 0;
  for (MachineInstr *MI : Body) {
    if (MI == P.Addition) {
      Moved = MI->getOperand(2).getImm();
    } else if (mayStep(*MI, P.Pointer, TII)) {
      int64_t Size = TII.memoryScale(MI->getOpcode());
      P.Stops.push_back({MI, Moved + Size * MI->getOperand(3).getImm(), Size});
    } else if (MI->readsRegister(P.Pointer, TRI) ||
               MI->modifiesRegister(P.Pointer, TRI)) {
      return false;
    }
  }
  return !P.Stops.empty();
}

/// False if a step is not possible.
static bool measureSteps(Path &P) {
  if (P.Stops.front().Place != 0)
    return false;
  int64_t Again = P.Addition->getOperand(2).getImm();
  for (size_t I = 0; I != P.Stops.size(); ++I) {
    Stop &S = P.Stops[I];
    int64_t Next = I + 1 == P.Stops.size() ? Again : P.Stops[I + 1].Place;
    S.Step = (Next - S.Place) / S.Size;
    if ((Next - S.Place) % S.Size || !isInt<8>(S.Step))
      return false;
  }
  return true;
}

bool llvm::stepPointers(SmallVectorImpl<MachineInstr *> &Body,
                        const IPUInstrInfo &TII) {
  bool Changed = false;
  for (MachineInstr *Addition : to_vector(Body)) {
    Path P{increased(*Addition), Addition, {}};
    if (!P.Pointer || !followPath(P, Body, TII) || !measureSteps(P))
      continue;
    for (const Stop &S : P.Stops)
      TII.makeStepping(*S.Access, P.Pointer, S.Step);
    llvm::erase(Body, Addition);
    Changed = true;
  }
  return Changed;
}
