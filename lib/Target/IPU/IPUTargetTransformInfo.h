// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the IR optimizer should know: no vector registers for it to use yet,
// calls of builtins are single instructions.

#ifndef POPULUS_LIB_TARGET_IPU_IPUTARGETTRANSFORMINFO_H
#define POPULUS_LIB_TARGET_IPU_IPUTARGETTRANSFORMINFO_H

#include "lib/Target/IPU/IPUTargetMachine.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/CodeGen/BasicTTIImpl.h"

namespace llvm {

class IPUTTIImpl : public BasicTTIImplBase<IPUTTIImpl> {
  using BaseT = BasicTTIImplBase<IPUTTIImpl>;
  friend BaseT;

  const IPUTargetMachine &TM;
  const IPUSubtarget *ST;
  const IPUTargetLowering *TLI;

  const IPUSubtarget *getST() const { return ST; }
  const IPUTargetLowering *getTLI() const { return TLI; }

public:
  IPUTTIImpl(const IPUTargetMachine *TM, const Function &F)
      : BaseT(TM, F.getDataLayout()), TM(*TM), ST(TM->getSubtargetImpl(F)),
        TLI(ST->getTargetLowering()) {}

  unsigned getNumberOfRegisters(unsigned ClassID) const {
    return ClassID == 0 ? 11 : 0;
  }
  TypeSize getRegisterBitWidth(TargetTransformInfo::RegisterKind K) const {
    return TypeSize::getFixed(K == TargetTransformInfo::RGK_Scalar ? 32 : 0);
  }
  unsigned getMaxInterleaveFactor(ElementCount) const { return 1; }
  TargetTransformInfo::PopcntSupportKind
  getPopcntSupport(unsigned Width) const {
    return Width <= 32 ? TargetTransformInfo::PSK_FastHardware
                       : TargetTransformInfo::PSK_Software;
  }
  bool isLoweredToCall(const Function *F) const {
    if (TM.getIntrinsicInfo()->getIntrinsicID(F))
      return false;
    return BaseT::isLoweredToCall(F);
  }

  bool isHardwareLoopProfitable(Loop *L, ScalarEvolution &SE,
                                AssumptionCache &AC, TargetLibraryInfo *LibInfo,
                                HardwareLoopInfo &Info) const;
  bool canSaveCmp(Loop *L, BranchInst **Branch, ScalarEvolution *SE,
                  LoopInfo *LI, DominatorTree *DT, AssumptionCache *AC,
                  TargetLibraryInfo *LibInfo) const;
  TargetTransformInfo::AddressingModeKind
  getPreferredAddressingMode(const Loop *, ScalarEvolution *) const {
    return TargetTransformInfo::AMK_PostIndexed;
  }
};

} // namespace llvm

#endif
