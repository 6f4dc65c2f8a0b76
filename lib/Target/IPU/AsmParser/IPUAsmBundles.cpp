// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bundles: two instructions between braces, one for each pipe. The parts of a
// bundle are statements for the generic parser, so that macros and conditions
// can stand between the braces. A lone rpt in inline assembly becomes a bundle
// at a multiple of 8 bytes, as its body has to follow one.

#include "lib/Target/IPU/AsmParser/IPUAsmParser.h"
#include "lib/Target/IPU/MCTargetDesc/IPUBaseInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstBuilder.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCParser/MCAsmLexer.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

// After an error the generic parser skips the rest of the line, which may hold
// the closing brace: the bundle ends here then.
void IPUAsmParser::abandonStatement() {
  Bundle->HasError = true;
  while (getTok().isNot(AsmToken::EndOfStatement) &&
         getTok().isNot(AsmToken::Eof)) {
    bool IsEnd = getTok().is(AsmToken::RCurly);
    Lex();
    if (IsEnd) {
      Bundle.reset();
      return;
    }
  }
}

bool IPUAsmParser::errorInBundle(SMLoc Loc, const Twine &Text) {
  if (Bundle)
    Bundle->HasError = true;
  return Error(Loc, Text);
}

bool IPUAsmParser::beginBundle(SMLoc Loc) {
  bool Failed = Bundle && Error(Bundle->Loc, "this bundle is not closed");
  Bundle = OpenBundle{Loc, {}, Failed};
  return Failed;
}

void IPUAsmParser::onEndOfFile() {
  if (Bundle)
    Error(Bundle->Loc, "this bundle is not closed");
  // LLVM looks at the last frame only, and ends at one before it.
  auto Frames = getStreamer().getDwarfFrameInfos().drop_front(FramesBefore);
  if (any_of(Frames, [](const MCDwarfFrameInfo &Frame) { return !Frame.End; }))
    getParser().printError(getTok().getLoc(),
                           "a frame begins with .cfi_startproc and is not "
                           "finished by .cfi_endproc");
}

void IPUAsmParser::doBeforeLabelEmit(MCSymbol *, SMLoc Loc) {
  if (Bundle)
    errorInBundle(Loc, "labels and directives cannot be in a bundle");
}

/// Returns whether an instruction is the one that `fnop` stands for: it writes
/// $azero in its encoding only.
static bool isFnop(const MCInst &Inst) {
  return Inst.getOpcode() == IPU::OR_a_rz &&
         Inst.getOperand(0).getReg() == IPU::A15 &&
         Inst.getOperand(1).getReg() == IPU::A15;
}

bool IPUAsmParser::writesOverlap(const MCInst &A, const MCInst &B) {
  if (isFnop(B))
    return false;
  const MCRegisterInfo &MRI = *getContext().getRegisterInfo();
  unsigned DefsOfA = MII.get(A.getOpcode()).getNumDefs();
  unsigned DefsOfB = MII.get(B.getOpcode()).getNumDefs();
  for (unsigned I = 0; I < DefsOfA; ++I)
    for (unsigned J = 0; J < DefsOfB; ++J)
      if (MRI.regsOverlap(A.getOperand(I).getReg(), B.getOperand(J).getReg()))
        return true;
  return false;
}

bool IPUAsmParser::checkBundle() {
  SmallVectorImpl<MCInst> &Halves = Bundle->Halves;
  if (Halves.size() != 2)
    return Error(Bundle->Loc,
                 Halves.empty()
                     ? "this bundle is empty, two instructions needed"
                 : Halves.size() == 1
                     ? "too few instructions in this bundle, two needed"
                     : "too many instructions in this bundle, two needed");
  auto isAux = [&](const MCInst &Inst) {
    return IPUII::isAux(MII.get(Inst.getOpcode()));
  };
  if (OrdersBundles && isAux(Halves[0]) && !isAux(Halves[1]))
    std::swap(Halves[0], Halves[1]);
  for (bool IsAux : {false, true}) {
    const MCInst &Inst = Halves[IsAux];
    const MCInstrDesc &Desc = MII.get(Inst.getOpcode());
    if (isAux(Inst) != IsAux)
      return Error(Inst.getLoc(),
                   IsAux ? "the second instruction of a bundle must be "
                           "of the auxiliary pipe"
                         : "the first instruction of a bundle must be "
                           "of the main pipe");
    if (IPUII::noBundle(Desc))
      return Error(Inst.getLoc(), "this instruction cannot be in a bundle");
  }
  if (writesOverlap(Halves[0], Halves[1]))
    return Error(Halves[1].getLoc(),
                 "both instructions of this bundle write the same register");
  return false;
}

// The operands were read, so an error ends neither statement nor bundle.
bool IPUAsmParser::addToBundle(SMLoc Loc, StringRef Mnemonic,
                               OperandVector &Operands,
                               bool MatchingInlineAsm) {
  MCInst Inst;
  if (Mnemonic == "ldconst")
    errorInBundle(Loc, "ldconst may be two instructions and cannot be in a "
                       "bundle; use setzi");
  else if (match(Loc, Operands, Inst, MatchingInlineAsm))
    Bundle->HasError = true;
  else
    Bundle->Halves.push_back(Inst);
  return false;
}

static bool isRpt(const MCInst &Inst) {
  return Inst.getOpcode() == IPU::RPT_r || Inst.getOpcode() == IPU::RPT_i;
}

/// Returns whether the author of the code aligns a loop's body: in assembly,
/// and in inline assembly that aligns something.
bool IPUAsmParser::alignsItself(SMLoc Loc) {
  const SourceMgr &Sources = getParser().getSourceManager();
  if (&Sources != getContext().getInlineSourceManager())
    return true;
  const unsigned Buffer = Sources.FindBufferContainingLoc(Loc);
  if (!Buffer)
    return true;
  StringRef Text = Sources.getMemoryBuffer(Buffer)->getBuffer();
  return Text.contains("align");
}

/// A lone rpt at a multiple of 8 bytes, and its body behind it, for which it
/// gets another half that does nothing.
bool IPUAsmParser::emitAligned(MCInst &Inst, MCStreamer &Out) {
  if (!isRpt(Inst) || alignsItself(Inst.getLoc()))
    return false;
  MCInst *Rpt = getContext().createMCInst();
  *Rpt = Inst;
  MCInst *Fnop = getContext().createMCInst();
  *Fnop =
      MCInstBuilder(IPU::OR_a_rz).addReg(IPU::A15).addReg(IPU::A15).addImm(0);
  MCInst Both = MCInstBuilder(IPU::BUNDLE).addInst(Rpt).addInst(Fnop);
  Both.setLoc(Inst.getLoc());
  Out.emitCodeAlignment(Align(8), &getSTI());
  Out.emitInstruction(Both, getSTI());
  return true;
}

bool IPUAsmParser::endBundle(SMLoc Loc, MCStreamer &Out) {
  if (!Bundle)
    return Error(Loc, "there is no bundle to close here");
  // An error in a half was reported already.
  bool Failed = Bundle->HasError || checkBundle();
  OpenBundle Closed = std::move(*Bundle);
  Bundle.reset();
  if (Failed)
    return true;
  MCInst Inst;
  Inst.setOpcode(IPU::BUNDLE);
  if (isRpt(Closed.Halves[0]) && !alignsItself(Closed.Loc))
    Out.emitCodeAlignment(Align(8), &getSTI());
  Inst.setLoc(Closed.Loc);
  for (const MCInst &Half : Closed.Halves) {
    MCInst *Copy = getContext().createMCInst();
    *Copy = Half;
    Inst.addOperand(MCOperand::createInst(Copy));
  }
  Out.emitInstruction(Inst, getSTI());
  return false;
}
