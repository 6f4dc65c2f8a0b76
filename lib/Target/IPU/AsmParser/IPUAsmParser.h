// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The assembler's parser: registers with their aliases, ranges and suffixes,
// half literals, control register names (IPUAsmOperands.cpp), bundles in braces
// (IPUAsmBundles.cpp), matching and the directives that say whether code is for
// a worker or the supervisor (IPUAsmParser.cpp).

#ifndef POPULUS_LIB_TARGET_IPU_ASMPARSER_IPUASMPARSER_H
#define POPULUS_LIB_TARGET_IPU_ASMPARSER_IPUASMPARSER_H

#include "lib/Target/IPU/AsmParser/IPUOperand.h"
#include "lib/Target/IPU/MCTargetDesc/IPUMCTargetDesc.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"

#include <optional>

namespace llvm {

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
  /// True if the halves of a bundle may stand in any order.
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
  static MCRegister registerNamed(StringRef Name);
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

} // namespace llvm

#endif
