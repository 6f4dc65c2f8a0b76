// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generated enumerations of registers, instructions and features, and the
// factories of the machine code layer.

#ifndef POPULUS_LIB_TARGET_IPU_MCTARGETDESC_IPUMCTARGETDESC_H
#define POPULUS_LIB_TARGET_IPU_MCTARGETDESC_IPUMCTARGETDESC_H

#include "llvm/MC/TargetRegistry.h"
#include <memory>

namespace llvm {

class MCObjectTargetWriter;

MCCodeEmitter *createIPUMCCodeEmitter(const MCInstrInfo &MII, MCContext &Ctx);
MCAsmBackend *createIPUAsmBackend(const Target &T, const MCSubtargetInfo &STI,
                                  const MCRegisterInfo &MRI,
                                  const MCTargetOptions &Options);
std::unique_ptr<MCObjectTargetWriter> createIPUELFObjectWriter();
MCStreamer *createIPUELFStreamer(const Triple &T, MCContext &Ctx,
                                 std::unique_ptr<MCAsmBackend> &&TAB,
                                 std::unique_ptr<MCObjectWriter> &&OW,
                                 std::unique_ptr<MCCodeEmitter> &&Emitter);

} // namespace llvm

#define GET_REGINFO_ENUM
#include "lib/Target/IPU/IPUGenRegisterInfo.inc"

#define GET_INSTRINFO_ENUM
#define GET_INSTRINFO_MC_HELPER_DECLS
#include "lib/Target/IPU/IPUGenInstrInfo.inc"

#define GET_SUBTARGETINFO_ENUM
#include "lib/Target/IPU/IPUGenSubtargetInfo.inc"

#endif
