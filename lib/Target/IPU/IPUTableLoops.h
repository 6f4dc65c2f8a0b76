// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that look bytes or shorts up in tables get a copy for tables that are
// not written: before the vectorizer runs.

#ifndef POPULUS_LIB_TARGET_IPU_IPUTABLELOOPS_H
#define POPULUS_LIB_TARGET_IPU_IPUTABLELOOPS_H

#include "llvm/IR/PassManager.h"

namespace llvm {

class IPUTableLoopsPass : public PassInfoMixin<IPUTableLoopsPass> {
public:
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &Analyses);
};

} // namespace llvm

#endif
