// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code generator as a whole: data layout, subtargets, pass pipeline.

#ifndef POPULUS_LIB_TARGET_IPU_IPUTARGETMACHINE_H
#define POPULUS_LIB_TARGET_IPU_IPUTARGETMACHINE_H

#include "lib/Target/IPU/IPUSubtarget.h"
#include "lib/Target/IPU/IPUTargetIntrinsicInfo.h"
#include "llvm/Target/TargetMachine.h"
#include <optional>

namespace llvm {

class IPUTargetMachine : public LLVMTargetMachine {
  std::unique_ptr<TargetLoweringObjectFile> TLOF;
  IPUTargetIntrinsicInfo Intrinsics;
  mutable StringMap<std::unique_ptr<IPUSubtarget>> Subtargets;

public:
  IPUTargetMachine(const Target &T, const Triple &TT, StringRef CPU,
                   StringRef FS, const TargetOptions &Options,
                   std::optional<Reloc::Model> RM,
                   std::optional<CodeModel::Model> CM, CodeGenOptLevel OL,
                   bool JIT);
  ~IPUTargetMachine() override;

  const IPUSubtarget *getSubtargetImpl(const Function &F) const override;
  const IPUSubtarget *getSubtargetImpl() const = delete;
  TargetPassConfig *createPassConfig(PassManagerBase &PM) override;
  void registerPassBuilderCallbacks(PassBuilder &Builder) override;
  TargetTransformInfo getTargetTransformInfo(const Function &F) const override;
  TargetLoweringObjectFile *getObjFileLowering() const override {
    return TLOF.get();
  }
  const TargetIntrinsicInfo *getIntrinsicInfo() const override {
    return &Intrinsics;
  }
  MachineFunctionInfo *
  createMachineFunctionInfo(BumpPtrAllocator &Allocator, const Function &F,
                            const TargetSubtargetInfo *STI) const override;
};

} // namespace llvm

#endif
