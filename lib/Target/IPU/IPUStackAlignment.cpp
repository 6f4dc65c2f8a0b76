// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks are aligned to eight bytes. An object on the stack that wants more
// gets room to move, and is where the room has an address of that alignment.

#include "lib/Target/IPU/IPU.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Pass.h"

using namespace llvm;

namespace {

class IPUStackAlignment : public FunctionPass {
public:
  static char ID;

  IPUStackAlignment() : FunctionPass(ID) {}

  StringRef getPassName() const override { return "IPU stack alignment"; }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.setPreservesCFG();
  }
  bool runOnFunction(Function &F) override;
};

} // namespace

static const Align StackAlign(8);

/// Drops the lifetime markers, which only an object itself can have.
static void dropLifetimes(AllocaInst &Object) {
  for (User *U : make_early_inc_range(Object.users()))
    if (auto *Marker = dyn_cast<IntrinsicInst>(U);
        Marker && Marker->isLifetimeStartOrEnd())
      Marker->eraseFromParent();
}

static void makeRoom(AllocaInst &Object, const DataLayout &DL) {
  uint64_t Alignment = Object.getAlign().value();
  uint64_t Size = DL.getTypeAllocSize(Object.getAllocatedType());
  dropLifetimes(Object);
  IRBuilder<> Builder(&Object);
  Value *Bytes = Builder.CreateAdd(
      Builder.CreateMul(Builder.CreateZExtOrTrunc(Object.getArraySize(),
                                                  Builder.getInt32Ty()),
                        Builder.getInt32(Size)),
      Builder.getInt32(Alignment - StackAlign.value()));
  AllocaInst *Room = Builder.CreateAlloca(Builder.getInt8Ty(), Bytes);
  Room->setAlignment(StackAlign);
  Value *Last = Builder.CreatePtrAdd(
      Room, Builder.getInt32(Alignment - StackAlign.value()));
  Value *Place = Builder.CreateIntrinsic(
      Intrinsic::ptrmask, {Last->getType(), Builder.getInt32Ty()},
      {Last, Builder.getInt32(-uint32_t(Alignment))});
  Place->takeName(&Object);
  Object.replaceAllUsesWith(Place);
  Object.eraseFromParent();
}

bool IPUStackAlignment::runOnFunction(Function &F) {
  SmallVector<AllocaInst *, 4> Objects;
  for (Instruction &I : instructions(F))
    if (auto *Object = dyn_cast<AllocaInst>(&I);
        Object && Object->getAlign() > StackAlign)
      Objects.push_back(Object);
  for (AllocaInst *Object : Objects)
    makeRoom(*Object, F.getDataLayout());
  return !Objects.empty();
}

char IPUStackAlignment::ID = 0;

FunctionPass *llvm::createIPUStackAlignment() {
  return new IPUStackAlignment();
}
