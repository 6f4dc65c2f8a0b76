// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The printer. Operands print themselves by the methods that the instruction
// table names; a bundle prints its two halves between braces.

#include "lib/Target/IPU/MCTargetDesc/IPUInstPrinter.h"
#include "lib/Target/IPU/MCTargetDesc/IPUBaseInfo.h"
#include "lib/Target/IPU/MCTargetDesc/IPUMCTargetDesc.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCRegister.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

#define DEBUG_TYPE "ipu-printer"
#define PRINT_ALIAS_INSTR
#include "lib/Target/IPU/IPUGenAsmWriter.inc"

void IPUInstPrinter::printRegName(raw_ostream &OS, MCRegister Reg) const {
  OS << getRegisterName(Reg);
}

void IPUInstPrinter::printOne(const MCInst *MI, uint64_t Address,
                              raw_ostream &OS) {
  if (!PrintAliases || !printAliasInstr(MI, Address, OS))
    printInstruction(MI, Address, OS);
}

void IPUInstPrinter::printInst(const MCInst *MI, uint64_t Address,
                               StringRef Annot, const MCSubtargetInfo &STI,
                               raw_ostream &OS) {
  if (MI->getOpcode() == IPU::BUNDLE) {
    OS << "\t{";
    printOne(MI->getOperand(0).getInst(), Address, OS);
    OS << " ;";
    printOne(MI->getOperand(1).getInst(), Address + 4, OS);
    OS << " }";
  } else {
    printOne(MI, Address, OS);
  }
  printAnnotation(OS, Annot);
}

void IPUInstPrinter::printOperand(const MCInst *MI, unsigned OpNo,
                                  raw_ostream &OS) {
  const MCOperand &Op = MI->getOperand(OpNo);
  if (Op.isReg())
    printRegName(OS, Op.getReg());
  else if (Op.isImm())
    OS << formatImm(Op.getImm());
  else
    Op.getExpr()->print(OS, &MAI);
}

void IPUInstPrinter::printHImm12(const MCInst *MI, unsigned OpNo,
                                 raw_ostream &OS) {
  const MCOperand &Op = MI->getOperand(OpNo);
  if (Op.isImm())
    OS << formatHex(static_cast<uint64_t>(static_cast<uint32_t>(Op.getImm())));
  else
    printOperand(MI, OpNo, OS);
}

// A worker's and the supervisor's lower registers have the same numbers, and an
// instruction does not say whose it is: print the number.
void IPUInstPrinter::printLowerCsr(const MCInst *MI, unsigned OpNo,
                                   raw_ostream &OS) {
  printOperand(MI, OpNo, OS);
}

void IPUInstPrinter::printUpperCsr(const MCInst *MI, unsigned OpNo,
                                   raw_ostream &OS) {
  const MCOperand &Op = MI->getOperand(OpNo);
  StringRef Name = Op.isImm() ? IPUCsr::name(IPUCsr::Space::Upper, Op.getImm())
                              : StringRef();
  if (Name.empty())
    printOperand(MI, OpNo, OS);
  else
    OS << '$' << Name;
}
