// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From words to instructions, by the generated table. The first word's top bit
// says whether a second word, of the auxiliary pipe, belongs to it.

#include "lib/Target/IPU/MCTargetDesc/IPUBaseInfo.h"
#include "lib/Target/IPU/MCTargetDesc/IPUMCTargetDesc.h"
#include "lib/Target/IPU/TargetInfo/IPUTargetInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDecoderOps.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

#define DEBUG_TYPE "ipu-disassembler"

using DecodeStatus = MCDisassembler::DecodeStatus;

namespace {

class IPUDisassembler : public MCDisassembler {
  std::unique_ptr<const MCInstrInfo> MII;

public:
  IPUDisassembler(const MCSubtargetInfo &STI, MCContext &Ctx,
                  const MCInstrInfo *MII)
      : MCDisassembler(STI, Ctx), MII(MII) {}

  DecodeStatus getInstruction(MCInst &MI, uint64_t &Size,
                              ArrayRef<uint8_t> Bytes, uint64_t Address,
                              raw_ostream &) const override;

private:
  DecodeStatus decodeWord(MCInst &MI, uint32_t Word, uint64_t Address) const;
  DecodeStatus decodeBundle(MCInst &MI, uint32_t Main, uint32_t Aux,
                            uint64_t Address) const;
};

} // namespace

// The register of a class whose number (first number, for pairs and quads) the
// field holds; some numbers have none.
template <unsigned RegClassID>
static DecodeStatus decodeRegister(MCInst &MI, unsigned Number,
                                   const MCDisassembler *Decoder) {
  const MCRegisterInfo &MRI = *Decoder->getContext().getRegisterInfo();
  for (MCPhysReg Reg : MRI.getRegClass(RegClassID))
    if (MRI.getEncodingValue(Reg) == Number) {
      MI.addOperand(MCOperand::createReg(Reg));
      return MCDisassembler::Success;
    }
  return MCDisassembler::Fail;
}

#define REGISTER_DECODER(CLASS)                                                \
  static DecodeStatus Decode##CLASS##RegisterClass(                            \
      MCInst &MI, uint64_t Number, uint64_t, const MCDisassembler *Decoder) {  \
    return decodeRegister<IPU::CLASS##RegClassID>(MI, Number, Decoder);        \
  }
REGISTER_DECODER(MR)
REGISTER_DECODER(AR)
REGISTER_DECODER(ARPair)
REGISTER_DECODER(ARQuad)
REGISTER_DECODER(MRPair)
#undef REGISTER_DECODER

template <unsigned N>
static DecodeStatus decodeSImm(MCInst &MI, uint64_t Field, uint64_t,
                               const MCDisassembler *) {
  MI.addOperand(MCOperand::createImm(SignExtend64<N>(Field)));
  return MCDisassembler::Success;
}

static DecodeStatus decodeHImm12(MCInst &MI, uint64_t Field, uint64_t,
                                 const MCDisassembler *) {
  MI.addOperand(MCOperand::createImm(static_cast<int32_t>(Field << 20)));
  return MCDisassembler::Success;
}

#include "lib/Target/IPU/IPUGenDisassemblerTables.inc"

DecodeStatus IPUDisassembler::decodeWord(MCInst &MI, uint32_t Word,
                                         uint64_t Address) const {
  return decodeInstruction(DecoderTableIPU32, MI, Word, Address, this, STI);
}

DecodeStatus IPUDisassembler::decodeBundle(MCInst &MI, uint32_t Main,
                                           uint32_t Aux,
                                           uint64_t Address) const {
  MI.setOpcode(IPU::BUNDLE);
  const uint32_t Words[] = {Main, Aux};
  for (bool IsAux : {false, true}) {
    MCInst *Half = getContext().createMCInst();
    if (decodeWord(*Half, Words[IsAux], Address) != Success)
      return Fail;
    const MCInstrDesc &Desc = MII->get(Half->getOpcode());
    if (IPUII::isAux(Desc) != IsAux || IPUII::noBundle(Desc))
      return Fail;
    MI.addOperand(MCOperand::createInst(Half));
  }
  return Success;
}

DecodeStatus IPUDisassembler::getInstruction(MCInst &MI, uint64_t &Size,
                                             ArrayRef<uint8_t> Bytes,
                                             uint64_t Address,
                                             raw_ostream &) const {
  Size = std::min<uint64_t>(Bytes.size(), 4);
  if (Bytes.size() < 4)
    return Fail;
  uint32_t First = support::endian::read32le(Bytes.data());
  if (!(First & IPUII::BundleBit))
    return decodeWord(MI, First, Address);
  if (Bytes.size() < 8)
    return Fail;
  Size = 8;
  uint32_t Second = support::endian::read32le(Bytes.data() + 4);
  if (decodeBundle(MI, First & ~IPUII::BundleBit, Second, Address) == Success)
    return Success;
  Size = 4;
  MI.clear();
  return Fail;
}

static MCDisassembler *createDisassembler(const Target &T,
                                          const MCSubtargetInfo &STI,
                                          MCContext &Ctx) {
  return new IPUDisassembler(STI, Ctx, T.createMCInstrInfo());
}

void llvm::initializeIPUDisassembler() {
  TargetRegistry::RegisterMCDisassembler(getTheIPUTarget(), createDisassembler);
}
