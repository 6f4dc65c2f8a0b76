// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The costs of vectors, for the vectorizers. Vectors pay in few cases: memory
// moves 64 bits an instruction only at eight-byte addresses, the auxiliary pipe
// computes two floats or four halves at once, and vectors of integers do not
// exist (what they are of use for is in IPUNarrowCosts.cpp). The loop
// vectorizer asks before it has widened an access, when the access states only
// the element's alignment. The alignment of the whole array is then looked up
// at the pointer that the access starts from.

#include "lib/Target/IPU/IPUCostTypes.h"
#include "lib/Target/IPU/IPUTargetTransformInfo.h"
#include "llvm/Analysis/AssumeBundleQueries.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace llvm::ipu;

/// Vectors that the auxiliary file holds, alone or in parts.
static bool isAuxVector(const Type *Ty) {
  auto *Vector = dyn_cast<FixedVectorType>(Ty);
  return Vector && (Vector->getElementType()->isFloatTy() ||
                    Vector->getElementType()->isHalfTy());
}

// More than a pair of registers is only of use for sums: instructions take no
// more, and there are but four pairs.
static constexpr unsigned CostOfWide = 4;

/// Returns whether a vector has more bits than one instruction computes with,
/// in a function whose sums make the vectorizer try such vectors. Sums of
/// halves are floats, in the accumulators.
bool IPUTTIImpl::isWide(const Type *Ty) const {
  if (!isAuxVector(Ty) || Ty->getPrimitiveSizeInBits() <= 64)
    return false;
  bool FillsRegisters = Ty->getPrimitiveSizeInBits() > 128;
  return (sumsMemory() && (FillsRegisters || !sumsHalves())) ||
         (FillsRegisters && storesNarrow());
}

Align ipu::statedAlign(const Value *Pointer, const DataLayout &DL) {
  const Value *Array = getUnderlyingObject(Pointer, /*MaxLookup=*/0);
  Align Known = Array->getPointerAlignment(DL);
  if (RetainedKnowledge Fact =
          getKnowledgeForValue(Array, {Attribute::Alignment}))
    Known = std::max(Known, Align(PowerOf2Ceil(Fact.ArgValue)));
  return Known;
}

/// Returns whether a value, or its product with another, is only added to
/// something in any order: the accumulators take halves as they are.
static bool isSummed(const Instruction &I) {
  return !I.use_empty() && all_of(I.users(), [&](const User *U) {
    const auto *Op = dyn_cast<FPMathOperator>(U);
    if (Op && Op->getOpcode() == Instruction::FMul && Op->hasAllowContract())
      return isSummed(*cast<Instruction>(U));
    return Op && Op->hasAllowReassoc() &&
           (Op->getOpcode() == Instruction::FAdd ||
            match(U, m_Intrinsic<Intrinsic::fmuladd>()));
  });
}

/// Returns whether a value is loaded from memory and at most changed in sign or
/// type.
static bool isLoaded(const Value *V) {
  match(V, m_FAbs(m_Value(V)));
  match(V, m_FPExt(m_Value(V)));
  match(V, m_FAbs(m_Value(V)));
  return isa<LoadInst>(V);
}

/// Returns whether an instruction adds a loaded value or its square to a sum,
/// in any order, or computes that square.
static bool sumsLoaded(const Instruction &I) {
  const auto *Op = dyn_cast<FPMathOperator>(&I);
  Value *A, *B;
  if (!Op)
    return false;
  if (match(&I, m_FMul(m_Value(A), m_Deferred(A))))
    return isLoaded(A) && isSummed(I);
  if (!Op->hasAllowReassoc())
    return false;
  if (match(&I, m_Intrinsic<Intrinsic::fmuladd>(m_Value(A), m_Deferred(A),
                                                m_Value(B))))
    return isLoaded(A) && isa<PHINode>(B);
  if (!match(&I, m_c_FAdd(m_Value(A), m_Value(B))))
    return false;
  if (isa<PHINode>(B))
    std::swap(A, B);
  if (!isa<PHINode>(A))
    return false;
  const auto *Product = dyn_cast<Instruction>(B);
  return isLoaded(B) || (Product && Product->getOpcode() == Instruction::FMul &&
                         sumsLoaded(*Product));
}

InstructionCost IPUTTIImpl::getMemoryOpCost(unsigned Opcode, Type *Ty,
                                            MaybeAlign Alignment,
                                            unsigned AddressSpace,
                                            TTI::TargetCostKind CostKind,
                                            TTI::OperandValueInfo OpInfo,
                                            const Instruction *I) {
  InstructionCost Base = BaseT::getMemoryOpCost(
      Opcode, Ty, Alignment, AddressSpace, CostKind, OpInfo, I);
  if (CostKind != TTI::TCK_RecipThroughput)
    return Base;
  bool IsStore = Opcode == Instruction::Store;
  // A store of less than a word merges.
  unsigned LaneBytes = DL.getTypeStoreSize(Ty->getScalarType());
  unsigned LaneCost = IsStore && LaneBytes < 4 ? 8 : 1;
  if (!Ty->isVectorTy())
    return LaneBytes < 4 ? LaneCost : Base;
  Align Known = Alignment.valueOrOne();
  if (const Value *Pointer = I ? getLoadStorePointerOperand(I) : nullptr)
    Known = std::max(Known, statedAlign(Pointer, DL));
  if (isNarrowed(Ty) && storesNarrow())
    return narrowMemoryCost(Opcode, Ty, Known, I);
  if (!isAuxVector(Ty))
    return lanesOf(Ty) * (LaneCost + 1);

  unsigned Bytes = DL.getTypeStoreSize(Ty);
  bool IsHalf = Ty->getScalarType()->isHalfTy();
  if (Bytes >= 8 && Known >= Align(8))
    return Bytes / 8 * (IsStore && isWide(Ty) ? CostOfWide : 1);
  // Words of one float each gain nothing: the pipe that computes waits for the
  // pipe that loads.
  if (Bytes >= 4 && Known >= Align(4))
    return IsHalf ? Bytes / 4 + 1 : Bytes;
  return lanesOf(Ty) * (LaneCost + 1);
}

InstructionCost IPUTTIImpl::getArithmeticInstrCost(unsigned Opcode, Type *Ty,
                                                   TTI::TargetCostKind CostKind,
                                                   TTI::OperandValueInfo Op1,
                                                   TTI::OperandValueInfo Op2,
                                                   ArrayRef<const Value *> Args,
                                                   const Instruction *I) {
  InstructionCost Base =
      BaseT::getArithmeticInstrCost(Opcode, Ty, CostKind, Op1, Op2, Args, I);
  if (CostKind != TTI::TCK_RecipThroughput)
    return Base;
  unsigned Lanes = lanesOf(Ty);
  bool IsHalf = Ty->getScalarType()->isHalfTy();
  if (isWide(Ty) && I && sumsLoaded(*I))
    return Opcode == Instruction::FAdd ? 1 : 0;
  switch (Opcode) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FNeg:
    if (isAuxVector(Ty))
      return divideCeil(Lanes, IsHalf ? 4 : 2) * (isWide(Ty) ? CostOfWide : 1);
    return Ty->isFloatTy() || Ty->isHalfTy() ? InstructionCost(1) : Base;
  case Instruction::FDiv:
    // Three slots each, and for halves the conversions.
    if (isAuxVector(Ty) || Ty->isFloatTy() || Ty->isHalfTy())
      return Lanes * 3 + (IsHalf ? 2 + Lanes : 0);
    return Base;
  default:
    if (isNarrowed(Ty) && storesNarrow())
      return Lanes * BaseT::getArithmeticInstrCost(Opcode, Ty->getScalarType(),
                                                   CostKind);
    return Ty->isVectorTy() ? Base + 2 * Lanes : Base;
  }
}

InstructionCost IPUTTIImpl::getCmpSelInstrCost(unsigned Opcode, Type *ValTy,
                                               Type *CondTy,
                                               CmpInst::Predicate Predicate,
                                               TTI::TargetCostKind CostKind,
                                               const Instruction *I) {
  // Comparison and choice are one mask and the logic on it.
  if (CostKind == TTI::TCK_RecipThroughput && isAuxVector(ValTy) &&
      (Opcode == Instruction::FCmp || Opcode == Instruction::Select)) {
    unsigned Lanes = ValTy->getScalarType()->isHalfTy() ? 4 : 2;
    unsigned Parts = divideCeil(lanesOf(ValTy), Lanes);
    return Opcode == Instruction::FCmp ? Parts : 3 * Parts;
  }
  if (isNarrowed(ValTy) && storesNarrow())
    return lanesOf(ValTy);
  InstructionCost Base =
      BaseT::getCmpSelInstrCost(Opcode, ValTy, CondTy, Predicate, CostKind, I);
  return ValTy->isVectorTy() ? Base + 2 * lanesOf(ValTy) : Base;
}

bool IPUTTIImpl::sumsHalves() const {
  return any_of(instructions(F), [](const Instruction &I) {
    return isa<FPExtInst>(I) && I.getOperand(0)->getType()->isHalfTy() &&
           isSummed(I);
  });
}

bool IPUTTIImpl::storesHalves() const {
  return !F.hasOptSize() && any_of(instructions(F), [&](const Instruction &I) {
    const auto *Store = dyn_cast<StoreInst>(&I);
    return Store && Store->isSimple() &&
           Store->getValueOperand()->getType()->isHalfTy() &&
           statedAlign(Store->getPointerOperand(), DL) >= Align(4);
  });
}

bool IPUTTIImpl::sumsMemory() const {
  return !F.hasOptSize() && any_of(instructions(F), sumsLoaded);
}

InstructionCost
IPUTTIImpl::getIntrinsicInstrCost(const IntrinsicCostAttributes &ICA,
                                  TTI::TargetCostKind CostKind) {
  if (CostKind == TTI::TCK_RecipThroughput && isWide(ICA.getReturnType()) &&
      ICA.getInst() && sumsLoaded(*ICA.getInst()))
    return 1;
  return BaseT::getIntrinsicInstrCost(ICA, CostKind);
}

InstructionCost IPUTTIImpl::getCastInstrCost(unsigned Opcode, Type *Dst,
                                             Type *Src,
                                             TTI::CastContextHint Hint,
                                             TTI::TargetCostKind CostKind,
                                             const Instruction *I) {
  // Two lanes at once between float and half.
  bool Converts =
      Opcode == Instruction::FPExt || Opcode == Instruction::FPTrunc;
  if (CostKind == TTI::TCK_RecipThroughput && Converts && isAuxVector(Dst) &&
      isAuxVector(Src))
    return Opcode == Instruction::FPExt && I && isSummed(*I)
               ? 0
               : divideCeil(lanesOf(Dst), 2);
  // Lanes of integers are words, which need no cast.
  if ((isNarrowed(Dst) || isNarrowed(Src)) && storesNarrow())
    return isNarrowed(Dst) && isNarrowed(Src) ? 0 : 2 * lanesOf(Dst);
  InstructionCost Base =
      BaseT::getCastInstrCost(Opcode, Dst, Src, Hint, CostKind, I);
  return Dst->isVectorTy() ? Base + 2 * lanesOf(Dst) : Base;
}

InstructionCost IPUTTIImpl::getShuffleCost(TTI::ShuffleKind Kind,
                                           VectorType *Ty, ArrayRef<int> Mask,
                                           TTI::TargetCostKind CostKind,
                                           int Index, VectorType *SubTy,
                                           ArrayRef<const Value *> Args,
                                           const Instruction *I) {
  // A broadcast is part of the instruction that uses it.
  if (isAuxVector(Ty) && Kind == TTI::SK_Broadcast)
    return 1;
  if (isAuxVector(Ty) && Kind != TTI::SK_InsertSubvector &&
      Kind != TTI::SK_ExtractSubvector)
    return divideCeil(lanesOf(Ty), 2);
  return BaseT::getShuffleCost(Kind, Ty, Mask, CostKind, Index, SubTy, Args, I);
}
