// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Target/IPU/IPULoopTwins.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

bool ipu::canHaveTwin(const Loop &L, const DominatorTree &DT) {
  if (L.getNumBlocks() != 1 || !L.isLoopSimplifyForm() ||
      !L.getUniqueExitBlock() || !L.isLCSSAForm(DT))
    return false;
  return none_of(*L.getHeader(), [](const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    return I.isVolatile() || I.isAtomic() ||
           (Call && !isa<AssumeInst>(Call) &&
            (!Call->doesNotAccessMemory() || Call->isConvergent() ||
             Call->cannotDuplicate()));
  });
}

Loop *ipu::makeTwins(Loop &L, Value *Condition, LoopInfo &LI,
                     DominatorTree &DT) {
  BasicBlock *Body = L.getHeader(), *Exit = L.getUniqueExitBlock();
  BasicBlock *Check = L.getLoopPreheader();
  BasicBlock *Entry = SplitBlock(Check, Check->getTerminator(), &DT, &LI,
                                 nullptr, Body->getName() + ".entry");
  ValueToValueMapTy Copies;
  SmallVector<BasicBlock *, 2> Blocks;
  Loop *Twin = cloneLoopWithPreheader(Entry, Check, &L, Copies, ".twin", &LI,
                                      &DT, Blocks);
  remapInstructionsInBlocks(Blocks, Copies);
  Instruction *Old = Check->getTerminator();
  IRBuilder<>(Old).CreateCondBr(Condition, Entry, Twin->getLoopPreheader());
  Old->eraseFromParent();
  for (PHINode &Phi : Exit->phis()) {
    Value *Result = Phi.getIncomingValueForBlock(Body);
    Value *Copy = Copies.lookup(Result);
    Phi.addIncoming(Copy ? Copy : Result, Twin->getHeader());
  }
  DT.changeImmediateDominator(Exit, Check);
  formDedicatedExitBlocks(Twin, &DT, &LI, nullptr, /*PreserveLCSSA=*/true);
  formDedicatedExitBlocks(&L, &DT, &LI, nullptr, /*PreserveLCSSA=*/true);
  return Twin;
}
