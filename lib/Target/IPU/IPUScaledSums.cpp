// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A multiple of one vector added to another in one instruction. `f32v2axpy`
// leaves its result in the accumulators, where the next one finds it:
//
//     before the loop:  the accumulators become zero, $TAS the factor
//     in it:            f32v2axpy; f32v2gina reads what it has left
//
// Alone, that is no shorter than a multiplication and an addition. It becomes
// shorter when the loop is scheduled: the f32v2axpy of the next iteration then
// also reads the result (IPUModuloScheduler.h). So the pass takes loops of one
// block with one such sum, if the next iteration does not wait for it and
// enough iterations pay for the code before the loop.
//
// The product is not rounded. That needs permission to contract, such as the
// fmuladd that Clang makes of `y + a * x`. Functions that use the accumulators
// themselves are left alone (IPUAccumulatorOwners.h).

#include "lib/Target/IPU/IPU.h"
#include "lib/Target/IPU/IPUAccumulatorPass.h"
#include "lib/Target/IPU/IPUBuiltinCalls.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include <optional>

using namespace llvm;
using namespace llvm::PatternMatch;

// The number of $TAS.
static constexpr unsigned FactorRegister = 8;
// The iterations that pay for the instructions before and after the loop.
static constexpr unsigned MinIterations = 8;

namespace {

struct ScaledSum {
  Instruction *Result;
  Value *Factor, *Scaled, *Other;
};

class IPUScaledSums : public IPUAccumulatorPass {
public:
  static char ID;

  IPUScaledSums() : IPUAccumulatorPass(ID) {}

  StringRef getPassName() const override { return "IPU scaled sums"; }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    IPUAccumulatorPass::getAnalysisUsage(AU);
    AU.addRequired<ScalarEvolutionWrapperPass>();
  }

protected:
  bool runOnLoop(const Loop &L, const MCInstrInfo &Table) override;
};

} // namespace

/// The scalar that is in all lanes of a vector, the same in all iterations.
static Value *invariantFactor(Value *V, const Loop &L) {
  Value *Factor = getSplatValue(V);
  return Factor && L.isLoopInvariant(Factor) ? Factor : nullptr;
}

static std::optional<ScaledSum> asScaledSum(Instruction &I, const Loop &L) {
  auto *Ty = dyn_cast<FixedVectorType>(I.getType());
  if (!Ty || Ty->getNumElements() != 2 || !Ty->getElementType()->isFloatTy())
    return std::nullopt;
  Value *A, *B, *Other;
  bool IsFused = match(&I, m_Intrinsic<Intrinsic::fmuladd>(
                               m_Value(A), m_Value(B), m_Value(Other))) ||
                 match(&I, m_Intrinsic<Intrinsic::fma>(m_Value(A), m_Value(B),
                                                       m_Value(Other)));
  Instruction *Product = nullptr;
  bool IsSum =
      !IsFused &&
      match(&I, m_c_FAdd(m_OneUse(m_CombineAnd(m_FMul(m_Value(A), m_Value(B)),
                                               m_Instruction(Product))),
                         m_Value(Other))) &&
      I.hasAllowContract() && Product->hasAllowContract() &&
      L.contains(Product);
  if (!IsFused && !IsSum)
    return std::nullopt;
  if (Value *Factor = invariantFactor(A, L))
    return ScaledSum{&I, Factor, B, Other};
  if (Value *Factor = invariantFactor(B, L))
    return ScaledSum{&I, Factor, A, Other};
  return std::nullopt;
}

/// Returns whether the next iteration may use the result of an instruction.
static bool isCarriedOn(const Instruction &I, const Loop &L,
                        SmallPtrSetImpl<const Instruction *> &Seen) {
  return any_of(I.users(), [&](const User *U) {
    const auto *Use = cast<Instruction>(U);
    if (!L.contains(Use) || !Seen.insert(Use).second)
      return false;
    return isa<PHINode>(Use) || isCarriedOn(*Use, L, Seen);
  });
}

/// The only scaled sum of a loop.
static std::optional<ScaledSum>
findScaledSum(const Loop &L, ScalarEvolution &SE, const MCInstrInfo &Table) {
  unsigned MaxCount = SE.getSmallConstantMaxTripCount(&L);
  if (L.getNumBlocks() != 1 || !L.isLoopSimplifyForm() ||
      (MaxCount && MaxCount < MinIterations) || callsFunction(*L.getHeader()) ||
      usesAccumulators(*L.getHeader(), Table))
    return std::nullopt;
  std::optional<ScaledSum> Result;
  for (Instruction &I : *L.getHeader())
    if (std::optional<ScaledSum> Sum = asScaledSum(I, L)) {
      if (Result)
        return std::nullopt;
      Result = Sum;
    }
  SmallPtrSet<const Instruction *, 8> Seen;
  if (Result && isCarriedOn(*Result->Result, L, Seen))
    return std::nullopt;
  return Result;
}

static void replace(const ScaledSum &Sum, const Loop &L) {
  IRBuilder<> Before(L.getLoopPreheader()->getTerminator());
  clearAccumulators(Before);
  callBuiltin(Before, "ipu_uputf", Before.getVoidTy(),
              {Sum.Factor, Before.getInt32(FactorRegister)});
  IRBuilder<> Builder(Sum.Result);
  callBuiltin(Builder, "ipu_f32v2axpy", Sum.Result->getType(),
              {Sum.Other, Sum.Scaled});
  Sum.Result->replaceAllUsesWith(readTwoAccumulators(Builder));
  Sum.Result->eraseFromParent();
}

bool IPUScaledSums::runOnLoop(const Loop &L, const MCInstrInfo &Table) {
  auto &SE = getAnalysis<ScalarEvolutionWrapperPass>().getSE();
  std::optional<ScaledSum> Sum = findScaledSum(L, SE, Table);
  if (Sum)
    replace(*Sum, L);
  return Sum.has_value();
}

char IPUScaledSums::ID = 0;

FunctionPass *llvm::createIPUScaledSums() { return new IPUScaledSums(); }
