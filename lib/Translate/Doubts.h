// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fewer doubts in loops whose rounds are assumed to be usual. What is not
// finite makes everything that is computed from it by sums and products not
// finite either, so of a chain of them only the last value has to be looked at,
// and of a sum over all rounds only the total.

#ifndef POPULUS_LIB_TRANSLATE_DOUBTS_H
#define POPULUS_LIB_TRANSLATE_DOUBTS_H

#include <llvm/IR/PassManager.h>

namespace populus::translate {

class MergeDoubts : public llvm::PassInfoMixin<MergeDoubts> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &);
};

} // namespace populus::translate

#endif
