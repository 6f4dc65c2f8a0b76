// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The assembler's parser: registers with their aliases, ranges and suffixes,
// half literals, control register names, bundles in braces, and the directives
// that say whether code is for a worker or the supervisor. Matching against the
// instruction table is generated.

#include "lib/Target/IPU/AsmParser/IPUOperand.h"
#include "lib/Target/IPU/MCTargetDesc/IPUBaseInfo.h"
#include "lib/Target/IPU/MCTargetDesc/IPUMCTargetDesc.h"
#include "lib/Target/IPU/TargetInfo/IPUTargetInfo.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstBuilder.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCParser/MCAsmLexer.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"

using namespace llvm;

#define DEBUG_TYPE "ipu-asm-parser"

namespace {

class IPUAsmParser : public MCTargetAsmParser {
  /// One half of a bundle.
  struct Half {
    SMLoc Loc;
    SmallVector<std::unique_ptr<MCParsedAsmOperand>, 8> Operands;
    MCInst Inst;
  };
  SmallVector<Half, 2> Halves;
  bool IsSupervisor;

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

private:
  // Operands.
  MCRegister rangeFrom(StringRef First, int64_t Last);
  void parseSuffix(OperandVector &Operands);
  bool parseOperand(StringRef Mnemonic, OperandVector &Operands);
  bool parseOperands(StringRef Mnemonic, OperandVector &Operands,
                     bool InBundle);
  ParseStatus parseHalfLiteral(OperandVector &Operands);
  std::optional<unsigned> findCsr(StringRef Mnemonic, StringRef Name, SMLoc Loc,
                                  bool &Failed);
  // Bundles.
  bool parseBundle(SMLoc Loc);
  void skipBundle();
  bool emitBundle(SMLoc Loc, MCStreamer &Out);
  bool checkBundle(SMLoc Loc);
  bool writesOverlap(const MCInst &A, const MCInst &B);
  // Matching.
  bool match(SMLoc Loc, OperandVector &Operands, MCInst &Inst,
             bool MatchingInlineAsm);
  bool emitLdconst(SMLoc Loc, OperandVector &Operands, MCStreamer &Out);
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
    if (!Index)
      return Error(Start, "unknown register $" + Name);
    Lex();
    Operands.push_back(IPUOperand::imm(
        MCConstantExpr::create(*Index, getContext()), Start, End));
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

bool IPUAsmParser::parseOperands(StringRef Mnemonic, OperandVector &Operands,
                                 bool InBundle) {
  auto AtEnd = [&] {
    return getTok().is(AsmToken::EndOfStatement) ||
           (InBundle && getTok().is(AsmToken::RCurly));
  };
  if (AtEnd())
    return false;
  do {
    if (parseOperand(Mnemonic, Operands))
      return true;
  } while (parseOptionalToken(AsmToken::Comma));
  if (!AtEnd())
    return Error(getTok().getLoc(), "unexpected text after the operands");
  return false;
}

bool IPUAsmParser::ParseInstruction(ParseInstructionInfo &, StringRef Name,
                                    SMLoc NameLoc, OperandVector &Operands) {
  Operands.push_back(IPUOperand::token(Name, NameLoc));
  if (Name == "{") {
    if (!parseBundle(NameLoc))
      return parseEOL();
    skipBundle();
    return true;
  }
  return parseOperands(Name, Operands, /*InBundle=*/false) || parseEOL();
}

//===----------------------------------------------------------------------===//
// Bundles
//===----------------------------------------------------------------------===//

// After an error: the rest of the bundle makes no sense alone. A bundle that is
// not closed must not hide the rest of the file.
void IPUAsmParser::skipBundle() {
  for (int Statements = 0; Statements < 4;) {
    if (getTok().is(AsmToken::RCurly) || getTok().is(AsmToken::Eof))
      return;
    Statements += getTok().is(AsmToken::EndOfStatement);
    Lex();
  }
}

// { main ; aux }, newlines count as semicolons.
bool IPUAsmParser::parseBundle(SMLoc Loc) {
  Halves.clear();
  while (true) {
    while (getTok().is(AsmToken::EndOfStatement))
      Lex();
    if (parseOptionalToken(AsmToken::RCurly))
      return false;
    if (getTok().is(AsmToken::Eof))
      return Error(Loc, "this bundle is not closed");
    if (getTok().isNot(AsmToken::Identifier))
      return Error(getTok().getLoc(), "an instruction is needed here");
    Half &H = Halves.emplace_back();
    H.Loc = getTok().getLoc();
    StringRef Name = getTok().getString();
    Lex();
    if (Name.starts_with(".") || getTok().is(AsmToken::Colon))
      return Error(H.Loc, "labels and directives cannot be in a bundle");
    H.Operands.push_back(IPUOperand::token(Name, H.Loc));
    if (parseOperands(Name, H.Operands, /*InBundle=*/true))
      return true;
  }
}

bool IPUAsmParser::writesOverlap(const MCInst &A, const MCInst &B) {
  const MCRegisterInfo &MRI = *getContext().getRegisterInfo();
  unsigned DefsOfA = MII.get(A.getOpcode()).getNumDefs();
  unsigned DefsOfB = MII.get(B.getOpcode()).getNumDefs();
  for (unsigned I = 0; I < DefsOfA; ++I)
    for (unsigned J = 0; J < DefsOfB; ++J)
      if (MRI.regsOverlap(A.getOperand(I).getReg(), B.getOperand(J).getReg()))
        return true;
  return false;
}

bool IPUAsmParser::checkBundle(SMLoc Loc) {
  if (Halves.size() != 2)
    return Error(Loc, Halves.size() < 2
                          ? "too few instructions in this bundle, two needed"
                          : "too many instructions in this bundle, two needed");
  for (bool IsAux : {false, true}) {
    const Half &H = Halves[IsAux];
    const MCInstrDesc &Desc = MII.get(H.Inst.getOpcode());
    if (IPUII::isAux(Desc) != IsAux)
      return Error(H.Loc, IsAux ? "the second instruction of a bundle must be "
                                  "of the auxiliary pipe"
                                : "the first instruction of a bundle must be "
                                  "of the main pipe");
    if (IPUII::noBundle(Desc))
      return Error(H.Loc, "this instruction cannot be in a bundle");
  }
  if (writesOverlap(Halves[0].Inst, Halves[1].Inst))
    return Error(Halves[1].Loc,
                 "both instructions of this bundle write the same register");
  return false;
}

bool IPUAsmParser::emitBundle(SMLoc Loc, MCStreamer &Out) {
  for (Half &H : Halves) {
    if (static_cast<IPUOperand &>(*H.Operands[0]).getToken() == "ldconst")
      return Error(H.Loc, "ldconst may be two instructions and cannot be in a "
                          "bundle; use setzi");
    if (match(H.Loc, H.Operands, H.Inst, /*MatchingInlineAsm=*/false))
      return true;
  }
  if (checkBundle(Loc))
    return true;
  MCInst Bundle;
  Bundle.setOpcode(IPU::BUNDLE);
  Bundle.setLoc(Loc);
  for (Half &H : Halves) {
    MCInst *Inst = getContext().createMCInst();
    *Inst = H.Inst;
    Bundle.addOperand(MCOperand::createInst(Inst));
  }
  Out.emitInstruction(Bundle, getSTI());
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

bool IPUAsmParser::match(SMLoc Loc, OperandVector &Operands, MCInst &Inst,
                         bool MatchingInlineAsm) {
  uint64_t ErrorInfo = ~0ULL;
  FeatureBitset Missing;
  unsigned Result = MatchInstructionImpl(Operands, Inst, ErrorInfo, Missing,
                                         MatchingInlineAsm);
  StringRef Mnemonic = static_cast<IPUOperand &>(*Operands[0]).getToken();
  switch (Result) {
  case Match_Success:
    break;
  case Match_MissingFeature:
    return Error(Loc, "this processor does not have " + Mnemonic);
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
    return emitBundle(Loc, Out);
  if (Mnemonic == "ldconst")
    return emitLdconst(Loc, Operands, Out);
  MCInst Inst;
  if (match(Loc, Operands, Inst, MatchingInlineAsm))
    return true;
  Opcode = Inst.getOpcode();
  Out.emitInstruction(Inst, getSTI());
  return false;
}

ParseStatus IPUAsmParser::parseDirective(AsmToken DirectiveID) {
  StringRef Name = DirectiveID.getString();
  if (Name == ".worker" || Name == ".supervisor") {
    IsSupervisor = Name == ".supervisor";
    return parseEOL();
  }
  return ParseStatus::NoMatch;
}

void llvm::initializeIPUAsmParser() {
  RegisterMCAsmParser<IPUAsmParser> X(getTheIPUTarget());
}
