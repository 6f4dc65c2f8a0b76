// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frame of a pass that gives accumulators to loops: of code for workers
// that need not be small, in functions whose accumulators are free.

#ifndef POPULUS_LIB_TARGET_IPU_IPUACCUMULATORPASS_H
#define POPULUS_LIB_TARGET_IPU_IPUACCUMULATORPASS_H

#include "lib/Target/IPU/IPUAccumulatorOwners.h"
#include "llvm/Pass.h"
#include <optional>

namespace llvm {

class Loop;

class IPUAccumulatorPass : public FunctionPass {
  std::optional<AccumulatorOwners> Owners;

public:
  explicit IPUAccumulatorPass(char &ID) : FunctionPass(ID) {}

  void getAnalysisUsage(AnalysisUsage &AU) const override;
  bool doInitialization(Module &) final;
  bool runOnFunction(Function &F) final;

protected:
  /// Changes a loop, if there is something in it for accumulators. Returns
  /// whether it did.
  virtual bool runOnLoop(const Loop &L, const MCInstrInfo &Table) = 0;
};

} // namespace llvm

#endif
