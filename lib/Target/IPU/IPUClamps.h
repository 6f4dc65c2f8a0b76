// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Minimum and maximum for what becomes an integer: before the vectorizer runs.

#ifndef POPULUS_LIB_TARGET_IPU_IPUCLAMPS_H
#define POPULUS_LIB_TARGET_IPU_IPUCLAMPS_H

#include "llvm/IR/PassManager.h"

namespace llvm {

class IPUClampsPass : public PassInfoMixin<IPUClampsPass> {
public:
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &Analyses);
};

} // namespace llvm

#endif
