// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Removes doubts in loops whose rounds are assumed to be usual. A non-finite
// value makes all sums and products that are computed from it non-finite, too.
// So a chain of them needs a doubt about its last value only, and a sum over
// all rounds one about its total only. For example, in s += x * y only the
// final s is tested.

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
