// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An ELF streamer that knows bundles. The generic one registers the symbols of
// an instruction's own operands only, so symbols in the halves of a bundle
// would be relocated against nothing.

#include "lib/Target/IPU/MCTargetDesc/IPUMCTargetDesc.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCELFStreamer.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCObjectWriter.h"

using namespace llvm;

namespace {
class IPUELFStreamer : public MCELFStreamer {
public:
  using MCELFStreamer::MCELFStreamer;

  void emitInstruction(const MCInst &Inst,
                       const MCSubtargetInfo &STI) override {
    if (Inst.getOpcode() == IPU::BUNDLE)
      for (const MCOperand &Half : Inst)
        for (const MCOperand &Op : *Half.getInst())
          if (Op.isExpr())
            visitUsedExpr(*Op.getExpr());
    MCELFStreamer::emitInstruction(Inst, STI);
  }
};
} // namespace

MCStreamer *
llvm::createIPUELFStreamer(const Triple &, MCContext &Ctx,
                           std::unique_ptr<MCAsmBackend> &&TAB,
                           std::unique_ptr<MCObjectWriter> &&OW,
                           std::unique_ptr<MCCodeEmitter> &&Emitter) {
  return new IPUELFStreamer(Ctx, std::move(TAB), std::move(OW),
                            std::move(Emitter));
}
