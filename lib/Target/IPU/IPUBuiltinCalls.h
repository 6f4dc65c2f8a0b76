// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of builtins: passes over IR insert them, and ask about existing ones.

#ifndef POPULUS_LIB_TARGET_IPU_IPUBUILTINCALLS_H
#define POPULUS_LIB_TARGET_IPU_IPUBUILTINCALLS_H

#include "llvm/IR/IRBuilder.h"

namespace llvm {

class MCInstrInfo;

/// Marks a function whose accumulators only the compiler uses, for one loop at
/// a time: their contents outside of such loops do not matter.
inline constexpr StringLiteral CompilerAccumulators =
    "ipu-compiler-accumulators";

/// A call of a builtin, by its full name.
CallInst *callBuiltin(IRBuilderBase &Builder, StringRef Name, Type *Result,
                      ArrayRef<Value *> Operands);

/// Makes all accumulators zero, in a function where only the compiler uses
/// them.
void clearAccumulators(IRBuilderBase &Builder);

/// Reads the first two accumulators, and moves the others down.
Value *readTwoAccumulators(IRBuilderBase &Builder);

/// Returns whether a block calls a function.
bool callsFunction(const BasicBlock &BB);

/// Returns whether a block uses accumulators.
bool usesAccumulators(const BasicBlock &BB, const MCInstrInfo &Table);

} // namespace llvm

#endif
