// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of assembly: registers by name, alias and range, half literals,
// names of control registers, immediates with suffixes and selectors.

#include "lib/Target/IPU/AsmParser/IPUAsmParser.h"
#include "lib/Target/IPU/MCTargetDesc/IPUBaseInfo.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCParser/MCAsmLexer.h"
#include "llvm/MC/MCRegisterInfo.h"

using namespace llvm;

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
  return registerNamed((First + ":" + Twine(Last)).str());
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
  Reg = registerNamed(Name);
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

// Parses a suffix that may directly follow a register: += ++ @ >> :B :BL :BU
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

/// Returns whether an operand is an address of code, which may be spelled
/// `$symbol`.
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
  // The rest of the line is the next statement.
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
