// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A branch on floats costs a comparison, a move of its mask to the main file
// and the branch, and a loop that contains one is neither vectorized nor
// repeated without overhead:
//
//     if (x < 0)           f32cmplt ; atom ; brnz ; ...
//       x = 0.1f * x;
//     else if (x > 6)      f32cmpgt ; atom ; brz ; ...
//       x = 6;
//
// LLVM keeps such branches, because a choice between floats is expensive on
// most machines; here it is two or three instructions of logic. An innermost
// loop becomes one block if all that its branches skip is cheap:
//
//     y = x > 6 ? 6 : x;   z = 0.1f * x;   x = x < 0 ? z : y;
//
// Branches are removed from the inside out: a branch both of whose ways lead to
// the same block, directly or through a block of their own, becomes choices in
// place of that block's phis. Either all branches of a loop go or none.

#include "lib/Target/IPU/IPUFlatLoops.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include <optional>

using namespace llvm;

/// Blocks of a loop, instructions that branches skip, and choices that replace
/// them, at most.
static constexpr unsigned MaxBlocks = 8;
static constexpr unsigned MaxSkipped = 6;
static constexpr unsigned MaxChoices = 3;

namespace {

/// A branch both of whose ways lead to Join, through blocks of their own or
/// directly (null).
struct Fork {
  BranchInst *Branch;
  BasicBlock *Sides[2];
  BasicBlock *Join;
};

} // namespace

/// Returns whether an instruction takes one turn, has no effects, and is worth
/// computing for nothing.
static bool isCheap(const Instruction &I) {
  if (!isSafeToSpeculativelyExecute(&I) || I.mayReadFromMemory())
    return false;
  switch (I.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FNeg:
  case Instruction::FCmp:
  case Instruction::ICmp:
  case Instruction::Select:
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
  case Instruction::Shl:
  case Instruction::FPExt:
  case Instruction::FPTrunc:
    return !I.getType()->isIntOrIntVectorTy(64);
  case Instruction::Call: {
    Intrinsic::ID ID = cast<CallInst>(I).getIntrinsicID();
    return ID == Intrinsic::fabs || ID == Intrinsic::minnum ||
           ID == Intrinsic::maxnum || ID == Intrinsic::fmuladd;
  }
  default:
    return false;
  }
}

/// Returns whether an instruction only states a fact, which a flat loop drops.
static bool isFact(const Instruction &I) { return isa<AssumeInst>(I); }

/// Returns whether a block is reached from one branch only and only leads to
/// another block.
static bool isSide(const BasicBlock *B) {
  const auto *Exit = dyn_cast<BranchInst>(B->getTerminator());
  return B->getSinglePredecessor() && Exit && Exit->isUnconditional() &&
         !isa<PHINode>(B->front());
}

static std::optional<Fork> forkAt(BasicBlock *B) {
  auto *Branch = dyn_cast<BranchInst>(B->getTerminator());
  if (!Branch || !Branch->isConditional() ||
      Branch->getSuccessor(0) == Branch->getSuccessor(1))
    return std::nullopt;
  Fork Found{Branch, {nullptr, nullptr}, nullptr};
  BasicBlock *Ends[2];
  for (unsigned I : {0, 1}) {
    BasicBlock *Next = Branch->getSuccessor(I);
    Found.Sides[I] = isSide(Next) ? Next : nullptr;
    Ends[I] = Found.Sides[I] ? Next->getSingleSuccessor() : Next;
  }
  if (Ends[0] != Ends[1] || Ends[0] == B)
    return std::nullopt;
  Found.Join = Ends[0];
  return Found;
}

/// Returns whether everything that branches of a loop skip may be computed
/// always, and at least one of them is on floats.
static bool isWorthIt(const Loop &L, const DominatorTree &DT) {
  BasicBlock *Latch = L.getLoopLatch();
  unsigned Skipped = 0, Choices = 0;
  bool Floats = false;
  for (BasicBlock *B : L.blocks()) {
    const auto *Branch = dyn_cast<BranchInst>(B->getTerminator());
    if (!Branch)
      return false;
    bool Always = DT.dominates(B, Latch);
    if (B != Latch && Branch->isConditional())
      Floats |= isa<FCmpInst>(Branch->getCondition());
    for (const Instruction &I : *B) {
      if (isa<PHINode>(I))
        Choices += B == L.getHeader() ? 0 : I.getNumOperands() - 1;
      else if (!Always && !I.isTerminator() && !isFact(I)) {
        if (!isCheap(I) || ++Skipped > MaxSkipped)
          return false;
      }
    }
  }
  return Floats && Choices <= MaxChoices;
}

namespace {

/// The blocks of a loop and where they lead inside it, to find out whether
/// taking branches away leaves one block.
class Shape {
  using Ways = SmallSetVector<const BasicBlock *, 2>;
  DenseMap<const BasicBlock *, Ways> Next;

  unsigned entries(const BasicBlock *B) const {
    return count_if(
        Next, [&](const auto &Entry) { return Entry.second.contains(B); });
  }

  /// The block behind a block that is reached and left by one way, else the
  /// block itself.
  const BasicBlock *behind(const BasicBlock *B) {
    return entries(B) == 1 && Next[B].size() == 1 ? Next[B][0] : B;
  }

  /// Makes one block of B and what follows, if that is all that it leads to.
  bool shorten(const BasicBlock *B) {
    Ways From = Next[B];
    if (From.size() == 1 && entries(From[0]) == 1) {
      Next[B] = Next[From[0]];
      Next.erase(From[0]);
      return true;
    }
    if (From.size() != 2 || behind(From[0]) != behind(From[1]))
      return false;
    const BasicBlock *Join = behind(From[0]);
    for (const BasicBlock *Side : From)
      if (Side != Join)
        Next.erase(Side);
    Next[B].clear();
    Next[B].insert(Join);
    return true;
  }

public:
  explicit Shape(const Loop &L) {
    for (const BasicBlock *B : L.blocks()) {
      Ways &To = Next[B];
      for (const BasicBlock *S : successors(B))
        if (L.contains(S) && S != L.getHeader())
          To.insert(S);
    }
  }

  bool becomesOneBlock() {
    SmallVector<const BasicBlock *, MaxBlocks> Left;
    do {
      Left.clear();
      for (const auto &Entry : Next)
        Left.push_back(Entry.first);
    } while (any_of(Left, [&](const BasicBlock *B) { return shorten(B); }));
    return Next.size() == 1;
  }
};

} // namespace

/// Moves a block's instructions before a branch.
static void hoist(BasicBlock &Side, BranchInst *Branch) {
  for (Instruction &I : make_early_inc_range(Side)) {
    if (I.isTerminator())
      return;
    if (isFact(I)) {
      I.eraseFromParent();
      continue;
    }
    I.moveBefore(Branch);
    I.dropUBImplyingAttrsAndMetadata();
  }
}

/// Replaces a branch by choices between the values that it led to.
static void flatten(const Fork &F) {
  BasicBlock *B = F.Branch->getParent();
  Value *Condition = F.Branch->getCondition();
  BasicBlock *From[2];
  for (unsigned I : {0, 1}) {
    From[I] = F.Sides[I] ? F.Sides[I] : B;
    if (F.Sides[I])
      hoist(*F.Sides[I], F.Branch);
  }
  IRBuilder<> Builder(F.Branch);
  for (PHINode &Phi : F.Join->phis()) {
    Value *True = Phi.getIncomingValueForBlock(From[0]);
    Value *False = Phi.getIncomingValueForBlock(From[1]);
    Value *Chosen =
        True == False ? True : Builder.CreateSelect(Condition, True, False);
    for (BasicBlock *Old : From)
      Phi.removeIncomingValue(Old, /*DeletePHIIfEmpty=*/false);
    Phi.addIncoming(Chosen, B);
  }
  Builder.CreateBr(F.Join);
  F.Branch->eraseFromParent();
  for (BasicBlock *Side : F.Sides)
    if (Side)
      Side->eraseFromParent();
}

/// Returns whether an innermost loop is left at its end only.
static bool isCandidate(const Loop &L) {
  return L.isInnermost() && L.getNumBlocks() > 1 &&
         L.getNumBlocks() <= MaxBlocks && L.getLoopLatch() &&
         L.getExitingBlock() == L.getLoopLatch();
}

/// Takes away a branch of a loop, or a block that only one other leads to.
static bool shortenOnce(SmallSetVector<BasicBlock *, MaxBlocks> &Blocks) {
  BasicBlock *Header = Blocks[0];
  for (BasicBlock *B : Blocks) {
    BasicBlock *Next = B->getSingleSuccessor();
    if (Next && Next != Header && Blocks.contains(Next) &&
        Next->getSinglePredecessor() == B) {
      Blocks.remove(Next);
      MergeBlockIntoPredecessor(Next);
      return true;
    }
    std::optional<Fork> Found = forkAt(B);
    if (!Found || Found->Join == Header || !Blocks.contains(Found->Join))
      continue;
    for (BasicBlock *Side : Found->Sides)
      Blocks.remove(Side);
    flatten(*Found);
    return true;
  }
  return false;
}

PreservedAnalyses IPUFlatLoopsPass::run(Function &F,
                                        FunctionAnalysisManager &Analyses) {
  if (F.hasOptSize())
    return PreservedAnalyses::all();
  auto &Loops = Analyses.getResult<LoopAnalysis>(F);
  auto &DT = Analyses.getResult<DominatorTreeAnalysis>(F);
  SmallVector<SmallSetVector<BasicBlock *, MaxBlocks>, 4> Found;
  for (Loop *L : Loops.getLoopsInPreorder())
    if (isCandidate(*L) && isWorthIt(*L, DT) && Shape(*L).becomesOneBlock())
      Found.emplace_back(L->block_begin(), L->block_end());
  for (auto &Blocks : Found) {
    for (BasicBlock *B : Blocks)
      if (B->getSinglePredecessor())
        FoldSingleEntryPHINodes(B);
    while (shortenOnce(Blocks))
      ;
  }
  return Found.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}
