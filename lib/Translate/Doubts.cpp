// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Removes redundant tests for unusual values. A doubt about x is the difference
// x - x (Semantics.cpp), which is NaN if x is not finite; doubts are gathered
// by `or` over all rounds. For example, a loop of one block that adds products:
//
//    p = a * b      doubt(p)
//    s = s + p      doubt(s)
//
// If p is not finite, neither is s, so doubt(p) can go. If s is not finite,
// then the next round's s is not, either, so doubt(s) can go as well, except
// for the last round. The result is one test behind the loop, and none inside:
//
//    p = a * b
//    s = s + p
//    behind the loop: doubt(s)
//
// In general, a doubt can go if its value flows, through operations that keep
// non-finite values non-finite, into a value of the same or of the next round
// that is in doubt.

#include "lib/Translate/Doubts.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <map>

namespace populus::translate {

using namespace llvm;

namespace {

/// Returns whether a non-finite operand always makes the result non-finite.
bool spreads(const Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
    return instruction.getOperand(0) != instruction.getOperand(1);
  case Instruction::FMul:
    return true;
  default:
    break;
  }
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  return intrinsic && intrinsic->getIntrinsicID() == Intrinsic::fma;
}

class Loop {
public:
  explicit Loop(BasicBlock &block) : block(block) {}

  void run() {
    for (Instruction &instruction : block)
      if (instruction.getOpcode() == Instruction::FSub &&
          instruction.getOperand(0) == instruction.getOperand(1) &&
          allGathered(instruction))
        doubts[instruction.getOperand(0)] = &instruction;
    // The scan starts at the end, so that the remaining doubts are as late as
    // possible.
    for (Instruction &instruction : reverse(block)) {
      const auto doubt = doubts.find(&instruction);
      if (doubt == doubts.end())
        continue;
      if (goesIntoDoubt(instruction) ||
          (goesIntoDoubtInNextRound(instruction) &&
           lookBehindLoop(*doubt->second)))
        remove(doubt->second);
    }
  }

private:
  bool goesIntoDoubt(const Value &value) const {
    for (const User *user : value.users()) {
      const auto *next = dyn_cast<Instruction>(user);
      if (next && next->getParent() == &block && spreads(*next) &&
          doubts.count(next))
        return true;
    }
    return false;
  }

  /// Returns whether the next round computes a doubtful value from this one. In
  /// a sum that is the value itself.
  bool goesIntoDoubtInNextRound(const Value &value) const {
    for (const PHINode &phi : block.phis())
      if (phi.getIncomingValueForBlock(&block) == &value && goesIntoDoubt(phi))
        return true;
    return false;
  }

  /// Adds a doubt about the last round's value to what was gathered in all of
  /// them. False if that is not possible.
  bool lookBehindLoop(Instruction &doubt) {
    BasicBlock *behind = nullptr;
    for (BasicBlock *successor : successors(&block))
      if (successor != &block)
        behind = successor;
    Instruction *gathered = allGathered(doubt);
    if (!behind || !behind->getSinglePredecessor() || !gathered)
      return false;
    IRBuilder<> builder(&*behind->getFirstInsertionPt());
    Value *value = doubt.getOperand(0);
    Value *last = builder.CreateBitCast(builder.CreateFSub(value, value),
                                        gathered->getType());
    Value *all = builder.CreateOr(gathered, last);
    gathered->replaceUsesWithIf(all, [&](const Use &use) {
      const auto *user = cast<Instruction>(use.getUser());
      return user != all && user->getParent() != &block;
    });
    return true;
  }

  /// Returns the value that gathers a doubt and others: bits that the next
  /// round extends.
  Instruction *allGathered(Instruction &doubt) const {
    Instruction *bits = &doubt;
    while (bits->hasOneUse() || bits == &doubt) {
      auto *next = dyn_cast<Instruction>(bits->user_back());
      if (!next || next->getParent() != &block || isa<PHINode>(next))
        break;
      if (next->getOpcode() != Instruction::Or && !isa<BitCastInst>(next))
        return nullptr;
      bits = next;
    }
    for (const PHINode &phi : block.phis())
      if (phi.getIncomingValueForBlock(&block) == bits &&
          bits->getOpcode() == Instruction::Or)
        return bits;
    return nullptr;
  }

  /// Removes a doubt about a value; doubts about the values computed from it
  /// cover it.
  static void remove(Instruction *&doubt) {
    doubt->replaceAllUsesWith(Constant::getNullValue(doubt->getType()));
    doubt->eraseFromParent();
    doubt = nullptr;
  }

  BasicBlock &block;
  /// The doubt about each value; null if other doubts cover it.
  std::map<const Value *, Instruction *> doubts;
};

} // namespace

PreservedAnalyses MergeDoubts::run(Function &function,
                                   FunctionAnalysisManager &) {
  for (BasicBlock &block : function)
    if (is_contained(successors(&block), &block))
      Loop(block).run();
  return PreservedAnalyses::none();
}

} // namespace populus::translate
