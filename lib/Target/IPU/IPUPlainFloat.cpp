// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic that LLVM may not move or fold, since the rounding mode or the
// exceptions could be others (llvm.experimental.constrained.*), made plain
// arithmetic. A tile rounds one way, and what is left to do when code is
// generated depends on nothing else.

#include "lib/Target/IPU/IPU.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Pass.h"

using namespace llvm;

namespace {

class IPUPlainFloat : public FunctionPass {
public:
  static char ID;

  IPUPlainFloat() : FunctionPass(ID) {}

  StringRef getPassName() const override { return "IPU plain float"; }
  bool runOnFunction(Function &F) override;
};

} // namespace

/// The plain instruction of a constrained intrinsic, or 0.
static unsigned instructionFor(Intrinsic::ID ID) {
  switch (ID) {
#define FUNCTION(NAME, NARG, ROUND_MODE, INTRINSIC)
#define DAG_FUNCTION(NAME, NARG, ROUND_MODE, INTRINSIC, DAGN)
#define INSTRUCTION(NAME, NARG, ROUND_MODE, INTRINSIC)                         \
  case Intrinsic::INTRINSIC:                                                   \
    return Instruction::NAME;
#include "llvm/IR/ConstrainedOps.def"
  default:
    return 0;
  }
}

/// The plain intrinsic of one that is no instruction.
static Intrinsic::ID functionFor(Intrinsic::ID ID) {
  switch (ID) {
#define INSTRUCTION(NAME, NARG, ROUND_MODE, INTRINSIC)
#define DAG_INSTRUCTION(NAME, NARG, ROUND_MODE, INTRINSIC, DAGN)
#define DAG_FUNCTION(NAME, NARG, ROUND_MODE, INTRINSIC, DAGN)                  \
  FUNCTION(NAME, NARG, ROUND_MODE, INTRINSIC)
#define FUNCTION(NAME, NARG, ROUND_MODE, INTRINSIC)                            \
  case Intrinsic::INTRINSIC:                                                   \
    return Intrinsic::NAME;
#include "llvm/IR/ConstrainedOps.def"
  default:
    return Intrinsic::not_intrinsic;
  }
}

static Value *plain(const ConstrainedFPIntrinsic &Call, IRBuilder<> &Builder) {
  SmallVector<Value *, 3> Operands(
      Call.arg_begin(), Call.arg_begin() + Call.getNonMetadataArgCount());
  if (const auto *Compare = dyn_cast<ConstrainedFPCmpIntrinsic>(&Call))
    return Builder.CreateFCmp(Compare->getPredicate(), Operands[0],
                              Operands[1]);
  unsigned Opcode = instructionFor(Call.getIntrinsicID());
  if (Instruction::isCast(Opcode))
    return Builder.CreateCast(Instruction::CastOps(Opcode), Operands[0],
                              Call.getType());
  if (Opcode)
    return Builder.CreateBinOp(Instruction::BinaryOps(Opcode), Operands[0],
                               Operands[1]);
  return Builder.CreateIntrinsic(Call.getType(),
                                 functionFor(Call.getIntrinsicID()), Operands);
}

bool IPUPlainFloat::runOnFunction(Function &F) {
  SmallVector<ConstrainedFPIntrinsic *, 8> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<ConstrainedFPIntrinsic>(&I))
      Calls.push_back(Call);
  for (ConstrainedFPIntrinsic *Call : Calls) {
    IRBuilder<> Builder(Call);
    Value *Result = plain(*Call, Builder);
    Call->replaceAllUsesWith(Result);
    Call->eraseFromParent();
  }
  return !Calls.empty();
}

char IPUPlainFloat::ID = 0;

FunctionPass *llvm::createIPUPlainFloat() { return new IPUPlainFloat(); }
