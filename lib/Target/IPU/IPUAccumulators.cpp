// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums in the accumulators. A vectorized loop of one block that adds products,
// or halves, to a vector adds them to the accumulators instead: one instruction
// multiplies, widens and adds.
//
//     before the loop:  all accumulators become zero
//     in it:            f32v2mac, f16v4cmac, f32v4acc, f16v8sqacc and the like
//     after it:         what the vector had at first is added to the sums
//
// One instruction adds four floats or eight halves, where memory can give two
// loads at once.
//
// The pass needs permission to add in another order and to leave out the
// rounding of a product (`reassoc` and `contract` in LLVM's terms, both part of
// -ffast-math). Accumulators are floats: sums of halves are rounded once, at
// the end. The multiplications of halves add both lanes of a register to one
// accumulator, so they need a vector whose lanes are only added up later. The
// same holds for instructions that take a part of a vector.
//
// A worker has one set of accumulators, and code may use it by builtins. The
// pass leaves such code alone, and all code that it may call or be called by
// (IPUAccumulatorOwners.h), and loops with a call.

#include "lib/Target/IPU/IPU.h"
#include "lib/Target/IPU/IPUAccumulatorPass.h"
#include "lib/Target/IPU/IPUBuiltinCalls.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include <optional>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// The addend of an iteration: a product, or, without a second factor, a value.
struct Addend {
  Value *A;
  Value *B = nullptr;
};

/// The instruction for an addend.
struct Method {
  StringRef Builtin;
  /// The operands, in parts of `Lanes` lanes each.
  Value *A, *B;
  unsigned Lanes;
  /// The number of sums that the instruction adds to.
  unsigned Sums;
  /// True if the instruction adds lanes of one part to each other.
  bool AddsLanes = false;

  unsigned lanesInAll() const {
    return cast<FixedVectorType>(A->getType())->getNumElements();
  }
  /// Returns whether the instruction takes four registers at once.
  bool takesQuad() const {
    return Lanes * A->getType()->getScalarSizeInBits() == 128;
  }
  bool keepsLanes() const { return !AddsLanes && Lanes == lanesInAll(); }
};

/// A vector that a loop adds to.
struct Sum {
  PHINode *Phi;
  Value *Start;
  /// The instructions from the phi to its value in the next iteration.
  SmallVector<Instruction *, 4> Updates;
  SmallVector<Addend, 4> Addends;
  /// True if the lanes are only added up in the end.
  bool LanesFree = false;

  Instruction *last() const { return Updates.back(); }
  FixedVectorType *type() const {
    return cast<FixedVectorType>(Phi->getType());
  }
};

class IPUAccumulators : public IPUAccumulatorPass {
public:
  static char ID;

  IPUAccumulators() : IPUAccumulatorPass(ID) {}

  StringRef getPassName() const override { return "IPU accumulators"; }

protected:
  bool runOnLoop(const Loop &L, const MCInstrInfo &) override;
};

/// Builds calls of builtins.
class Emitter {
  IRBuilder<> Builder;
  Type *const None, *const Float, *const Half;

public:
  explicit Emitter(Instruction *Before)
      : Builder(Before), None(Builder.getVoidTy()), Float(Builder.getFloatTy()),
        Half(Builder.getHalfTy()) {}

  void clear() { clearAccumulators(Builder); }
  void add(const Addend &What);
  Value *read(const Sum &S);

private:
  Value *pad(Value *Lanes, FixedVectorType *To);
};

} // namespace

static FixedVectorType *vectorOf(Type *Element, unsigned Lanes) {
  return FixedVectorType::get(Element, Lanes);
}

/// The halves that a vector of floats comes from, or null.
static Value *widened(Value *V) {
  Value *From;
  return match(V, m_FPExt(m_Value(From))) &&
                 From->getType()->getScalarType()->isHalfTy()
             ? From
             : nullptr;
}

//===----------------------------------------------------------------------===//
// Sums that accumulators can do
//===----------------------------------------------------------------------===//

/// Returns the addend if an instruction only adds it to a value, with the
/// freedom that accumulators need.
static std::optional<Addend> addedTo(const Value *V, Instruction &I) {
  auto *Op = dyn_cast<FPMathOperator>(&I);
  if (!Op || !Op->hasAllowReassoc())
    return std::nullopt;
  Value *A, *B, *Other;
  if ((match(&I, m_Intrinsic<Intrinsic::fmuladd>(m_Value(A), m_Value(B),
                                                 m_Specific(V))) ||
       match(&I, m_Intrinsic<Intrinsic::fma>(m_Value(A), m_Value(B),
                                             m_Specific(V)))) &&
      A != V && B != V)
    return Addend{A, B};
  if (!match(&I, m_c_FAdd(m_Specific(V), m_Value(Other))) || Other == V)
    return std::nullopt;
  if (Op->hasAllowContract() && Other->hasOneUse() &&
      match(Other, m_FMul(m_Value(A), m_Value(B))) &&
      cast<Instruction>(Other)->hasAllowContract())
    return Addend{A, B};
  return Addend{Other};
}

/// The instruction that adds a vector, if there is one that saves something.
static std::optional<Method> methodForValue(Value *V) {
  bool IsAbsolute = match(V, m_FAbs(m_Value(V)));
  if (Value *Halves = widened(V)) {
    V = Halves;
    IsAbsolute |= match(V, m_FAbs(m_Value(V)));
  }
  auto *Ty = cast<FixedVectorType>(V->getType());
  unsigned Lanes = Ty->getNumElements();
  bool IsHalf = Ty->getElementType()->isHalfTy();
  if (Lanes == 4 && IsHalf)
    return Method{IsAbsolute ? "ipu_f16v4absacc" : "ipu_f16v4acc", V, nullptr,
                  4, 4};
  if (Lanes == 4)
    return Method{IsAbsolute ? "ipu_f32v4absacc" : "ipu_f32v4acc", V, nullptr,
                  4, 4};
  if (Lanes == 8 && IsHalf)
    return Method{IsAbsolute ? "ipu_f16v8absacc" : "ipu_f16v8acc", V, nullptr,
                  8, 8};
  return std::nullopt;
}

static std::optional<Method> methodForProduct(Value *A, Value *B) {
  Value *HalvesOfA = widened(A), *HalvesOfB = widened(B);
  if (HalvesOfA && HalvesOfB &&
      cast<FixedVectorType>(A->getType())->getNumElements() >= 4) {
    A = HalvesOfA;
    B = HalvesOfB;
  }
  auto *Ty = cast<FixedVectorType>(A->getType());
  unsigned Lanes = Ty->getNumElements();
  if (!Ty->getElementType()->isHalfTy()) {
    if (A == B && Lanes == 4)
      return Method{"ipu_f32v4sqacc", A, nullptr, 4, 4};
    if (Lanes == 2 || Lanes == 4)
      return Method{"ipu_f32v2mac", A, B, 2, 2};
    return std::nullopt;
  }
  if (A == B && Lanes == 8)
    return Method{"ipu_f16v8sqacc", A, nullptr, 8, 8};
  if (Lanes == 4 || Lanes == 8)
    return Method{"ipu_f16v4cmac", A, B, 4, 2, /*AddsLanes=*/true};
  if (Lanes == 2)
    return Method{"ipu_f16v2cmac", A, B, 2, 2, /*AddsLanes=*/true};
  return std::nullopt;
}

static std::optional<Method> methodFor(const Addend &What) {
  Type *Element = What.A->getType()->getScalarType();
  if (!Element->isFloatTy() && !Element->isHalfTy())
    return std::nullopt;
  return What.B ? methodForProduct(What.A, What.B) : methodForValue(What.A);
}

/// Returns whether all users of a value outside of a loop only add up its
/// lanes, in any order.
static bool onlyAddedUp(const Instruction &I, const Loop &L,
                        SmallPtrSetImpl<const Instruction *> &Seen) {
  if (!Seen.insert(&I).second)
    return true;
  return all_of(I.users(), [&](const User *U) {
    const auto *Use = cast<Instruction>(U);
    if (L.contains(Use))
      return true;
    if (isa<PHINode>(Use))
      return onlyAddedUp(*Use, L, Seen);
    return match(Use, m_Intrinsic<Intrinsic::vector_reduce_fadd>()) &&
           cast<FPMathOperator>(Use)->hasAllowReassoc();
  });
}

// Returns whether the sum may start from +0, as accumulators do. The sign of
// zero shows only if all addends are -0 and every lane starts from -0.
static bool mayStartFromZero(const Sum &S) {
  if (all_of(S.Updates,
             [](const Instruction *I) { return I->hasNoSignedZeros(); }))
    return true;
  auto *Start = dyn_cast<Constant>(S.Start);
  if (!Start || !S.LanesFree)
    return false;
  for (unsigned Lane = 0; Lane != S.type()->getNumElements(); ++Lane) {
    auto *Value =
        dyn_cast_or_null<ConstantFP>(Start->getAggregateElement(Lane));
    if (Value && !Value->isExactlyValue(-0.0))
      return true;
  }
  return false;
}

/// Returns whether a loop keeps so many vectors beside one that no four
/// registers are left for one instruction: half of the eight registers.
static bool leavesNoQuad(const Loop &L, const PHINode &Beside) {
  unsigned Bits = 0;
  for (const PHINode &Phi : L.getHeader()->phis())
    if (&Phi != &Beside && isa<FixedVectorType>(Phi.getType()))
      Bits += Phi.getType()->getPrimitiveSizeInBits();
  return Bits > 128;
}

/// The sum that starts at a phi, if it is one for accumulators.
static std::optional<Sum> findSum(PHINode &Phi, const Loop &L) {
  if (!isa<FixedVectorType>(Phi.getType()))
    return std::nullopt;
  Sum S{&Phi, Phi.getIncomingValueForBlock(L.getLoopPreheader()), {}, {}};
  const Value *Next = Phi.getIncomingValueForBlock(L.getLoopLatch());
  for (Instruction *At = &Phi; At != Next;) {
    if (!At->hasOneUse())
      return std::nullopt;
    auto *I = cast<Instruction>(*At->user_begin());
    std::optional<Addend> What = addedTo(At, *I);
    if (!What || !L.contains(I))
      return std::nullopt;
    S.Updates.push_back(I);
    S.Addends.push_back(*What);
    At = I;
  }
  // Within the loop, only the phi may see the last one.
  if (S.Updates.empty() || count_if(S.last()->users(), [&](const User *U) {
                             return L.contains(cast<Instruction>(U));
                           }) != 1)
    return std::nullopt;
  SmallPtrSet<const Instruction *, 4> Seen;
  S.LanesFree = onlyAddedUp(*S.last(), L, Seen);
  bool Supported = all_of(S.Addends, [&](const Addend &What) {
    std::optional<Method> How = methodFor(What);
    return How && (S.LanesFree || How->keepsLanes()) &&
           !(How->takesQuad() && leavesNoQuad(L, Phi));
  });
  if (!Supported || !mayStartFromZero(S))
    return std::nullopt;
  return S;
}

/// The first sum of a loop that accumulators can do.
static std::optional<Sum> findSum(const Loop &L) {
  if (L.getNumBlocks() != 1 || !L.isLoopSimplifyForm() || !L.getExitBlock() ||
      callsFunction(*L.getHeader()))
    return std::nullopt;
  for (PHINode &Phi : L.getHeader()->phis())
    if (std::optional<Sum> S = findSum(Phi, L))
      return S;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

void Emitter::add(const Addend &What) {
  Method How = *methodFor(What);
  for (unsigned First = 0; First != How.lanesInAll(); First += How.Lanes) {
    SmallVector<int, 8> Mask;
    for (unsigned Lane = 0; Lane != How.Lanes; ++Lane)
      Mask.push_back(First + Lane);
    SmallVector<Value *, 2> Operands;
    for (Value *V : {How.A, How.B})
      if (V)
        Operands.push_back(How.Lanes == How.lanesInAll()
                               ? V
                               : Builder.CreateShuffleVector(V, Mask));
    callBuiltin(Builder, How.Builtin, None, Operands);
  }
}

/// The lanes, and as many that add nothing as a type has more of them.
Value *Emitter::pad(Value *Lanes, FixedVectorType *To) {
  unsigned Have = cast<FixedVectorType>(Lanes->getType())->getNumElements();
  if (Have == To->getNumElements())
    return Lanes;
  SmallVector<int, 4> Mask;
  for (unsigned Lane = 0; Lane != To->getNumElements(); ++Lane)
    Mask.push_back(std::min(Lane, Have));
  Constant *Nothing = ConstantFP::getNegativeZero(Lanes->getType());
  return Builder.CreateShuffleVector(Lanes, Nothing, Mask);
}

/// The sums as the vector would have them, but that products may be in other
/// lanes.
Value *Emitter::read(const Sum &S) {
  Builder.setFastMathFlags(S.last()->getFastMathFlags());
  unsigned Used = 0;
  for (const Addend &What : S.Addends)
    Used = std::max(Used, methodFor(What)->Sums);
  bool OfHalves = S.type()->getElementType()->isHalfTy();
  Value *Sums;
  if (Used == 4 && OfHalves) {
    Sums = callBuiltin(Builder, "ipu_f16v4gacc", vectorOf(Half, 4), {});
  } else if (Used > 2) {
    SmallVector<Value *, 4> Pairs;
    for (unsigned Pair = 0; Pair != Used; Pair += 2)
      Pairs.push_back(readTwoAccumulators(Builder));
    Sums = concatenateVectors(Builder, Pairs);
    if (OfHalves)
      Sums = Builder.CreateFPTrunc(Sums, vectorOf(Half, Used));
  } else {
    Sums = readTwoAccumulators(Builder);
    if (OfHalves) {
      Value *Both = Builder.CreateFAdd(Builder.CreateExtractElement(Sums, 0ul),
                                       Builder.CreateExtractElement(Sums, 1));
      Sums = Builder.CreateInsertElement(
          ConstantFP::getNegativeZero(vectorOf(Half, 2)),
          Builder.CreateFPTrunc(Both, Half), 0ul);
    }
  }
  Value *Result = pad(Sums, S.type());
  auto *Start = dyn_cast<Constant>(S.Start);
  if (Start && (Start->isZeroValue() || match(Start, m_AnyZeroFP())))
    return Result;
  return Builder.CreateFAdd(S.Start, Result);
}

static void replace(const Sum &S, const Loop &L) {
  Emitter(L.getLoopPreheader()->getTerminator()).clear();
  for (size_t I = 0; I != S.Updates.size(); ++I)
    Emitter(S.Updates[I]).add(S.Addends[I]);
  BasicBlock *Exit = L.getExitBlock();
  Value *Result = Emitter(&*Exit->getFirstInsertionPt()).read(S);
  for (PHINode &Phi : make_early_inc_range(Exit->phis()))
    if (Phi.getIncomingValue(0) == S.last()) {
      Phi.replaceAllUsesWith(Result);
      Phi.eraseFromParent();
    }
  S.last()->replaceUsesWithIf(Result, [&](const Use &U) {
    return !L.contains(cast<Instruction>(U.getUser()));
  });
  S.Phi->replaceAllUsesWith(PoisonValue::get(S.Phi->getType()));
  S.Phi->eraseFromParent();
  for (Instruction *I : S.Updates) {
    I->replaceAllUsesWith(PoisonValue::get(I->getType()));
    I->eraseFromParent();
  }
}

bool IPUAccumulators::runOnLoop(const Loop &L, const MCInstrInfo &) {
  std::optional<Sum> S = findSum(L);
  if (S)
    replace(*S, L);
  return S.has_value();
}

char IPUAccumulators::ID = 0;

FunctionPass *llvm::createIPUAccumulators() { return new IPUAccumulators(); }
