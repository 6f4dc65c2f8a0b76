// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One parsed operand: a register, an immediate or symbol, or a piece of syntax
// such as "+=" that the instruction table writes as a token. The generated
// matcher asks the predicates.

#ifndef POPULUS_LIB_TARGET_IPU_ASMPARSER_IPUOPERAND_H
#define POPULUS_LIB_TARGET_IPU_ASMPARSER_IPUOPERAND_H

#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCParser/MCParsedAsmOperand.h"
#include "llvm/MC/MCRegister.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <optional>

namespace llvm {

class IPUOperand : public MCParsedAsmOperand {
  enum class Kind { Token, Register, Immediate } K;
  SMLoc Start, End;
  StringRef Text;
  MCRegister Reg;
  const MCExpr *Imm = nullptr;

public:
  IPUOperand(Kind K, SMLoc Start, SMLoc End) : K(K), Start(Start), End(End) {}

  static std::unique_ptr<IPUOperand> token(StringRef Text, SMLoc Start) {
    auto Op = std::make_unique<IPUOperand>(Kind::Token, Start, Start);
    Op->Text = Text;
    return Op;
  }
  static std::unique_ptr<IPUOperand> reg(MCRegister Reg, SMLoc Start,
                                         SMLoc End) {
    auto Op = std::make_unique<IPUOperand>(Kind::Register, Start, End);
    Op->Reg = Reg;
    return Op;
  }
  static std::unique_ptr<IPUOperand> imm(const MCExpr *Imm, SMLoc Start,
                                         SMLoc End) {
    auto Op = std::make_unique<IPUOperand>(Kind::Immediate, Start, End);
    Op->Imm = Imm;
    return Op;
  }

  bool isToken() const override { return K == Kind::Token; }
  bool isReg() const override { return K == Kind::Register; }
  bool isImm() const override { return K == Kind::Immediate; }
  bool isMem() const override { return false; }
  SMLoc getStartLoc() const override { return Start; }
  SMLoc getEndLoc() const override { return End; }
  MCRegister getReg() const override { return Reg; }
  StringRef getToken() const { return Text; }
  const MCExpr *getImm() const { return Imm; }
  void print(raw_ostream &OS) const override {
    if (isToken())
      OS << Text;
    else if (isReg())
      OS << "register " << Reg.id();
    else
      OS << *Imm;
  }

  /// The value, if it is known while parsing.
  std::optional<int64_t> constant() const {
    int64_t Value;
    if (isImm() && Imm->evaluateAsAbsolute(Value))
      return Value;
    return std::nullopt;
  }
  /// An expression that a fixup can fill in later.
  bool isSymbolic() const { return isImm() && !constant(); }

  template <unsigned N> bool isUnsigned() const {
    std::optional<int64_t> V = constant();
    return V && *V >= 0 && isUInt<N>(*V);
  }
  template <unsigned N> bool isSigned() const {
    std::optional<int64_t> V = constant();
    return V && isInt<N>(*V);
  }

  bool isZImm2() const { return isUnsigned<2>(); }
  bool isZImm3() const { return isUnsigned<3>(); }
  bool isZImm4() const { return isUnsigned<4>(); }
  bool isZImm5() const { return isUnsigned<5>(); }
  bool isZImm6() const { return isUnsigned<6>(); }
  bool isZImm8() const { return isUnsigned<8>() || isSymbolic(); }
  bool isZImm12() const { return isUnsigned<12>(); }
  bool isZImm16() const { return isUnsigned<16>() || isSymbolic(); }
  bool isZImm20() const { return isUnsigned<20>() || isSymbolic(); }
  bool isTarget19() const { return isUnsigned<19>() || isSymbolic(); }
  bool isTarget20() const { return isUnsigned<20>() || isSymbolic(); }
  bool isCsr() const { return isUnsigned<8>(); }
  bool isSImm8() const { return isSigned<8>(); }
  bool isSImm16() const { return isSigned<16>(); }
  bool isZImm16High() const { return isZImm16() && !isSImm16(); }
  bool isNegSImm16() const {
    std::optional<int64_t> V = constant();
    return V && isInt<16>(-*V);
  }
  /// Any 32-bit value with twelve significant bits at the top.
  bool isHImm12() const {
    std::optional<int64_t> V = constant();
    return V && *V != 0 && (*V & 0xfffff) == 0 &&
           (isInt<32>(*V) || isUInt<32>(*V));
  }

  void addRegOperands(MCInst &Inst, unsigned) const {
    Inst.addOperand(MCOperand::createReg(Reg));
  }
  void addImmOperands(MCInst &Inst, unsigned) const {
    if (std::optional<int64_t> V = constant())
      Inst.addOperand(MCOperand::createImm(*V));
    else
      Inst.addOperand(MCOperand::createExpr(Imm));
  }
  void addNegatedImmOperands(MCInst &Inst, unsigned) const {
    Inst.addOperand(MCOperand::createImm(-*constant()));
  }
};

} // namespace llvm

#endif
