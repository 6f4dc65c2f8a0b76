// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The assembler's parser: registers with their aliases, ranges and suffixes,
// half literals, control register names, bundles in braces, and the directives
// that say whether code is for a worker or the supervisor. Matching against the
// instruction table is generated.

#include "lib/Target/IPU/AsmParser/IPUOperand.h"
#include "lib/Target/IPU/MCTargetDesc/IPUAsmBackend.h"
#include "lib/Target/IPU/MCTargetDesc/IPUBaseInfo.h"
#include "lib/Target/IPU/MCTargetDesc/IPUMCTargetDesc.h"
#include "lib/Target/IPU/TargetInfo/IPUTargetInfo.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCAssembler.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstBuilder.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCParser/MCAsmLexer.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

#define DEBUG_TYPE "ipu-asm-parser"

namespace {

class IPUAsmParser : public MCTargetAsmParser {
  /// The bundle whose closing brace is still to come. Its parts are statements,
  /// so that macros and conditions can stand between the braces.
  struct OpenBundle {
    SMLoc Loc; // of "{"
    SmallVector<MCInst, 2> Halves;
    bool HasError = false;
  };
  std::optional<OpenBundle> Bundle;
  bool IsSupervisor;
  /// Whether the halves of a bundle may stand in any order.
  bool OrdersBundles = false;
  /// The frames of .cfi directives that the output has already: where inline
  /// assembly is parsed, the function around it has one.
  std::size_t FramesBefore;

#define GET_ASSEMBLER_HEADER
#include "lib/Target/IPU/IPUGenAsmMatcher.inc"

public:
  enum IPUMatchResultTy {
    Match_Dummy = FIRST_TARGET_MATCH_RESULT_TY,
#define GET_OPERAND_DIAGNOSTIC_TYPES
#include "lib/Target/IPU/IPUGenAsmMatcher.inc"
  };

  IPUAsmParser(const MCSubtargetInfo &STI, MCAsmParser &Parser,
               const MCInstrInfo &MII, const MCTargetOptions &Options)
      : MCTargetAsmParser(Options, STI, MII) {
    MCAsmParserExtension::Initialize(Parser);
    FramesBefore = Parser.getStreamer().getDwarfFrameInfos().size();
    IsSupervisor = STI.hasFeature(IPU::FeatureSupervisor);
    setAvailableFeatures(ComputeAvailableFeatures(STI.getFeatureBits()));
  }

  bool parseRegister(MCRegister &Reg, SMLoc &Start, SMLoc &End) override;
  ParseStatus tryParseRegister(MCRegister &Reg, SMLoc &Start,
                               SMLoc &End) override;
  bool ParseInstruction(ParseInstructionInfo &Info, StringRef Name,
                        SMLoc NameLoc, OperandVector &Operands) override;
  bool MatchAndEmitInstruction(SMLoc Loc, unsigned &Opcode,
                               OperandVector &Operands, MCStreamer &Out,
                               uint64_t &ErrorInfo,
                               bool MatchingInlineAsm) override;
  ParseStatus parseDirective(AsmToken DirectiveID) override;
  void doBeforeLabelEmit(MCSymbol *Symbol, SMLoc Loc) override;
  void onEndOfFile() override;

private:
  // Operands.
  MCRegister rangeFrom(StringRef First, int64_t Last);
  void parseSuffix(OperandVector &Operands);
  bool parseOperand(StringRef Mnemonic, OperandVector &Operands);
  bool parseOperands(StringRef Mnemonic, OperandVector &Operands);
  ParseStatus parseHalfLiteral(OperandVector &Operands);
  std::optional<unsigned> findCsr(StringRef Mnemonic, StringRef Name, SMLoc Loc,
                                  bool &Failed);
  bool parseHalves();
  bool parseWords();
  // Bundles.
  bool beginBundle(SMLoc Loc);
  bool addToBundle(SMLoc Loc, StringRef Mnemonic, OperandVector &Operands,
                   bool MatchingInlineAsm);
  bool endBundle(SMLoc Loc, MCStreamer &Out);
  void abandonStatement();
  bool errorInBundle(SMLoc Loc, const Twine &Text);
  bool checkBundle();
  bool writesOverlap(const MCInst &A, const MCInst &B);
  // Matching.
  unsigned matchOperands(OperandVector &Operands, MCInst &Inst,
                         uint64_t &ErrorInfo, bool MatchingInlineAsm);
  bool match(SMLoc Loc, OperandVector &Operands, MCInst &Inst,
             bool MatchingInlineAsm);
  bool emitLdconst(SMLoc Loc, OperandVector &Operands, MCStreamer &Out);
  bool alignsItself(SMLoc Loc);
  bool emitAligned(MCInst &Inst, MCStreamer &Out);
};

} // namespace

#define GET_REGISTER_MATCHER
#define GET_MATCHER_IMPLEMENTATION
#define GET_MNEMONIC_SPELL_CHECKER
#include "lib/Target/IPU/IPUGenAsmMatcher.inc"

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// The canonical spelling of a register's alias.
static StringRef canonicalName(StringRef Name) {
  return StringSwitch<StringRef>(Name)
      .Case("$bp", "$m8")
      .Case("$fp", "$m9")
      .Case("$lr", "$m10")
      .Case("$sp", "$m11")
      .Case("$mworker_base", "$m12")
      .Case("$mvertex_base", "$m13")
      .Case("$mzero", "$m15")
      .Case("$azero", "$a15")
      .Case("$azeros", "$a14:15")
      .Case("$aq0", "$a0:3")
      .Case("$aq1", "$a4:7")
      .Default(Name);
}

MCRegister IPUAsmParser::rangeFrom(StringRef First, int64_t Last) {
  return MatchRegisterName((First + ":" + Twine(Last)).str());
}

ParseStatus IPUAsmParser::tryParseRegister(MCRegister &Reg, SMLoc &Start,
                                           SMLoc &End) {
  const AsmToken &Tok = getTok();
  Start = Tok.getLoc();
  End = Tok.getEndLoc();
  if (Tok.isNot(AsmToken::Identifier))
    return ParseStatus::NoMatch;
  // "@" is a suffix, though the lexer takes it for a part of the name.
  StringRef Name = canonicalName(Tok.getString().rtrim('@'));
  Reg = MatchRegisterName(Name);
  if (!Reg)
    return ParseStatus::NoMatch;

  AsmToken Next[2];
  if (getLexer().peekTokens(Next) == 2 && Next[0].is(AsmToken::Colon) &&
      Next[1].is(AsmToken::Integer)) {
    Reg = rangeFrom(Name, Next[1].getIntVal());
    if (!Reg)
      return Error(Start, "no such register range: pairs start at an even "
                          "register, quads at a multiple of four");
    Lex();
    Lex();
    End = getTok().getEndLoc();
  }
  // The caller parses the suffix from a token that ends in "@".
  if (!getTok().getString().ends_with("@"))
    Lex();
  return ParseStatus::Success;
}

bool IPUAsmParser::parseRegister(MCRegister &Reg, SMLoc &Start, SMLoc &End) {
  ParseStatus Status = tryParseRegister(Reg, Start, End);
  if (Status.isNoMatch())
    return Error(Start, "a register is needed here");
  return Status.isFailure();
}

// What may follow a register directly: += ++ @ >> :B :BL :BU
void IPUAsmParser::parseSuffix(OperandVector &Operands) {
  SMLoc Loc = getTok().getLoc();
  auto Push = [&](StringRef Text, int Tokens) {
    Operands.push_back(IPUOperand::token(Text, Loc));
    for (; Tokens; --Tokens)
      Lex();
  };
  const AsmToken &Tok = getTok();
  if (Tok.is(AsmToken::Identifier) && Tok.getString().ends_with("@"))
    return Push("@", 1);
  if (Tok.is(AsmToken::At))
    return Push("@", 1);
  if (Tok.is(AsmToken::GreaterGreater))
    return Push(">>", 1);
  AsmToken Next = getLexer().peekTok();
  if (Tok.is(AsmToken::Plus) && Next.is(AsmToken::Equal))
    return Push("+=", 2);
  if (Tok.is(AsmToken::Plus) && Next.is(AsmToken::Plus))
    return Push("++", 2);
  if (Tok.is(AsmToken::Colon) && Next.is(AsmToken::Identifier)) {
    StringRef Name = Next.getString();
    if (Name == "B")
      return Push(":B", 2);
    if (Name == "BL")
      return Push(":BL", 2);
    if (Name == "BU")
      return Push(":BU", 2);
  }
}

//===----------------------------------------------------------------------===//
// Other operands
//===----------------------------------------------------------------------===//

// The index of $NAME for an instruction, in the space that the instruction and
// the mode select.
std::optional<unsigned> IPUAsmParser::findCsr(StringRef Mnemonic,
                                              StringRef Name, SMLoc Loc,
                                              bool &Failed) {
  using IPUCsr::Space;
  bool IsUpper = Mnemonic == "uget" || Mnemonic == "uput";
  bool IsLower = Mnemonic == "get" || Mnemonic == "put" ||
                 Mnemonic == "ld64putcs" || Mnemonic == "ld128putcs";
  if (!IsUpper && !IsLower)
    return std::nullopt;
  Space Mode = IsSupervisor ? Space::Supervisor : Space::Worker;
  Space Other = IsSupervisor ? Space::Worker : Space::Supervisor;
  if (IsLower)
    if (std::optional<unsigned> Index = IPUCsr::find(Mode, Name))
      return Index;
  // get and put with an $a register are uget and uput.
  if (std::optional<unsigned> Index = IPUCsr::find(Space::Upper, Name))
    return Index;
  Failed = true;
  if (IPUCsr::find(Other, Name))
    Error(Loc, "control register $" + Name + " does not exist in " +
                   (IsSupervisor ? "supervisor" : "worker") + " mode");
  else
    Error(Loc, "unknown control register $" + Name);
  return std::nullopt;
}

// 1.0h, -2.5h, infh, -infh: the bits of a binary16.
ParseStatus IPUAsmParser::parseHalfLiteral(OperandVector &Operands) {
  SMLoc Start = getTok().getLoc();
  AsmToken Next[2];
  size_t Count = getLexer().peekTokens(Next);
  bool Negative = getTok().is(AsmToken::Minus);
  const AsmToken &Number = Negative ? Next[0] : getTok();
  const AsmToken &After = Negative ? Next[1] : Next[0];

  APFloat Value = APFloat::getInf(APFloat::IEEEhalf());
  int Tokens = Negative ? 2 : 1;
  if (Number.is(AsmToken::Real) && Count && After.is(AsmToken::Identifier) &&
      After.getString() == "h") {
    auto Status = Value.convertFromString(Number.getString(),
                                          APFloat::rmNearestTiesToEven);
    if (!Status) {
      consumeError(Status.takeError());
      return Error(Start, "malformed half literal");
    }
    ++Tokens;
  } else if (Number.isNot(AsmToken::Identifier) ||
             Number.getString() != "infh") {
    return ParseStatus::NoMatch;
  }
  if (Negative)
    Value.changeSign();
  SMLoc End = getTok().getEndLoc();
  for (; Tokens; --Tokens)
    Lex();
  Operands.push_back(
      IPUOperand::imm(MCConstantExpr::create(
                          Value.bitcastToAPInt().getZExtValue(), getContext()),
                      Start, End));
  return ParseStatus::Success;
}

/// Whether an operand is an address of code, which may be spelled `$symbol`.
static bool goesToSymbol(StringRef Mnemonic) {
  return StringSwitch<bool>(Mnemonic)
      .Cases("bri", "brz", "brnz", "brpos", "brneg", "brnzdec", "call", true)
      .Default(false);
}

bool IPUAsmParser::parseOperand(StringRef Mnemonic, OperandVector &Operands) {
  SMLoc Start, End;
  MCRegister Reg;
  ParseStatus Status = tryParseRegister(Reg, Start, End);
  if (Status.isFailure())
    return true;
  if (Status.isSuccess()) {
    Operands.push_back(IPUOperand::reg(Reg, Start, End));
    parseSuffix(Operands);
    return false;
  }

  StringRef Name = getTok().getString();
  if (getTok().is(AsmToken::Identifier) && Name.consume_front("$")) {
    bool Failed = false;
    std::optional<unsigned> Index = findCsr(Mnemonic, Name, Start, Failed);
    if (Failed)
      return true;
    if (!Index && !goesToSymbol(Mnemonic))
      return Error(Start, "unknown register $" + Name);
    Lex();
    const MCExpr *Value;
    if (Index)
      Value = MCConstantExpr::create(*Index, getContext());
    else
      Value = MCSymbolRefExpr::create(getContext().getOrCreateSymbol(Name),
                                      getContext());
    Operands.push_back(IPUOperand::imm(Value, Start, End));
    return false;
  }

  Status = parseHalfLiteral(Operands);
  if (!Status.isNoMatch())
    return Status.isFailure();

  const MCExpr *Expr;
  if (getParser().parseExpression(Expr, End))
    return true;
  Operands.push_back(IPUOperand::imm(Expr, Start, End));
  return false;
}

/// A packed store has one selector, in the lowest two bits; others of the
/// family have up to three, and kernels write as many digits here.
static void keepSelector(StringRef Mnemonic, OperandVector &Operands,
                         MCContext &Ctx) {
  if (Mnemonic != "st64pace" || !Operands.back()->isImm())
    return;
  auto &Selectors = static_cast<IPUOperand &>(*Operands.back());
  if (Selectors.isZImm6())
    Operands.back() =
        IPUOperand::imm(MCConstantExpr::create(*Selectors.constant() & 3, Ctx),
                        Selectors.getStartLoc(), Selectors.getEndLoc());
}

bool IPUAsmParser::parseOperands(StringRef Mnemonic, OperandVector &Operands) {
  auto AtEnd = [&] {
    return getTok().is(AsmToken::EndOfStatement) ||
           (Bundle && getTok().is(AsmToken::RCurly));
  };
  if (AtEnd())
    return false;
  do {
    if (parseOperand(Mnemonic, Operands))
      return true;
  } while (parseOptionalToken(AsmToken::Comma));
  keepSelector(Mnemonic, Operands, getContext());
  if (!AtEnd())
    return Error(getTok().getLoc(), "unexpected text after the operands");
  return false;
}

bool IPUAsmParser::ParseInstruction(ParseInstructionInfo &, StringRef Name,
                                    SMLoc NameLoc, OperandVector &Operands) {
  Operands.push_back(IPUOperand::token(Name, NameLoc));
  // What follows on the line is the next statement.
  if (Name == "{")
    return beginBundle(NameLoc);
  if (Name == "}")
    return parseEOL();
  bool Failed = parseOperands(Name, Operands) ||
                (getTok().isNot(AsmToken::RCurly) && parseEOL());
  if (Failed && Bundle)
    abandonStatement();
  return Failed;
}

//===----------------------------------------------------------------------===//
// Bundles
//===----------------------------------------------------------------------===//

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

/// What `fnop` stands for: it writes $azero in its encoding only.
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

/// Whether the author of the code looks after the place of a loop's body: in
/// assembly, and in inline assembly that aligns something.
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

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

static SMLoc locationOf(const OperandVector &Operands, uint64_t Index,
                        SMLoc Default) {
  if (Index >= Operands.size())
    return Default;
  SMLoc Loc = Operands[Index]->getStartLoc();
  return Loc.isValid() ? Loc : Default;
}

// Where a main register is read, $azero is zero like $mzero.
unsigned IPUAsmParser::matchOperands(OperandVector &Operands, MCInst &Inst,
                                     uint64_t &ErrorInfo,
                                     bool MatchingInlineAsm) {
  bool Replaced = false;
  for (;;) {
    Inst.clear();
    FeatureBitset Missing;
    unsigned Result = MatchInstructionImpl(Operands, Inst, ErrorInfo, Missing,
                                           MatchingInlineAsm);
    // What is written comes first.
    if (Result == Match_Success && Replaced &&
        MII.get(Inst.getOpcode()).getNumDefs() != 0 && Operands[1]->isReg() &&
        Operands[1]->getReg() == IPU::M15) {
      ErrorInfo = 1;
      return Match_MR;
    }
    if (Result == Match_Success || ErrorInfo >= Operands.size() ||
        !Operands[ErrorInfo]->isReg() ||
        Operands[ErrorInfo]->getReg() != IPU::A15)
      return Result;
    Replaced = true;
    Operands[ErrorInfo] =
        IPUOperand::reg(IPU::M15, Operands[ErrorInfo]->getStartLoc(),
                        Operands[ErrorInfo]->getEndLoc());
  }
}

bool IPUAsmParser::match(SMLoc Loc, OperandVector &Operands, MCInst &Inst,
                         bool MatchingInlineAsm) {
  uint64_t ErrorInfo = ~0ULL;
  unsigned Result = matchOperands(Operands, Inst, ErrorInfo, MatchingInlineAsm);
  StringRef Mnemonic = static_cast<IPUOperand &>(*Operands[0]).getToken();
  switch (Result) {
  case Match_Success:
    break;
  case Match_MissingFeature:
    return Error(Loc, getSTI().getCPU() + " does not have " + Mnemonic);
  case Match_MnemonicFail:
    return Error(
        Loc, "unknown instruction " + Mnemonic +
                 IPUMnemonicSpellCheck(Mnemonic, getAvailableFeatures(), 0));
  case Match_InvalidOperand:
    if (ErrorInfo != ~0ULL && ErrorInfo >= Operands.size())
      return Error(Loc, "too few operands for " + Mnemonic);
    return Error(locationOf(Operands, ErrorInfo, Loc),
                 "this operand does not fit any form of " + Mnemonic);
  default:
    if (const char *Text =
            getMatchKindDiag(static_cast<IPUMatchResultTy>(Result)))
      return Error(locationOf(Operands, ErrorInfo, Loc), Text);
    return Error(Loc, "these operands do not fit " + Mnemonic);
  }
  Inst.setLoc(Loc);
  unsigned Contexts = IPUII::contexts(MII.get(Inst.getOpcode()));
  if (Contexts == IPUII::WorkerOnly && IsSupervisor)
    return Error(Loc, "this instruction needs worker mode");
  if (Contexts == IPUII::SupervisorOnly && !IsSupervisor)
    return Error(Loc, "this instruction needs supervisor mode");
  if (!getSTI().hasFeature(IPU::FeatureTwoSets) && Inst.getNumOperands() != 0 &&
      Inst.getOperand(Inst.getNumOperands() - 1).isImm()) {
    int64_t Imm = Inst.getOperand(Inst.getNumOperands() - 1).getImm();
    StringRef Missing = IPUII::secondSetOf(Inst.getOpcode(), Imm);
    if (!Missing.empty())
      return Error(Loc, getSTI().getCPU() + " does not have " + Missing);
  }
  return false;
}

// setzi, and or if the upper twelve bits are not zero.
bool IPUAsmParser::emitLdconst(SMLoc Loc, OperandVector &Operands,
                               MCStreamer &Out) {
  const auto *Dest = Operands.size() == 3
                         ? static_cast<IPUOperand *>(Operands[1].get())
                         : nullptr;
  if (!Dest || !Dest->isReg())
    return Error(Loc, "ldconst takes a register and a constant");
  bool IsMain = getContext()
                    .getRegisterInfo()
                    ->getRegClass(IPU::MRRegClassID)
                    .contains(Dest->getReg());
  bool IsAux = getContext()
                   .getRegisterInfo()
                   ->getRegClass(IPU::ARRegClassID)
                   .contains(Dest->getReg());
  if (!IsMain && !IsAux)
    return Error(Dest->getStartLoc(), "ldconst takes one register");
  const auto &Source = static_cast<IPUOperand &>(*Operands[2]);
  std::optional<int64_t> Value = Source.constant();
  if (!Value || (!isUInt<32>(*Value) && !isInt<32>(*Value)))
    return Error(Source.getStartLoc(), "a constant of 32 bits is needed here");
  uint32_t Bits = static_cast<uint32_t>(*Value);
  Out.emitInstruction(MCInstBuilder(IsMain ? IPU::SETZI_m : IPU::SETZI_a)
                          .addReg(Dest->getReg())
                          .addImm(Bits & 0xfffff),
                      getSTI());
  if (Bits >> 20)
    Out.emitInstruction(MCInstBuilder(IsMain ? IPU::OR_m_rh : IPU::OR_a_rh)
                            .addReg(Dest->getReg())
                            .addReg(Dest->getReg())
                            .addImm(static_cast<int32_t>(Bits & 0xfff00000)),
                        getSTI());
  return false;
}

bool IPUAsmParser::MatchAndEmitInstruction(SMLoc Loc, unsigned &Opcode,
                                           OperandVector &Operands,
                                           MCStreamer &Out, uint64_t &,
                                           bool MatchingInlineAsm) {
  StringRef Mnemonic = static_cast<IPUOperand &>(*Operands[0]).getToken();
  if (Mnemonic == "{")
    return false;
  if (Mnemonic == "}")
    return endBundle(Loc, Out);
  if (Bundle)
    return addToBundle(Loc, Mnemonic, Operands, MatchingInlineAsm);
  if (Mnemonic == "ldconst")
    return emitLdconst(Loc, Operands, Out);
  MCInst Inst;
  if (match(Loc, Operands, Inst, MatchingInlineAsm))
    return true;
  Opcode = Inst.getOpcode();
  if (!emitAligned(Inst, Out))
    Out.emitInstruction(Inst, getSTI());
  return false;
}

//===----------------------------------------------------------------------===//
// Directives
//===----------------------------------------------------------------------===//

/// Directives that emit nothing, so that they can stand in a bundle. Conditions
/// and macros do not come here.
static bool isSilent(StringRef Name) {
  return StringSwitch<bool>(Name)
      .Cases(".set", ".equ", ".equiv", ".error", ".warning", ".err", true)
      .Cases(".macro", ".endm", ".endmacro", ".purgem", ".exitm", true)
      .Cases(".rept", ".irp", ".irpc", ".endr", true)
      .Default(false);
}

// .half 1.0h, 3, symbol
bool IPUAsmParser::parseHalves() {
  return parseMany([&] {
    SmallVector<std::unique_ptr<MCParsedAsmOperand>, 1> Literal;
    ParseStatus Status = parseHalfLiteral(Literal);
    if (Status.isFailure())
      return true;
    const MCExpr *Expr;
    SMLoc Loc = getTok().getLoc();
    if (Status.isSuccess())
      Expr = static_cast<IPUOperand &>(*Literal[0]).getImm();
    else if (getParser().parseExpression(Expr))
      return true;
    getStreamer().emitValue(Expr, 2, Loc);
    return false;
  });
}

// .word 1, symbol + 4: as .int, for a word has four bytes here.
bool IPUAsmParser::parseWords() {
  return parseMany([&] {
    const MCExpr *Expr;
    SMLoc Loc = getTok().getLoc();
    if (getParser().parseExpression(Expr))
      return true;
    getStreamer().emitValue(Expr, 4, Loc);
    return false;
  });
}

ParseStatus IPUAsmParser::parseDirective(AsmToken DirectiveID) {
  StringRef Name = DirectiveID.getString();
  if (Bundle && !isSilent(Name)) {
    abandonStatement();
    return Error(DirectiveID.getLoc(),
                 "labels and directives cannot be in a bundle");
  }
  if (Name == ".worker" || Name == ".supervisor") {
    IsSupervisor = Name == ".supervisor";
    return parseEOL();
  }
  if (Name == ".half")
    return parseHalves();
  if (Name == ".word")
    return parseWords();
  if (Name == ".allow_invalid_repeat") {
    if (MCAssembler *Assembler = getStreamer().getAssemblerPtr())
      static_cast<IPUAsmBackend &>(Assembler->getBackend())
          .RptChecker.allowInvalid();
    return parseEOL();
  }
  if (Name == ".allow_optimizations") {
    OrdersBundles = true;
    return parseEOL();
  }
  // What this assembler always does.
  if (Name.starts_with(".error_on_invalid_"))
    return parseEOL();
  if (Name.starts_with(".warn_on_invalid_") ||
      Name.starts_with(".allow_invalid_")) {
    abandonStatement();
    return Error(DirectiveID.getLoc(),
                 Name + " is not supported; only .allow_invalid_repeat is");
  }
  return ParseStatus::NoMatch;
}

void llvm::initializeIPUAsmParser() {
  RegisterMCAsmParser<IPUAsmParser> X(getTheIPUTarget());
}
