// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the machine code layer: descriptions, printer, encoder, ELF.
// Exposed as initializeIPUMC, which registerTarget calls once.

#include "lib/Target/IPU/MCTargetDesc/IPUMCTargetDesc.h"
#include "lib/Target/IPU/MCTargetDesc/IPUInstPrinter.h"
#include "lib/Target/IPU/MCTargetDesc/IPUMCAsmInfo.h"
#include "lib/Target/IPU/TargetInfo/IPUTargetInfo.h"
#include "llvm/MC/MCDwarf.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"

using namespace llvm;

#define GET_INSTRINFO_MC_DESC
#define GET_INSTRINFO_MC_HELPERS
#define ENABLE_INSTR_PREDICATE_VERIFIER
#include "lib/Target/IPU/IPUGenInstrInfo.inc"

#define GET_SUBTARGETINFO_MC_DESC
#include "lib/Target/IPU/IPUGenSubtargetInfo.inc"

#define GET_REGINFO_MC_DESC
#include "lib/Target/IPU/IPUGenRegisterInfo.inc"

static MCAsmInfo *createAsmInfo(const MCRegisterInfo &MRI, const Triple &,
                                const MCTargetOptions &) {
  MCAsmInfo *MAI = new IPUMCAsmInfo();
  unsigned SP = MRI.getDwarfRegNum(IPU::M11, true);
  MAI->addInitialFrameState(MCCFIInstruction::cfiDefCfa(nullptr, SP, 0));
  return MAI;
}

static MCInstrInfo *createInstrInfo() {
  auto *MII = new MCInstrInfo();
  InitIPUMCInstrInfo(MII);
  return MII;
}

static MCRegisterInfo *createRegisterInfo(const Triple &) {
  auto *MRI = new MCRegisterInfo();
  InitIPUMCRegisterInfo(MRI, /*RA=*/IPU::M10);
  return MRI;
}

static MCSubtargetInfo *createSubtargetInfo(const Triple &TT, StringRef CPU,
                                            StringRef FS) {
  if (CPU.empty())
    CPU = "ipu2";
  return createIPUMCSubtargetInfoImpl(TT, CPU, /*TuneCPU=*/CPU, FS);
}

static MCInstPrinter *createInstPrinter(const Triple &, unsigned,
                                        const MCAsmInfo &MAI,
                                        const MCInstrInfo &MII,
                                        const MCRegisterInfo &MRI) {
  return new IPUInstPrinter(MAI, MII, MRI);
}

void llvm::initializeIPUMC() {
  Target &T = getTheIPUTarget();
  TargetRegistry::RegisterMCAsmInfo(T, createAsmInfo);
  TargetRegistry::RegisterMCInstrInfo(T, createInstrInfo);
  TargetRegistry::RegisterMCRegInfo(T, createRegisterInfo);
  TargetRegistry::RegisterMCSubtargetInfo(T, createSubtargetInfo);
  TargetRegistry::RegisterMCInstPrinter(T, createInstPrinter);
  TargetRegistry::RegisterMCCodeEmitter(T, createIPUMCCodeEmitter);
  TargetRegistry::RegisterMCAsmBackend(T, createIPUAsmBackend);
  TargetRegistry::RegisterELFStreamer(T, createIPUELFStreamer);
}
