// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An ELF streamer that knows bundles and rpt. The generic one registers the
// symbols of an instruction's own operands only, so symbols in the halves of a
// bundle would be relocated against nothing.

#include "lib/Target/IPU/MCTargetDesc/IPUAsmBackend.h"
#include "lib/Target/IPU/MCTargetDesc/IPUMCTargetDesc.h"
#include "lib/Target/IPU/TargetInfo/IPUTargetInfo.h"
#include "llvm/MC/MCAssembler.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCELFObjectWriter.h"
#include "llvm/MC/MCELFStreamer.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"

using namespace llvm;

namespace {
class IPUELFStreamer : public MCELFStreamer {
public:
  IPUELFStreamer(MCContext &Ctx, std::unique_ptr<MCAsmBackend> TAB,
                 std::unique_ptr<MCObjectWriter> OW,
                 std::unique_ptr<MCCodeEmitter> Emitter)
      : MCELFStreamer(Ctx, std::move(TAB), std::move(OW), std::move(Emitter)),
        MII(getTheIPUTarget().createMCInstrInfo()) {
    // Emits .cfi directives for debuggers only: nothing unwinds on a tile, and
    // .eh_frame would need relative addresses.
    MCELFStreamer::emitCFISections(/*EH=*/false, /*Debug=*/true);
  }

  void emitInstruction(const MCInst &Inst,
                       const MCSubtargetInfo &STI) override {
    if (Inst.getOpcode() == IPU::BUNDLE)
      for (const MCOperand &Half : Inst)
        for (const MCOperand &Op : *Half.getInst())
          if (Op.isExpr())
            visitUsedExpr(*Op.getExpr());
    MCELFStreamer::emitInstruction(Inst, STI);
    getWriter().setELFHeaderEFlags(archVersion(STI));
    static_cast<IPUAsmBackend &>(getAssembler().getBackend())
        .RptChecker.addInstruction(*this, *MII, Inst);
  }

  void emitValueToAlignment(Align Alignment, int64_t Value, unsigned ValueSize,
                            unsigned MaxBytes) override {
    if (isPossible(Alignment))
      MCELFStreamer::emitValueToAlignment(Alignment, Value, ValueSize,
                                          MaxBytes);
  }

  void emitCodeAlignment(Align Alignment, const MCSubtargetInfo *STI,
                         unsigned MaxBytes) override {
    if (isPossible(Alignment))
      MCELFStreamer::emitCodeAlignment(Alignment, STI, MaxBytes);
  }

  void emitAssignment(MCSymbol *Symbol, const MCExpr *Value) override {
    MCELFStreamer::emitAssignment(Symbol, Value);
    static_cast<IPUAsmBackend &>(getAssembler().getBackend())
        .AssignedSymbols.push_back(Symbol);
  }

  void emitELFSize(MCSymbol *Symbol, const MCExpr *Value) override {
    MCELFStreamer::emitELFSize(Symbol, Value);
    static_cast<IPUAsmBackend &>(getAssembler().getBackend())
        .SizedSymbols.push_back(cast<MCSymbolELF>(Symbol));
  }

private:
  /// Refuses an alignment that no place on a tile has, for which the padding
  /// would be made all the same.
  bool isPossible(Align Alignment) {
    constexpr uint64_t Most = 1 << 20;
    if (Alignment.value() <= Most)
      return true;
    getContext().reportError(getStartTokLoc(),
                             "an alignment of " + Twine(Alignment.value()) +
                                 " bytes is more than a tile's memory has");
    return false;
  }

  /// The number in the name of the target, as in runtime/Target/ElfIpu.h.
  static unsigned archVersion(const MCSubtargetInfo &STI) {
    StringRef Name = STI.getCPU();
    unsigned Version = 0;
    if (Name.consume_front("ipu"))
      Name.getAsInteger(10, Version);
    return Version;
  }

  std::unique_ptr<MCInstrInfo> MII;
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
