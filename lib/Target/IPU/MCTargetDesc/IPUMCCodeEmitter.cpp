// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns instructions into bytes. The words come from the generated table; here
// are the operands that need a calculation, the fixups of symbols, and bundles:
// the main word with the bundle bit, then the auxiliary word.

#include "lib/Target/IPU/MCTargetDesc/IPUBaseInfo.h"
#include "lib/Target/IPU/MCTargetDesc/IPUFixupKinds.h"
#include "lib/Target/IPU/MCTargetDesc/IPUMCTargetDesc.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/EndianStream.h"

using namespace llvm;

namespace {

class IPUMCCodeEmitter : public MCCodeEmitter {
  MCContext &Ctx;

public:
  IPUMCCodeEmitter(MCContext &Ctx) : Ctx(Ctx) {}

  void encodeInstruction(const MCInst &MI, SmallVectorImpl<char> &CB,
                         SmallVectorImpl<MCFixup> &Fixups,
                         const MCSubtargetInfo &STI) const override;

  // Generated from the instruction table.
  uint64_t getBinaryCodeForInstr(const MCInst &MI,
                                 SmallVectorImpl<MCFixup> &Fixups,
                                 const MCSubtargetInfo &STI) const;

  // Called by the generated encoder.
  unsigned getMachineOpValue(const MCInst &MI, const MCOperand &Op,
                             SmallVectorImpl<MCFixup> &Fixups,
                             const MCSubtargetInfo &STI) const;
  unsigned encodeZ8(const MCInst &MI, unsigned OpNo,
                    SmallVectorImpl<MCFixup> &Fixups,
                    const MCSubtargetInfo &) const {
    return encodeImm(MI, OpNo, IPU::fixup_ipu_imm8, Fixups);
  }
  unsigned encodeZ16(const MCInst &MI, unsigned OpNo,
                     SmallVectorImpl<MCFixup> &Fixups,
                     const MCSubtargetInfo &) const {
    return encodeImm(MI, OpNo, IPU::fixup_ipu_imm16, Fixups);
  }
  unsigned encodeZ20(const MCInst &MI, unsigned OpNo,
                     SmallVectorImpl<MCFixup> &Fixups,
                     const MCSubtargetInfo &) const {
    return encodeImm(MI, OpNo, IPU::fixup_ipu_imm20, Fixups);
  }
  unsigned encodeRun16(const MCInst &MI, unsigned OpNo,
                       SmallVectorImpl<MCFixup> &Fixups,
                       const MCSubtargetInfo &) const {
    return encodeImm(MI, OpNo, IPU::fixup_ipu_run16, Fixups);
  }
  unsigned encodeTarget19(const MCInst &MI, unsigned OpNo,
                          SmallVectorImpl<MCFixup> &Fixups,
                          const MCSubtargetInfo &) const {
    return encodeImm(MI, OpNo, IPU::fixup_ipu_branch19, Fixups);
  }
  unsigned encodeTarget20(const MCInst &MI, unsigned OpNo,
                          SmallVectorImpl<MCFixup> &Fixups,
                          const MCSubtargetInfo &) const {
    return encodeImm(MI, OpNo, IPU::fixup_ipu_call20, Fixups);
  }
  template <unsigned N>
  unsigned encodeSImm(const MCInst &MI, unsigned OpNo,
                      SmallVectorImpl<MCFixup> &Fixups,
                      const MCSubtargetInfo &STI) const {
    return getMachineOpValue(MI, MI.getOperand(OpNo), Fixups, STI) &
           ((1u << N) - 1);
  }
  unsigned encodeHImm12(const MCInst &MI, unsigned OpNo,
                        SmallVectorImpl<MCFixup> &Fixups,
                        const MCSubtargetInfo &STI) const {
    return getMachineOpValue(MI, MI.getOperand(OpNo), Fixups, STI) >> 20;
  }

private:
  unsigned encodeImm(const MCInst &MI, unsigned OpNo, IPU::Fixups Kind,
                     SmallVectorImpl<MCFixup> &Fixups) const;
  uint32_t encodeWord(const MCInst &MI, unsigned Offset,
                      SmallVectorImpl<MCFixup> &Fixups,
                      const MCSubtargetInfo &STI) const;
};

} // namespace

unsigned IPUMCCodeEmitter::getMachineOpValue(const MCInst &MI,
                                             const MCOperand &Op,
                                             SmallVectorImpl<MCFixup> &,
                                             const MCSubtargetInfo &) const {
  if (Op.isReg())
    return Ctx.getRegisterInfo()->getEncodingValue(Op.getReg());
  if (Op.isImm())
    return Op.getImm();
  int64_t Value;
  if (Op.isExpr() && Op.getExpr()->evaluateAsAbsolute(Value))
    return Value;
  Ctx.reportError(MI.getLoc(), "this operand must be a constant");
  return 0;
}

unsigned IPUMCCodeEmitter::encodeImm(const MCInst &MI, unsigned OpNo,
                                     IPU::Fixups Kind,
                                     SmallVectorImpl<MCFixup> &Fixups) const {
  const MCOperand &Op = MI.getOperand(OpNo);
  if (Op.isImm())
    return Op.getImm();
  Fixups.push_back(
      MCFixup::create(0, Op.getExpr(), MCFixupKind(Kind), MI.getLoc()));
  return 0;
}

uint32_t IPUMCCodeEmitter::encodeWord(const MCInst &MI, unsigned Offset,
                                      SmallVectorImpl<MCFixup> &Fixups,
                                      const MCSubtargetInfo &STI) const {
  size_t First = Fixups.size();
  uint32_t Word = getBinaryCodeForInstr(MI, Fixups, STI);
  for (MCFixup &Fixup : drop_begin(Fixups, First))
    Fixup.setOffset(Fixup.getOffset() + Offset);
  return Word;
}

void IPUMCCodeEmitter::encodeInstruction(const MCInst &MI,
                                         SmallVectorImpl<char> &CB,
                                         SmallVectorImpl<MCFixup> &Fixups,
                                         const MCSubtargetInfo &STI) const {
  auto Write = [&](uint32_t Word) {
    support::endian::write(CB, Word, endianness::little);
  };
  if (MI.getOpcode() != IPU::BUNDLE) {
    Write(encodeWord(MI, 0, Fixups, STI));
    return;
  }
  Write(encodeWord(*MI.getOperand(0).getInst(), 0, Fixups, STI) |
        IPUII::BundleBit);
  Write(encodeWord(*MI.getOperand(1).getInst(), 4, Fixups, STI));
}

#include "lib/Target/IPU/IPUGenMCCodeEmitter.inc"

MCCodeEmitter *llvm::createIPUMCCodeEmitter(const MCInstrInfo &,
                                            MCContext &Ctx) {
  return new IPUMCCodeEmitter(Ctx);
}
