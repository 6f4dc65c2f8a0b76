// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the owners of accumulators once for a module, before a pass assigns
// some of them to loops.

#include "lib/Target/IPU/IPUAccumulatorPass.h"
#include "lib/Target/IPU/IPUInstrInfo.h"
#include "lib/Target/IPU/IPUSubtarget.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils.h"

using namespace llvm;

void IPUAccumulatorPass::getAnalysisUsage(AnalysisUsage &AU) const {
  AU.addRequired<TargetPassConfig>();
  AU.addRequiredID(LoopSimplifyID);
  AU.addRequired<LoopInfoWrapperPass>();
  AU.setPreservesCFG();
}

bool IPUAccumulatorPass::doInitialization(Module &) {
  Owners.reset();
  return false;
}

bool IPUAccumulatorPass::runOnFunction(Function &F) {
  const TargetMachine &TM =
      getAnalysis<TargetPassConfig>().getTM<TargetMachine>();
  const auto &ST = TM.getSubtarget<IPUSubtarget>(F);
  const IPUInstrInfo &Table = *ST.getInstrInfo();
  if (!Owners)
    Owners.emplace(*F.getParent(), Table);
  if (ST.isSupervisor() || F.hasOptSize() || Owners->mayOwn(F))
    return false;
  bool Changed = false;
  for (const Loop *L :
       getAnalysis<LoopInfoWrapperPass>().getLoopInfo().getLoopsInPreorder())
    Changed |= runOnLoop(*L, Table);
  return Changed;
}
