// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pass of the IR optimizer: integers that are only copied become floats.

#ifndef POPULUS_LIB_TARGET_IPU_IPUCOPYTYPES_H
#define POPULUS_LIB_TARGET_IPU_IPUCOPYTYPES_H

#include "llvm/IR/PassManager.h"

namespace llvm {

class IPUCopyTypesPass : public PassInfoMixin<IPUCopyTypesPass> {
public:
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &Analyses);
};

} // namespace llvm

#endif
