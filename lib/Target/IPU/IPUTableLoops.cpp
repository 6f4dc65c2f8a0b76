// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that stores what it finds in a table stores byte by byte, each merged
// into its word, because a store may change the table:
//
//     out[i] = table[in[i]];     ldz8step ; ldz8 ; ten bundles of a merge
//
// The vectorizer cannot exclude that, for it does not know where the loads go.
// But an index of eight or sixteen bits limits them: `in[i]` finds one of 256
// elements. So the loop gets a copy here. The loop itself runs if comparisons
// of the ends of all arrays show that the written one is apart from the others,
// and says so to the vectorizer, which then joins four bytes to a word.

#include "lib/Target/IPU/IPUTableLoops.h"
#include "lib/Target/IPU/IPUCostTypes.h"
#include "lib/Target/IPU/IPULoopTwins.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include <optional>

using namespace llvm;

// Arrays beside the written one, and bytes of a table, at most.
static constexpr unsigned MaxArrays = 3;
static constexpr uint64_t MaxTable = 1 << 18;

namespace {

/// The first address of what a loop accesses through one pointer, and the
/// address behind the last.
struct Extent {
  const SCEV *Begin, *End;
};

/// A loop with one store of a narrow integer, and all that it reads.
struct TableLoop {
  StoreInst *Store = nullptr;
  Extent Written;
  SmallVector<LoadInst *, 4> Loads;
  SmallVector<Extent, MaxArrays> Read;
  bool LooksUp = false;
};

class Finder {
  Loop &L;
  ScalarEvolution &SE;
  const SCEV *Repeats;

public:
  Finder(Loop &L, ScalarEvolution &SE)
      : L(L), SE(SE), Repeats(SE.getBackedgeTakenCount(&L)) {}

  std::optional<TableLoop> find();

private:
  bool addStore(StoreInst &Store, TableLoop &Found);
  bool addLoad(LoadInst &Load, TableLoop &Found);
  std::optional<Extent> steppedExtent(Instruction &Access);
  std::optional<Extent> tableExtent(LoadInst &Load);

  const SCEV *plus(const SCEV *Address, uint64_t Bytes) {
    return SE.getAddExpr(
        Address,
        SE.getConstant(SE.getEffectiveSCEVType(Address->getType()), Bytes));
  }
};

} // namespace

static uint64_t sizeOf(Instruction &Access) {
  return Access.getDataLayout().getTypeStoreSize(getLoadStoreType(&Access));
}

// Element after element from a first one on.
std::optional<Extent> Finder::steppedExtent(Instruction &Access) {
  auto *Address =
      dyn_cast<SCEVAddRecExpr>(SE.getSCEV(getLoadStorePointerOperand(&Access)));
  if (!Address || Address->getLoop() != &L || !Address->isAffine())
    return std::nullopt;
  auto *Step = dyn_cast<SCEVConstant>(Address->getStepRecurrence(SE));
  uint64_t Size = sizeOf(Access);
  if (!Step || Step->getAPInt() != Size)
    return std::nullopt;
  const SCEV *Last = Address->evaluateAtIteration(Repeats, SE);
  return Extent{Address->getStart(), plus(Last, Size)};
}

// Somewhere behind a fixed address, by an offset of few bits.
std::optional<Extent> Finder::tableExtent(LoadInst &Load) {
  const SCEV *Address = SE.getSCEV(Load.getPointerOperand());
  auto *Table = dyn_cast<SCEVUnknown>(SE.getPointerBase(Address));
  if (!Table || !Table->getType()->isPointerTy() ||
      !SE.isLoopInvariant(Table, &L))
    return std::nullopt;
  const SCEV *Offset = SE.getMinusSCEV(Address, Table);
  if (isa<SCEVCouldNotCompute>(Offset))
    return std::nullopt;
  APInt Most = SE.getUnsignedRangeMax(Offset);
  if (Most.uge(MaxTable))
    return std::nullopt;
  return Extent{Table, plus(Table, Most.getZExtValue() + sizeOf(Load))};
}

bool Finder::addStore(StoreInst &Store, TableLoop &Found) {
  Type *Ty = Store.getValueOperand()->getType();
  const DataLayout &DL = Store.getDataLayout();
  if (Found.Store || !(Ty->isIntegerTy(8) || Ty->isIntegerTy(16)) ||
      ipu::statedAlign(Store.getPointerOperand(), DL) < Align(4))
    return false;
  std::optional<Extent> Written = steppedExtent(Store);
  if (!Written)
    return false;
  Found.Store = &Store;
  Found.Written = *Written;
  return true;
}

bool Finder::addLoad(LoadInst &Load, TableLoop &Found) {
  std::optional<Extent> Array = steppedExtent(Load);
  if (!Array) {
    Array = tableExtent(Load);
    Found.LooksUp = true;
  }
  if (!Array)
    return false;
  Found.Loads.push_back(&Load);
  if (none_of(Found.Read, [&](const Extent &Known) {
        return Known.Begin == Array->Begin && Known.End == Array->End;
      }))
    Found.Read.push_back(*Array);
  return Found.Read.size() <= MaxArrays;
}

std::optional<TableLoop> Finder::find() {
  if (isa<SCEVCouldNotCompute>(Repeats))
    return std::nullopt;
  TableLoop Found;
  for (Instruction &I : *L.getHeader()) {
    auto *Load = dyn_cast<LoadInst>(&I);
    auto *Store = dyn_cast<StoreInst>(&I);
    if ((Load && !addLoad(*Load, Found)) || (Store && !addStore(*Store, Found)))
      return std::nullopt;
  }
  if (!Found.Store || !Found.LooksUp)
    return std::nullopt;
  const SCEV *Array = SE.getPointerBase(Found.Written.Begin);
  if (any_of(Found.Read, [&](const Extent &Read) {
        return SE.getPointerBase(Read.Begin) == Array;
      }))
    return std::nullopt;
  return Found;
}

/// Returns a test, before the loop, that nothing read is written; null if it
/// cannot be computed there.
static Value *makeTest(const TableLoop &Found, Loop &L, ScalarEvolution &SE) {
  Instruction *Before = L.getLoopPreheader()->getTerminator();
  SCEVExpander Expander(SE, Before->getDataLayout(), "apart");
  IRBuilder<> Builder(Before);
  auto CanExpand = [&](const Extent &E) {
    return Expander.isSafeToExpandAt(E.Begin, Before) &&
           Expander.isSafeToExpandAt(E.End, Before);
  };
  auto Expand = [&](const SCEV *S) {
    return Expander.expandCodeFor(S, Builder.getPtrTy(), Before);
  };
  if (!CanExpand(Found.Written) || !all_of(Found.Read, CanExpand))
    return nullptr;
  Value *Apart = nullptr;
  for (const Extent &Read : Found.Read) {
    Value *Behind =
        Builder.CreateICmpULE(Expand(Found.Written.End), Expand(Read.Begin));
    Value *Ahead =
        Builder.CreateICmpULE(Expand(Read.End), Expand(Found.Written.Begin));
    Value *Either = Builder.CreateOr(Behind, Ahead);
    Apart = Apart ? Builder.CreateAnd(Apart, Either) : Either;
  }
  return Apart;
}

/// States that no load of a loop reads what its store writes.
static void stateApart(const TableLoop &Found) {
  LLVMContext &Context = Found.Store->getContext();
  MDBuilder Builder(Context);
  MDNode *Domain = Builder.createAnonymousAliasScopeDomain("tables");
  MDNode *Written = MDNode::get(
      Context, Builder.createAnonymousAliasScope(Domain, "written"));
  auto Add = [&](Instruction *I, unsigned Kind) {
    I->setMetadata(Kind, MDNode::concatenate(I->getMetadata(Kind), Written));
  };
  Add(Found.Store, LLVMContext::MD_alias_scope);
  for (LoadInst *Load : Found.Loads)
    Add(Load, LLVMContext::MD_noalias);
}

PreservedAnalyses IPUTableLoopsPass::run(Function &F,
                                         FunctionAnalysisManager &Analyses) {
  StringRef Mode = F.getFnAttribute("ipu-mode").getValueAsString();
  if (F.hasOptSize() || Mode == "supervisor" || Mode == "both")
    return PreservedAnalyses::all();
  auto &LI = Analyses.getResult<LoopAnalysis>(F);
  auto &DT = Analyses.getResult<DominatorTreeAnalysis>(F);
  auto &SE = Analyses.getResult<ScalarEvolutionAnalysis>(F);
  bool Changed = false;
  for (Loop *L : LI.getLoopsInPreorder()) {
    std::optional<TableLoop> Found;
    if (L->getNumBlocks() == 1)
      Found = Finder(*L, SE).find();
    if (!Found)
      continue;
    Changed = true;
    simplifyLoop(L, &DT, &LI, &SE, nullptr, nullptr, /*PreserveLCSSA=*/false);
    formLCSSA(*L, DT, &LI, &SE);
    if (!ipu::canHaveTwin(*L, DT))
      continue;
    if (Value *Test = makeTest(*Found, *L, SE)) {
      ipu::makeTwins(*L, Test, LI, DT);
      stateApart(*Found);
    }
    SE.forgetAllLoops();
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
