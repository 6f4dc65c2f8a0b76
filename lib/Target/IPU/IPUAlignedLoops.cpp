// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pair of floats or four halves take one load if their address is a multiple
// of eight, else two. Rows of a matrix have such addresses if the matrix is
// aligned and its rows have a length that allows it, which only the run shows:
//
//     sum += a[i * k + l] * b[j * k + l];     k even: ld2x64pace ; f32v2mac
//
// A vectorized loop over arrays that are stated to be aligned, from a place in
// them that is not known, gets a copy. The loop itself runs, with aligned
// accesses, if a test of its first addresses shows that they are. Not for code
// that is to be small.

#include "lib/Target/IPU/IPU.h"
#include "lib/Target/IPU/IPULoopTwins.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/InitializePasses.h"
#include "llvm/Pass.h"
#include "llvm/PassRegistry.h"
#include "llvm/Transforms/Utils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

static constexpr uint64_t PairBytes = 8;
// The greatest cost of the copy, the addresses that are tested, and the
// iterations that must be possible to gain it.
static constexpr unsigned MaxInstructions = 64;
static constexpr unsigned MaxTests = 4;
static constexpr unsigned MinIterations = 4;

namespace {

class IPUAlignedLoops : public FunctionPass {
public:
  static char ID;

  IPUAlignedLoops() : FunctionPass(ID) {
    // Some programs that generate code have not initialized these passes.
    PassRegistry &Registry = *PassRegistry::getPassRegistry();
    initializeLoopSimplifyPass(Registry);
    initializeLCSSAWrapperPassPass(Registry);
    initializeLoopInfoWrapperPassPass(Registry);
    initializeDominatorTreeWrapperPassPass(Registry);
    initializeScalarEvolutionWrapperPassPass(Registry);
    initializeAssumptionCacheTrackerPass(Registry);
  }

  StringRef getPassName() const override { return "IPU aligned loops"; }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.addRequiredID(LoopSimplifyID);
    AU.addRequiredID(LCSSAID);
    AU.addRequired<LoopInfoWrapperPass>();
    AU.addRequired<DominatorTreeWrapperPass>();
    AU.addRequired<ScalarEvolutionWrapperPass>();
    AU.addRequired<AssumptionCacheTracker>();
  }
  bool runOnFunction(Function &F) override;
};

/// Finds the accesses of a loop that are aligned if their first addresses are.
class Alignments {
  Loop &L;
  ScalarEvolution &SE;
  AssumptionCache &AC;
  DominatorTree &DT;

public:
  SmallVector<Instruction *, 8> Accesses;
  SmallVector<const SCEV *, MaxTests> Starts;

  Alignments(Loop &L, ScalarEvolution &SE, AssumptionCache &AC,
             DominatorTree &DT)
      : L(L), SE(SE), AC(AC), DT(DT) {
    for (Instruction &I : *L.getHeader())
      if (isMisaligned(I))
        add(I);
  }

  bool areWorthIt() const {
    unsigned Most = SE.getSmallConstantMaxTripCount(&L);
    return !Starts.empty() && Starts.size() <= MaxTests &&
           L.getHeader()->size() <= MaxInstructions &&
           (!Most || Most >= MinIterations);
  }

private:
  static bool isMisaligned(Instruction &I) {
    if (!isa<LoadInst, StoreInst>(I))
      return false;
    auto *Vector = dyn_cast<FixedVectorType>(getLoadStoreType(&I));
    if (!Vector || getLoadStoreAlignment(&I).value() >= PairBytes)
      return false;
    const Type *Lane = Vector->getElementType();
    return (Lane->isFloatTy() || Lane->isHalfTy()) &&
           Vector->getPrimitiveSizeInBits() % 64 == 0;
  }

  bool isMultiple(const SCEV *S) const {
    return SE.getMinTrailingZeros(S) >= Log2_64(PairBytes);
  }

  /// Returns whether an offset is a constant beside multiples of the pair's
  /// size: no run aligns it.
  bool isNeverAligned(const SCEV *Offset) const {
    if (isa<SCEVConstant>(Offset))
      return !isMultiple(Offset);
    const auto *Sum = dyn_cast<SCEVAddExpr>(Offset);
    if (!Sum || !isa<SCEVConstant>(Sum->getOperand(0)) ||
        isMultiple(Sum->getOperand(0)))
      return false;
    return all_of(drop_begin(Sum->operands()),
                  [&](const SCEV *S) { return isMultiple(S); });
  }

  void add(Instruction &I) {
    const auto *Address =
        dyn_cast<SCEVAddRecExpr>(SE.getSCEV(getLoadStorePointerOperand(&I)));
    if (!Address || Address->getLoop() != &L || !Address->isAffine() ||
        !isMultiple(Address->getStepRecurrence(SE)))
      return;
    const SCEV *Start = Address->getStart();
    const auto *Array = dyn_cast<SCEVUnknown>(SE.getPointerBase(Start));
    if (!Array || !Array->getType()->isPointerTy())
      return;
    const Instruction *Before = L.getLoopPreheader()->getTerminator();
    if (getKnownAlignment(Array->getValue(), I.getDataLayout(), Before, &AC,
                          &DT)
                .value() < PairBytes ||
        isNeverAligned(SE.getMinusSCEV(Start, Array)))
      return;
    Accesses.push_back(&I);
    if (!is_contained(Starts, Start))
      Starts.push_back(Start);
  }
};

} // namespace

/// Returns a test, before the loop, that all starts are aligned; null if they
/// cannot be computed there.
static Value *makeTest(const Alignments &Found, Loop &L, ScalarEvolution &SE) {
  Instruction *Before = L.getLoopPreheader()->getTerminator();
  const DataLayout &DL = Before->getDataLayout();
  SCEVExpander Expander(SE, DL, "aligned");
  IRBuilder<> Builder(Before);
  Value *Bits = nullptr;
  for (const SCEV *Start : Found.Starts) {
    if (!Expander.isSafeToExpandAt(Start, Before))
      return nullptr;
    Value *First = Builder.CreatePtrToInt(
        Expander.expandCodeFor(Start, nullptr, Before), Builder.getInt32Ty());
    Bits = Bits ? Builder.CreateOr(Bits, First) : First;
  }
  Bits = Builder.CreateAnd(Bits, PairBytes - 1);
  return Builder.CreateIsNull(Bits);
}

static void align(Instruction *Access) {
  if (auto *Load = dyn_cast<LoadInst>(Access))
    Load->setAlignment(Align(PairBytes));
  else
    cast<StoreInst>(Access)->setAlignment(Align(PairBytes));
}

bool IPUAlignedLoops::runOnFunction(Function &F) {
  if (F.hasOptSize())
    return false;
  auto &LI = getAnalysis<LoopInfoWrapperPass>().getLoopInfo();
  auto &DT = getAnalysis<DominatorTreeWrapperPass>().getDomTree();
  auto &SE = getAnalysis<ScalarEvolutionWrapperPass>().getSE();
  auto &AC = getAnalysis<AssumptionCacheTracker>().getAssumptionCache(F);
  bool Changed = false;
  for (Loop *L : LI.getLoopsInPreorder()) {
    if (!ipu::canHaveTwin(*L, DT))
      continue;
    Alignments Found(*L, SE, AC, DT);
    Value *Test = Found.areWorthIt() ? makeTest(Found, *L, SE) : nullptr;
    if (!Test)
      continue;
    ipu::makeTwins(*L, Test, LI, DT);
    for_each(Found.Accesses, align);
    SE.forgetAllLoops();
    Changed = true;
  }
  return Changed;
}

char IPUAlignedLoops::ID = 0;

FunctionPass *llvm::createIPUAlignedLoops() { return new IPUAlignedLoops(); }
