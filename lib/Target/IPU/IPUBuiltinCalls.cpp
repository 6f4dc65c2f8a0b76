// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A builtin is known by the name of the function that is called
// (IPUTargetIntrinsicInfo.h).

#include "lib/Target/IPU/IPUBuiltinCalls.h"
#include "lib/Target/IPU/IPUAccumulatorOwners.h"
#include "lib/Target/IPU/IPUTargetIntrinsicInfo.h"
#include "llvm/IR/Module.h"

using namespace llvm;

// The number of $FP_CLR, and its bit that clears the accumulators.
static constexpr unsigned ClearRegister = 1;
static constexpr unsigned ClearAccumulators = 8;

CallInst *llvm::callBuiltin(IRBuilderBase &Builder, StringRef Name,
                            Type *Result, ArrayRef<Value *> Operands) {
  SmallVector<Type *, 3> Types;
  for (const Value *V : Operands)
    Types.push_back(V->getType());
  FunctionCallee Builtin =
      Builder.GetInsertBlock()->getModule()->getOrInsertFunction(
          Name, FunctionType::get(Result, Types, /*isVarArg=*/false));
  CallInst *Call = Builder.CreateCall(Builtin, Operands);
  Call->setDoesNotThrow();
  return Call;
}

void llvm::clearAccumulators(IRBuilderBase &Builder) {
  callBuiltin(
      Builder, "ipu_uput", Builder.getVoidTy(),
      {Builder.getInt32(ClearAccumulators), Builder.getInt32(ClearRegister)});
  Builder.GetInsertBlock()->getParent()->addFnAttr(CompilerAccumulators);
}

Value *llvm::readTwoAccumulators(IRBuilderBase &Builder) {
  auto *Pair = FixedVectorType::get(Builder.getFloatTy(), 2);
  return callBuiltin(Builder, "ipu_f32v2gina", Pair,
                     {Constant::getNullValue(Pair), Builder.getInt32(0)});
}

bool llvm::callsFunction(const BasicBlock &BB) {
  return any_of(BB, [](const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
      return false;
    const Function *Callee = Call->getCalledFunction();
    return !Callee || !(Callee->isIntrinsic() ||
                        IPUTargetIntrinsicInfo().getIntrinsicID(Callee));
  });
}

bool llvm::usesAccumulators(const BasicBlock &BB, const MCInstrInfo &Table) {
  return any_of(BB, [&](const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    unsigned ID = Callee ? IPUTargetIntrinsicInfo().getIntrinsicID(Callee) : 0;
    return ID && usesAccumulators(ID, Table);
  });
}
