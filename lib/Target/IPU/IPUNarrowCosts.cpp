// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The costs of vectors of bytes and shorts. To compute with them is no cheaper
// than to compute lane by lane, but to store them is: a byte alone takes a
// load, a merge and a store, four of a word a fourth of a store and three
// fourths of an instruction that joins them (IPUNarrowStores.cpp). So vectors
// of integers cost what their lanes cost in functions with such stores, and
// more in all others, where they would only make code longer.

#include "lib/Target/IPU/IPUCostTypes.h"
#include "lib/Target/IPU/IPUTargetTransformInfo.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace llvm::ipu;

// A load, a merge and a store, and what finds the place in the word.
static constexpr unsigned MergeCost = 8;
// More bytes at once need more registers than there are, unless they are
// copied.
static constexpr unsigned MaxLanes = 4;

static bool isNarrow(const Type *Ty) {
  return Ty->isIntegerTy(8) || Ty->isIntegerTy(16) || Ty->isIntegerTy(1);
}

bool IPUTTIImpl::storesNarrow() const {
  if (ST->isSupervisor() || F.hasOptSize())
    return false;
  return any_of(instructions(F), [&](const Instruction &I) {
    const auto *Store = dyn_cast<StoreInst>(&I);
    return Store && Store->isSimple() &&
           isNarrow(Store->getValueOperand()->getType()->getScalarType()) &&
           statedAlign(Store->getPointerOperand(), DL) >= Align(4);
  });
}

/// Returns whether a value is loaded and then only stored.
static bool isCopied(const Value *Stored) {
  return isa<LoadInst>(Stored) && Stored->hasOneUse();
}

InstructionCost IPUTTIImpl::narrowMemoryCost(unsigned Opcode, Type *Ty,
                                             Align Known,
                                             const Instruction *I) const {
  unsigned Lanes = lanesOf(Ty), Bits = Ty->getScalarSizeInBits();
  const auto *Store = dyn_cast_or_null<StoreInst>(I);
  bool IsCopy = Store ? isCopied(Store->getValueOperand())
                      : I && I->hasOneUse() && isa<StoreInst>(I->user_back());
  unsigned Words = Lanes * Bits / 32;
  bool Joins = Lanes * Bits % 32 == 0 && Known >= Align(4);
  if (IsCopy && Joins)
    return Known >= Align(8) && Words % 2 == 0 ? Words / 2 : Words;
  if (Lanes > MaxLanes)
    return Lanes * MergeCost;
  if (Opcode != Instruction::Store || Bits == 32)
    return Lanes;
  return Joins ? Lanes : Lanes * (MergeCost + 1);
}

InstructionCost IPUTTIImpl::getVectorInstrCost(unsigned Opcode, Type *Val,
                                               TTI::TargetCostKind CostKind,
                                               unsigned Index, Value *Op0,
                                               Value *Op1) {
  if (isNarrowed(Val) && storesNarrow())
    return 0;
  return BaseT::getVectorInstrCost(Opcode, Val, CostKind, Index, Op0, Op1);
}

// The vectorizer leaves loops alone whose vectors have as many parts as lanes.
// Bytes and shorts have as many as words are stored.
unsigned IPUTTIImpl::getNumberOfParts(Type *Ty) {
  unsigned Bits = Ty->getPrimitiveSizeInBits().getKnownMinValue();
  if (isNarrowed(Ty) && Ty->getScalarSizeInBits() <= 16 && storesNarrow())
    return divideCeil(Bits, 32);
  return BaseT::getNumberOfParts(Ty);
}
