// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matching of instructions with the generated table, and directives.

#include "lib/Target/IPU/AsmParser/IPUAsmParser.h"
#include "lib/Target/IPU/MCTargetDesc/IPUAsmBackend.h"
#include "lib/Target/IPU/MCTargetDesc/IPUBaseInfo.h"
#include "lib/Target/IPU/TargetInfo/IPUTargetInfo.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCAssembler.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstBuilder.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCParser/MCAsmLexer.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/TargetRegistry.h"

using namespace llvm;

#define DEBUG_TYPE "ipu-asm-parser"

#define GET_REGISTER_MATCHER
#define GET_MATCHER_IMPLEMENTATION
#define GET_MNEMONIC_SPELL_CHECKER
#include "lib/Target/IPU/IPUGenAsmMatcher.inc"

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

MCRegister IPUAsmParser::registerNamed(StringRef Name) {
  return MatchRegisterName(Name);
}

static SMLoc locationOf(const OperandVector &Operands, uint64_t Index,
                        SMLoc Default) {
  if (Index >= Operands.size())
    return Default;
  SMLoc Loc = Operands[Index]->getStartLoc();
  return Loc.isValid() ? Loc : Default;
}

// Accepts $azero as $mzero for a main register that is read.
unsigned IPUAsmParser::matchOperands(OperandVector &Operands, MCInst &Inst,
                                     uint64_t &ErrorInfo,
                                     bool MatchingInlineAsm) {
  bool Replaced = false;
  for (;;) {
    Inst.clear();
    FeatureBitset Missing;
    unsigned Result = MatchInstructionImpl(Operands, Inst, ErrorInfo, Missing,
                                           MatchingInlineAsm);
    // The first operand is the one that is written.
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
  // This assembler always reports these errors.
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
