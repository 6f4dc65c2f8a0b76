// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects loops that count down in a register of their own, for `rpt` and
// `brnzdec`: innermost loops that exit at their end, after a number of
// iterations that is cheap to compute. Strength reduction asks, too, because it
// need not keep an induction variable for the exit of such a loop.

#include "lib/Target/IPU/IPUTargetTransformInfo.h"
#include "lib/Target/IPU/IPUHardwareLoops.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

/// Instructions that the count may cost before the loop.
static constexpr unsigned CountBudget = 4;

static bool containsCall(const Loop &L, const IPUTTIImpl &TTI) {
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB)
      if (const auto *Call = dyn_cast<CallInst>(&I)) {
        const Function *F = Call->getCalledFunction();
        if (!Call->isInlineAsm() && (!F || TTI.isLoweredToCall(F)))
          return true;
      }
  return false;
}

// Returns the bound that the code generator needs of the number of iterations,
// which is one more than the number of back edges.
static uint64_t boundOf(const Loop &L, const SCEV *BackEdges,
                        ScalarEvolution &SE) {
  uint64_t Max =
      SE.getUnsignedRangeMax(SE.applyLoopGuards(BackEdges, &L)).getZExtValue();
  if (Max < LoopBound::Largest)
    return Max + 1;
  Type *Ty = BackEdges->getType();
  if (SE.getTypeSizeInBits(Ty) < 32 || Max < UINT32_MAX ||
      SE.isLoopEntryGuardedByCond(&L, ICmpInst::ICMP_NE,
                                  SE.getAddExpr(BackEdges, SE.getOne(Ty)),
                                  SE.getZero(Ty)))
    return LoopBound::NotZero;
  return LoopBound::Unknown;
}

bool IPUTTIImpl::isHardwareLoopProfitable(Loop *L, ScalarEvolution &SE,
                                          AssumptionCache &,
                                          TargetLibraryInfo *,
                                          HardwareLoopInfo &Info) const {
  BasicBlock *Preheader = L->getLoopPreheader();
  if (!L->isInnermost() || !Preheader ||
      L->getExitingBlock() != L->getLoopLatch() || containsCall(*L, *this))
    return false;
  const SCEV *BackEdges = SE.getBackedgeTakenCount(L);
  if (isa<SCEVCouldNotCompute>(BackEdges) ||
      !BackEdges->getType()->isIntegerTy() ||
      SE.getTypeSizeInBits(BackEdges->getType()) > 32)
    return false;
  SCEVExpander Expander(SE, getDataLayout(), "count");
  TargetTransformInfo Costs(*this);
  if (Expander.isHighCostExpansion(BackEdges, L, CountBudget, &Costs,
                                   Preheader->getTerminator()))
    return false;

  auto *Int32 = Type::getInt32Ty(L->getHeader()->getContext());
  Info.CountType = Int32;
  Info.CounterInReg = true;
  // Ours to define: instruction selection reads the bound out of it.
  Info.LoopDecrement = ConstantInt::get(Int32, boundOf(*L, BackEdges, SE));
  return true;
}

bool IPUTTIImpl::canSaveCmp(Loop *L, BranchInst **Branch, ScalarEvolution *SE,
                            LoopInfo *LI, DominatorTree *DT,
                            AssumptionCache *AC,
                            TargetLibraryInfo *LibInfo) const {
  HardwareLoopInfo Info(L);
  if (!Info.canAnalyze(*LI) ||
      !isHardwareLoopProfitable(L, *SE, *AC, LibInfo, Info) ||
      !Info.isHardwareLoopCandidate(*SE, *LI, *DT))
    return false;
  *Branch = Info.ExitBranch;
  return true;
}
