// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is narrowed from a rounded number is the same number. So where it is
// widened again, in this round or in the next one, the rounded number is used.

#include "lib/Translate/WideSums.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <map>

namespace populus::translate {

using namespace llvm;

namespace {

class Sums {
public:
  Sums(Function &function, const Function &round)
      : function(function), round(round) {}

  void run() {
    std::vector<FPExtInst *> widened;
    std::vector<CallInst *> rounded;
    for (Instruction &instruction : instructions(function)) {
      if (auto *wider = dyn_cast<FPExtInst>(&instruction))
        widened.push_back(wider);
      if (isRounding(&instruction))
        rounded.push_back(cast<CallInst>(&instruction));
    }
    for (FPExtInst *wider : widened)
      if (Value *wide = wideOf(*wider->getOperand(0), wider->getType())) {
        wider->replaceAllUsesWith(wide);
        wider->eraseFromParent();
      }
    for (CallInst *call : rounded)
      lower(*call);
  }

private:
  bool isRounding(const Value *value) const {
    const auto *call = dyn_cast<CallInst>(value);
    return call && call->getCalledFunction() == &round;
  }

  /// The rounded number that a number was narrowed from, or null.
  Value *wideOf(Value &narrow, Type *type) {
    if (auto *narrowed = dyn_cast<FPTruncInst>(&narrow))
      return isRounding(narrowed->getOperand(0)) ? narrowed->getOperand(0)
                                                 : nullptr;
    auto *phi = dyn_cast<PHINode>(&narrow);
    if (!phi || none_of(phi->incoming_values(),
                        [](const Use &use) { return isa<FPTruncInst>(use); }))
      return nullptr;
    Value *&wide = wides[phi];
    if (!wide)
      wide = widen(*phi, type);
    return wide;
  }

  Value *widen(PHINode &phi, Type *type) {
    IRBuilder<> builder(&phi);
    PHINode *result = builder.CreatePHI(type, phi.getNumIncomingValues());
    for (unsigned i = 0; i != phi.getNumIncomingValues(); ++i) {
      Value *incoming = phi.getIncomingValue(i);
      BasicBlock *from = phi.getIncomingBlock(i);
      Value *wide =
          isa<FPTruncInst>(incoming) ? wideOf(*incoming, type) : nullptr;
      if (!wide) {
        builder.SetInsertPoint(from->getTerminator());
        wide = builder.CreateFPExt(incoming, type);
      }
      result->addIncoming(wide, from);
    }
    return result;
  }

  /// The unit in the last place of single precision is 2^29 times that of
  /// double precision.
  void lower(CallInst &call) {
    constexpr unsigned Shift = 29;
    constexpr std::uint64_t Rest = (std::uint64_t(1) << Shift) - 1;
    IRBuilder<> builder(&call);
    Value *sum = call.getArgOperand(0);
    Type *type = sum->getType();
    Value *result;
    if (all_of(call.users(),
               [](const User *user) { return isa<FPTruncInst>(user); })) {
      Type *narrow = type->getWithNewType(builder.getFloatTy());
      result = builder.CreateFPExt(builder.CreateFPTrunc(sum, narrow), type);
    } else {
      Type *bits = type->getWithNewType(builder.getInt64Ty());
      const auto number = [&](std::uint64_t value) {
        return ConstantInt::get(bits, value);
      };
      Value *value = builder.CreateBitCast(sum, bits);
      // Ties go to the even number.
      Value *odd =
          builder.CreateAnd(builder.CreateLShr(value, Shift), number(1));
      Value *up =
          builder.CreateAdd(builder.CreateAdd(value, number(Rest >> 1)), odd);
      result =
          builder.CreateBitCast(builder.CreateAnd(up, number(~Rest)), type);
    }
    call.replaceAllUsesWith(result);
    call.eraseFromParent();
  }

  Function &function;
  const Function &round;
  std::map<const PHINode *, Value *> wides;
};

} // namespace

PreservedAnalyses WideSums::run(Function &function, FunctionAnalysisManager &) {
  const Function *round =
      function.getParent()->getFunction("populus_round_to_singles");
  if (!round)
    return PreservedAnalyses::all();
  Sums(function, *round).run();
  return PreservedAnalyses::none();
}

} // namespace populus::translate
