// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums that are computed in double precision and rounded to single precision in
// each round of a loop: between rounds they stay in the wider registers. To
// round there by integer arithmetic takes less time than to convert a number to
// single precision and back, and each round waits for the one before.

#ifndef POPULUS_LIB_TRANSLATE_WIDESUMS_H
#define POPULUS_LIB_TRANSLATE_WIDESUMS_H

#include <llvm/IR/PassManager.h>

namespace populus::translate {

/// Lowers the calls of populus_round_to_singles.
class WideSums : public llvm::PassInfoMixin<WideSums> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &);
};

} // namespace populus::translate

#endif
