// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a subtarget from a processor name and a feature string.

#include "lib/Target/IPU/IPUSubtarget.h"
#include "lib/Target/IPU/MCTargetDesc/IPUMCTargetDesc.h"
#include "runtime/Target/RepeatCounter.h"
#include "llvm/MC/TargetRegistry.h"

using namespace llvm;

#define DEBUG_TYPE "ipu-subtarget"
#define GET_SUBTARGETINFO_TARGET_DESC
#define GET_SUBTARGETINFO_CTOR
#include "lib/Target/IPU/IPUGenSubtargetInfo.inc"

IPUSubtarget &IPUSubtarget::initialize(StringRef CPU, StringRef FS) {
  ParseSubtargetFeatures(CPU, /*TuneCPU=*/CPU, FS);
  return *this;
}

unsigned IPUSubtarget::repeatBits() const {
  StringRef Name = getCPU();
  unsigned Version = 0;
  if (Name.consume_front("ipu"))
    Name.getAsInteger(10, Version);
  return populus::runtime::repeatBits(Version);
}

IPUSubtarget::IPUSubtarget(const Triple &TT, StringRef CPU, StringRef FS,
                           const TargetMachine &TM)
    : IPUGenSubtargetInfo(TT, CPU, /*TuneCPU=*/CPU, FS),
      InstrInfo(initialize(CPU, FS)), TLInfo(TM, *this) {}
