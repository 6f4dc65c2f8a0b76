// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Codelets work on several arrays, of which the compiler cannot know whether
// they overlap. A loop of one block that stores gets a copy here, which runs if
// a few comparisons before it show that they do not: its loads need not wait
// for its stores, and what it adds up in memory stays in a register. Not for
// code that is to be small, nor for loops with few iterations.

#include "lib/Target/IPU/IPU.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopAccessAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/InitializePasses.h"
#include "llvm/Pass.h"
#include "llvm/PassRegistry.h"
#include "llvm/Transforms/Utils.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/LoopVersioning.h"

using namespace llvm;

// The greatest cost of the copy, and the iterations that must be possible to
// gain it.
static constexpr unsigned MaxChecks = 2;
static constexpr unsigned MaxInstructions = 64;
static constexpr unsigned MinIterations = 16;

namespace {

class IPULoopVersioning : public FunctionPass {
public:
  static char ID;

  IPULoopVersioning() : FunctionPass(ID) {
    // Some programs that generate code have not initialized these passes.
    PassRegistry &Registry = *PassRegistry::getPassRegistry();
    initializeLoopSimplifyPass(Registry);
    initializeLCSSAWrapperPassPass(Registry);
    initializeLoopInfoWrapperPassPass(Registry);
    initializeDominatorTreeWrapperPassPass(Registry);
    initializeScalarEvolutionWrapperPassPass(Registry);
    initializeAAResultsWrapperPassPass(Registry);
    initializeTargetLibraryInfoWrapperPassPass(Registry);
  }

  StringRef getPassName() const override { return "IPU loop versioning"; }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.addRequiredID(LoopSimplifyID);
    AU.addRequiredID(LCSSAID);
    AU.addRequired<LoopInfoWrapperPass>();
    AU.addRequired<DominatorTreeWrapperPass>();
    AU.addRequired<ScalarEvolutionWrapperPass>();
    AU.addRequired<AAResultsWrapperPass>();
    AU.addRequired<TargetLibraryInfoWrapperPass>();
  }
  bool runOnFunction(Function &F) override;
};

} // namespace

/// Returns whether a load of the next iteration could start before this store,
/// or with it. Bytes and halves are merged into words in order, so their loads
/// cannot. A copy of a word has nothing to wait for; a copy of 64 bits can be
/// one instruction with its load.
static bool isWorthIt(const StoreInst &Store) {
  const Value *Stored = Store.getValueOperand();
  unsigned Bytes = Store.getDataLayout().getTypeStoreSize(Stored->getType());
  return Bytes >= (isa<LoadInst>(Stored) ? 8 : 4);
}

static bool isCandidate(const Loop &L, ScalarEvolution &SE) {
  if (L.getNumBlocks() != 1 || !L.isLoopSimplifyForm())
    return false;
  // The vectorizer's remainder loop is short. In a loop that it has vectorized,
  // it has shown only that accesses do not overlap within a vector.
  bool OnlyVectors = getBooleanLoopAttribute(&L, "llvm.loop.isvectorized");
  unsigned MaxCount = SE.getSmallConstantMaxTripCount(&L);
  if (MaxCount && MaxCount < MinIterations)
    return false;
  const BasicBlock &Body = *L.getHeader();
  if (Body.size() > MaxInstructions)
    return false;
  bool Loads = false, Stores = false;
  for (const Instruction &I : Body) {
    if (const auto *Call = dyn_cast<CallBase>(&I);
        Call && !Call->doesNotAccessMemory())
      return false;
    if (I.isVolatile() || I.isAtomic())
      return false;
    Loads |= I.mayReadFromMemory();
    if (const auto *Store = dyn_cast<StoreInst>(&I))
      Stores |=
          isWorthIt(*Store) &&
          (!OnlyVectors || Store->getValueOperand()->getType()->isVectorTy());
  }
  return Loads && Stores;
}

bool IPULoopVersioning::runOnFunction(Function &F) {
  if (F.hasOptSize())
    return false;
  auto &LI = getAnalysis<LoopInfoWrapperPass>().getLoopInfo();
  auto &DT = getAnalysis<DominatorTreeWrapperPass>().getDomTree();
  auto &SE = getAnalysis<ScalarEvolutionWrapperPass>().getSE();
  auto &AA = getAnalysis<AAResultsWrapperPass>().getAAResults();
  auto &TLI = getAnalysis<TargetLibraryInfoWrapperPass>().getTLI(F);
  LoopAccessInfoManager Accesses(SE, AA, DT, LI, /*TTI=*/nullptr, &TLI);

  SmallVector<Loop *, 8> Candidates;
  for (Loop *L : LI.getLoopsInPreorder())
    if (isCandidate(*L, SE) && L->isLCSSAForm(DT))
      Candidates.push_back(L);
  bool Changed = false;
  for (Loop *L : Candidates) {
    const LoopAccessInfo &Info = Accesses.getInfo(*L);
    const auto &Checks = Info.getRuntimePointerChecking()->getChecks();
    if (Info.hasConvergentOp() || Checks.empty() || Checks.size() > MaxChecks ||
        !Info.getPSE().getPredicate().isAlwaysTrue())
      continue;
    LoopVersioning Versions(Info, Checks, L, &LI, &DT, &SE);
    Versions.versionLoop();
    Versions.annotateLoopWithNoAlias();
    Accesses.clear();
    Changed = true;
  }
  return Changed;
}

char IPULoopVersioning::ID = 0;

FunctionPass *llvm::createIPULoopVersioning() {
  return new IPULoopVersioning();
}
