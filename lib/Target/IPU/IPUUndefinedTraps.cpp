// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps the reason of a sanitizer's trap (llvm.ubsantrap) in the code, where
// the emulator finds it (UndefinedTraps.h). The trap is inline assembly, so
// that nothing comes between the two instructions.

#include "lib/Target/IPU/IPU.h"
#include "runtime/Target/UndefinedTraps.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Pass.h"

using namespace llvm;

namespace {

class IPUUndefinedTraps : public FunctionPass {
public:
  static char ID;

  IPUUndefinedTraps() : FunctionPass(ID) {}

  StringRef getPassName() const override { return "IPU undefined traps"; }
  bool runOnFunction(Function &F) override;
};

} // namespace

bool IPUUndefinedTraps::runOnFunction(Function &F) {
  SmallVector<IntrinsicInst *, 8> Traps;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<IntrinsicInst>(&I))
      if (Call->getIntrinsicID() == Intrinsic::ubsantrap)
        Traps.push_back(Call);
  for (IntrinsicInst *Trap : Traps) {
    const auto *Kind = cast<ConstantInt>(Trap->getArgOperand(0));
    const std::string Text =
        "trap 0\n\tsetzi $$m15, " +
        std::to_string(populus::runtime::UndefinedMark |
                       static_cast<std::uint32_t>(Kind->getZExtValue()));
    IRBuilder<> Builder(Trap); // with its line
    Builder.CreateCall(InlineAsm::get(
        FunctionType::get(Builder.getVoidTy(), false), Text, "~{memory}",
        /*hasSideEffects=*/true));
    Trap->eraseFromParent();
  }
  return !Traps.empty();
}

char IPUUndefinedTraps::ID = 0;

FunctionPass *llvm::createIPUUndefinedTraps() {
  return new IPUUndefinedTraps();
}
