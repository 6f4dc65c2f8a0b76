// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Innermost loops whose branches only choose between cheap values become one
// block: before the vectorizer runs.

#ifndef POPULUS_LIB_TARGET_IPU_IPUFLATLOOPS_H
#define POPULUS_LIB_TARGET_IPU_IPUFLATLOOPS_H

#include "llvm/IR/PassManager.h"

namespace llvm {

class IPUFlatLoopsPass : public PassInfoMixin<IPUFlatLoopsPass> {
public:
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &Analyses);
};

} // namespace llvm

#endif
