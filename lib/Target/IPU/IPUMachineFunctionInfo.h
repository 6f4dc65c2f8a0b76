// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts about a function: whether it is the entry point of a worker, and where
// its variadic arguments begin.

#ifndef POPULUS_LIB_TARGET_IPU_IPUMACHINEFUNCTIONINFO_H
#define POPULUS_LIB_TARGET_IPU_IPUMACHINEFUNCTIONINFO_H

#include "llvm/CodeGen/MachineFunction.h"

namespace llvm {

class IPUMachineFunctionInfo : public MachineFunctionInfo {
  bool Entry;
  int VarArgsFrameIndex = 0;

public:
  IPUMachineFunctionInfo(const Function &F, const TargetSubtargetInfo *)
      : Entry(F.getFnAttribute("ipu-entry").getValueAsString() == "worker") {}

  MachineFunctionInfo *
  clone(BumpPtrAllocator &Allocator, MachineFunction &DestMF,
        const DenseMap<MachineBasicBlock *, MachineBasicBlock *> &)
      const override {
    return DestMF.cloneInfo<IPUMachineFunctionInfo>(*this);
  }

  /// The machine starts here: no caller, no stack yet, left by an exit.
  bool isEntry() const { return Entry; }

  int getVarArgsFrameIndex() const { return VarArgsFrameIndex; }
  void setVarArgsFrameIndex(int FI) { VarArgsFrameIndex = FI; }
};

} // namespace llvm

#endif
