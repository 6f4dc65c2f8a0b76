// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quantisation limits a float and makes it an integer:
//
//     v = v > 127 ? 127 : (v < -128 ? -128 : v);   f32max ; f32min ;
//     q = int(rint(v));                            f32int ; f32toi32
//
// The choice keeps a NaN, which the machine's minimum and maximum replace by
// the other operand, and it does not order zeros, which they do. An integer
// knows neither: the conversion of a NaN is undefined, and both zeros become 0.
// So a choice that only a conversion uses becomes a minimum or maximum.

#include "lib/Target/IPU/IPUClamps.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include <optional>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// A choice between a value and a constant that limits it.
struct Limit {
  Value *Limited;
  ConstantFP *Bound;
  bool IsMaximum; // the greater of the two is chosen
};

} // namespace

/// Returns the operand of an operation that rounds to a whole number, else the
/// value itself.
static Value *beforeRounding(Value *V) {
  auto *Call = dyn_cast<IntrinsicInst>(V);
  if (!Call || !Call->hasOneUse())
    return V;
  switch (Call->getIntrinsicID()) {
  case Intrinsic::rint:
  case Intrinsic::nearbyint:
  case Intrinsic::roundeven:
  case Intrinsic::round:
  case Intrinsic::floor:
  case Intrinsic::ceil:
  case Intrinsic::trunc:
    return Call->getArgOperand(0);
  default:
    return V;
  }
}

/// Returns whether a value is the greater (or the lesser) of X and a constant
/// that is at most (or at least) the bound: to compare it with the bound and to
/// compare X gives the same.
static bool isLimitedInside(const Value *V, const Value *X,
                            const APFloat &Bound, bool IsMaximum) {
  const auto *Call = dyn_cast<IntrinsicInst>(V);
  if (!Call || Call->getIntrinsicID() !=
                   (IsMaximum ? Intrinsic::minnum : Intrinsic::maxnum))
    return false;
  const auto *Other = dyn_cast<ConstantFP>(Call->getArgOperand(1));
  if (Call->getArgOperand(0) != X || !Other)
    return false;
  APFloat::cmpResult Order = Other->getValueAPF().compare(Bound);
  return Order == APFloat::cmpEqual ||
         Order == (IsMaximum ? APFloat::cmpGreaterThan : APFloat::cmpLessThan);
}

static std::optional<Limit> asLimit(SelectInst &Select) {
  auto *Compare = dyn_cast<FCmpInst>(Select.getCondition());
  if (!Compare || !Compare->hasOneUse())
    return std::nullopt;
  Value *X = Compare->getOperand(0);
  auto *Bound = dyn_cast<ConstantFP>(Compare->getOperand(1));
  if (!Bound || Bound->isNaN())
    return std::nullopt;
  FCmpInst::Predicate P = Compare->getPredicate();
  bool Greater = P == FCmpInst::FCMP_OGT || P == FCmpInst::FCMP_OGE ||
                 P == FCmpInst::FCMP_UGT || P == FCmpInst::FCMP_UGE;
  bool Less = P == FCmpInst::FCMP_OLT || P == FCmpInst::FCMP_OLE ||
              P == FCmpInst::FCMP_ULT || P == FCmpInst::FCMP_ULE;
  if (!Greater && !Less)
    return std::nullopt;
  Value *True = Select.getTrueValue(), *False = Select.getFalseValue();
  if (True == Bound) {
    bool IsMaximum = Less;
    // A NaN goes to the arm that is limited inside.
    if (False != X &&
        (FCmpInst::isUnordered(P) ||
         !isLimitedInside(False, X, Bound->getValueAPF(), IsMaximum)))
      return std::nullopt;
    return Limit{False, Bound, IsMaximum};
  }
  if (False == Bound && True == X)
    return Limit{X, Bound, Greater};
  return std::nullopt;
}

/// Replaces the choices that a value is made of, if nothing else uses them;
/// returns whether there were any.
static bool replaceChoices(Value *V) {
  auto *Select = dyn_cast<SelectInst>(V);
  if (!Select || !Select->hasOneUse() ||
      !(Select->getType()->isFloatTy() || Select->getType()->isHalfTy()))
    return false;
  bool Changed = replaceChoices(Select->getTrueValue());
  Changed |= replaceChoices(Select->getFalseValue());
  std::optional<Limit> Found = asLimit(*Select);
  if (!Found)
    return Changed;
  IRBuilder<> Builder(Select);
  Select->replaceAllUsesWith(Builder.CreateBinaryIntrinsic(
      Found->IsMaximum ? Intrinsic::maxnum : Intrinsic::minnum, Found->Limited,
      Found->Bound));
  auto *Compare = cast<Instruction>(Select->getCondition());
  Select->eraseFromParent();
  Compare->eraseFromParent();
  // The comparison was another use.
  replaceChoices(Found->Limited);
  return true;
}

PreservedAnalyses IPUClampsPass::run(Function &F, FunctionAnalysisManager &) {
  SmallVector<Instruction *, 8> Conversions;
  for (Instruction &I : instructions(F))
    if (isa<FPToSIInst, FPToUIInst>(I))
      Conversions.push_back(&I);
  bool Changed = false;
  for (Instruction *I : Conversions)
    Changed |= replaceChoices(beforeRounding(I->getOperand(0)));
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}
