// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One processor and execution mode. Worker and supervisor functions of one
// module have different subtargets: the supervisor has no auxiliary registers.

#ifndef POPULUS_LIB_TARGET_IPU_IPUSUBTARGET_H
#define POPULUS_LIB_TARGET_IPU_IPUSUBTARGET_H

#include "lib/Target/IPU/IPUFrameLowering.h"
#include "lib/Target/IPU/IPUISelLowering.h"
#include "lib/Target/IPU/IPUInstrInfo.h"
#include "lib/Target/IPU/IPURegisterInfo.h"
#include "llvm/CodeGen/SelectionDAGTargetInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

#define GET_SUBTARGETINFO_HEADER
#include "lib/Target/IPU/IPUGenSubtargetInfo.inc"

namespace llvm {

class IPUSubtarget : public IPUGenSubtargetInfo {
  // Written by ParseSubtargetFeatures, and read by the members below.
  bool IsSupervisor = false;
  bool HasTwoSets = false;
  bool HasFp8 = false;

  IPUFrameLowering FrameLowering;
  IPUInstrInfo InstrInfo;
  IPUTargetLowering TLInfo;
  SelectionDAGTargetInfo TSInfo;

public:
  IPUSubtarget(const Triple &TT, StringRef CPU, StringRef FS,
               const TargetMachine &TM);

  void ParseSubtargetFeatures(StringRef CPU, StringRef TuneCPU, StringRef FS);

  bool isSupervisor() const { return IsSupervisor; }
  bool hasTwoSets() const { return HasTwoSets; }
  /// The bits of a register that `rpt` counts.
  unsigned repeatBits() const;
  bool hasFp8() const { return HasFp8; }

  const IPUFrameLowering *getFrameLowering() const override {
    return &FrameLowering;
  }
  const IPUInstrInfo *getInstrInfo() const override { return &InstrInfo; }
  const IPURegisterInfo *getRegisterInfo() const override {
    return &InstrInfo.getRegisterInfo();
  }
  const IPUTargetLowering *getTargetLowering() const override {
    return &TLInfo;
  }
  const SelectionDAGTargetInfo *getSelectionDAGInfo() const override {
    return &TSInfo;
  }
  bool enableMachineScheduler() const override { return true; }

private:
  IPUSubtarget &initialize(StringRef CPU, StringRef FS);
};

} // namespace llvm

#endif
