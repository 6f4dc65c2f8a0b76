// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bodies that have not yet got all their items are at the end of the list; an
// item belongs to all of them that are in its section.

#include "lib/Target/IPU/MCTargetDesc/IPURptChecker.h"
#include "lib/Target/IPU/MCTargetDesc/IPUBaseInfo.h"
#include "lib/Target/IPU/MCTargetDesc/IPUMCTargetDesc.h"
#include "llvm/MC/MCAssembler.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCSection.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSymbol.h"

using namespace llvm;

static constexpr size_t LargestBody = 256;

static const char *problemOf(const MCInstrInfo &MII, const MCInst &Inst) {
  if (Inst.getOpcode() != IPU::BUNDLE)
    return "the body of a rpt has bundles only; put this instruction into one";
  for (const MCOperand &Half : Inst) {
    const MCInstrDesc &Desc = MII.get(Half.getInst()->getOpcode());
    if (IPUII::isControl(Desc) || Desc.isBranch() || Desc.isCall())
      return "a control instruction cannot be in the body of a rpt";
    if (IPUII::isSystem(Desc))
      return "a system instruction cannot be in the body of a rpt";
  }
  return nullptr;
}

static bool isRpt(const MCInst &Inst) {
  return Inst.getOpcode() == IPU::RPT_r || Inst.getOpcode() == IPU::RPT_i;
}

void IPURptChecker::addInstruction(MCStreamer &Out, const MCInstrInfo &MII,
                                   const MCInst &Inst) {
  MCSection *Section = Out.getCurrentSectionOnly();
  if (FirstOpen != Bodies.size()) {
    const Item Item = {Inst.getLoc(), problemOf(MII, Inst)};
    for (size_t I = FirstOpen; I != Bodies.size(); ++I)
      if (Bodies[I].Section == Section && Bodies[I].Items.size() < LargestBody)
        Bodies[I].Items.push_back(Item);
    while (FirstOpen != Bodies.size() &&
           Bodies[FirstOpen].Items.size() == LargestBody)
      ++FirstOpen;
  }
  const MCInst &Main =
      Inst.getOpcode() == IPU::BUNDLE ? *Inst.getOperand(0).getInst() : Inst;
  if (AllowsInvalid || !isRpt(Main))
    return;
  MCSymbol *Begin = Out.getContext().createTempSymbol();
  Out.emitLabel(Begin);
  SMLoc Loc = Main.getLoc().isValid() ? Main.getLoc() : Inst.getLoc();
  Bodies.push_back({Loc, Main.getOperand(1), Begin, Section, {}});
}

void IPURptChecker::check(const MCAssembler &Asm) const {
  for (const Body &Body : Bodies)
    checkBody(Asm, Body);
}

void IPURptChecker::checkBody(const MCAssembler &Asm, const Body &Body) const {
  MCContext &Ctx = Asm.getContext();
  int64_t Size = 0;
  if (Body.Size.isImm())
    Size = Body.Size.getImm();
  else if (!Body.Size.getExpr()->evaluateAsAbsolute(Size, Asm))
    return; // the linker's business
  if (Size < 0 || static_cast<size_t>(Size) >= LargestBody)
    return; // reported where the value is put into the instruction
  const size_t Count = Size + 1;
  for (size_t I = 0; I != std::min(Count, Body.Items.size()); ++I)
    if (Body.Items[I].Problem)
      return Ctx.reportError(Body.Items[I].Loc, Body.Items[I].Problem);
  if (Body.Items.size() < Count)
    return Ctx.reportError(Body.Loc, "the body of this rpt goes on for " +
                                         Twine(Count) + " bundles, but only " +
                                         Twine(Body.Items.size()) + " follow");
  if (Body.Section->getAlign() < Align(8) ||
      Asm.getSymbolOffset(*Body.Begin) % 8 != 0)
    Ctx.reportError(Body.Loc,
                    Twine("the body of this rpt does not begin at a multiple "
                          "of 8 bytes; ") +
                        (Body.Section->getAlign() < Align(8)
                             ? "put .align 8 before the function"
                             : "put a nop before the rpt"));
}
