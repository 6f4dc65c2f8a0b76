// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Removes what the code says about alignment and the like (llvm.assume), once
// the optimizer has made use of it. An assumption in one arm of a choice would
// keep the arm a block of its own, and the loop around it from becoming one
// block.

#include "lib/Target/IPU/IPU.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Pass.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace {

class IPUDropAssumptions : public FunctionPass {
public:
  static char ID;

  IPUDropAssumptions() : FunctionPass(ID) {}

  StringRef getPassName() const override { return "IPU drop assumptions"; }
  bool runOnFunction(Function &F) override;
};

} // namespace

bool IPUDropAssumptions::runOnFunction(Function &F) {
  SmallVector<AssumeInst *, 8> Assumptions;
  for (Instruction &I : instructions(F))
    if (auto *Assume = dyn_cast<AssumeInst>(&I))
      Assumptions.push_back(Assume);
  for (AssumeInst *Assume : Assumptions) {
    WeakTrackingVH Condition = Assume->getArgOperand(0);
    Assume->eraseFromParent();
    if (Condition)
      RecursivelyDeleteTriviallyDeadInstructions(Condition);
  }
  return !Assumptions.empty();
}

char IPUDropAssumptions::ID = 0;

FunctionPass *llvm::createIPUDropAssumptions() {
  return new IPUDropAssumptions();
}
