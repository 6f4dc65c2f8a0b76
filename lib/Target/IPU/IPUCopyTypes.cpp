// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The auxiliary file moves 64 bits at once, the main file 32. An integer that
// is only loaded and stored need not be one: before the vectorizer runs, words
// that a loop copies or fills memory with become floats, which it vectorizes,
// and values of 64 bits become two floats wherever they are copied. Loads and
// stores of floats keep all bits. Supervisors have no auxiliary file.

#include "lib/Target/IPU/IPUCopyTypes.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

/// The type that a value of this type may be copied in.
static Type *copyType(Type *Ty) {
  Type *Float = Type::getFloatTy(Ty->getContext());
  if (Ty->isIntegerTy(32))
    return Float;
  if (Ty->isIntegerTy(64) || Ty->isDoubleTy())
    return FixedVectorType::get(Float, 2);
  return nullptr;
}

/// Returns whether an access is neither volatile nor atomic, and aligned for
/// one instruction.
static bool isPlain(Instruction &Access, Type *Ty) {
  uint64_t Bytes = Ty->getPrimitiveSizeInBits().getFixedValue() / 8;
  return !Access.isVolatile() && !Access.isAtomic() &&
         getLoadStoreAlignment(&Access) >= Align(Bytes);
}

/// Returns whether a value is only stored.
static bool isOnlyStored(LoadInst &Load) {
  return !Load.use_empty() && all_of(Load.uses(), [](const Use &U) {
    auto *Store = dyn_cast<StoreInst>(U.getUser());
    return Store && U.getOperandNo() == 0 &&
           isPlain(*Store, Store->getValueOperand()->getType());
  });
}

static void replaceStore(StoreInst &Store, Value *Stored) {
  auto *New =
      new StoreInst(Stored, Store.getPointerOperand(), /*isVolatile=*/false,
                    Store.getAlign(), Store.getIterator());
  New->copyMetadata(Store);
  Store.eraseFromParent();
}

static void replaceCopy(LoadInst &Load) {
  auto *New = new LoadInst(copyType(Load.getType()), Load.getPointerOperand(),
                           Load.getName(), /*isVolatile=*/false,
                           Load.getAlign(), Load.getIterator());
  New->copyMetadata(Load, {LLVMContext::MD_dbg, LLVMContext::MD_tbaa,
                           LLVMContext::MD_alias_scope, LLVMContext::MD_noalias,
                           LLVMContext::MD_access_group});
  for (User *U : make_early_inc_range(Load.users()))
    replaceStore(cast<StoreInst>(*U), New);
  Load.eraseFromParent();
}

/// A store of a word that a loop has from outside.
static bool isFill(StoreInst &Store, const Loop &L) {
  const Value *Stored = Store.getValueOperand();
  return Stored->getType()->isIntegerTy(32) && L.isLoopInvariant(Stored) &&
         !L.isLoopInvariant(Store.getPointerOperand()) &&
         isPlain(Store, Stored->getType());
}

static void replaceFill(StoreInst &Store, const Loop &L) {
  IRBuilder<> Builder(L.getLoopPreheader()->getTerminator());
  Value *Stored = Store.getValueOperand();
  replaceStore(Store,
               Builder.CreateBitCast(Stored, copyType(Stored->getType())));
}

PreservedAnalyses IPUCopyTypesPass::run(Function &F,
                                        FunctionAnalysisManager &Analyses) {
  StringRef Mode = F.getFnAttribute("ipu-mode").getValueAsString();
  if (Mode == "supervisor" || Mode == "both")
    return PreservedAnalyses::all();
  auto &Loops = Analyses.getResult<LoopAnalysis>(F);
  SmallVector<LoadInst *, 16> Copies;
  SmallVector<StoreInst *, 16> Fills;
  for (Instruction &I : instructions(F)) {
    const Loop *L = Loops.getLoopFor(I.getParent());
    bool InInnerLoop = L && L->isInnermost();
    if (auto *Load = dyn_cast<LoadInst>(&I)) {
      Type *Ty = Load->getType();
      if (copyType(Ty) && (InInnerLoop || !Ty->isIntegerTy(32)) &&
          isPlain(*Load, Ty) && isOnlyStored(*Load))
        Copies.push_back(Load);
    } else if (auto *Store = dyn_cast<StoreInst>(&I)) {
      if (InInnerLoop && L->getLoopPreheader() && isFill(*Store, *L))
        Fills.push_back(Store);
    }
  }
  for (StoreInst *Store : Fills)
    replaceFill(*Store, *Loops.getLoopFor(Store->getParent()));
  for (LoadInst *Load : Copies)
    replaceCopy(*Load);
  if (Copies.empty() && Fills.empty())
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}
