// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints instructions as the assembler reads them, bundles as "{ main ; aux }".

#ifndef POPULUS_LIB_TARGET_IPU_MCTARGETDESC_IPUINSTPRINTER_H
#define POPULUS_LIB_TARGET_IPU_MCTARGETDESC_IPUINSTPRINTER_H

#include "llvm/MC/MCInstPrinter.h"

namespace llvm {

class IPUInstPrinter : public MCInstPrinter {
public:
  using MCInstPrinter::MCInstPrinter;

  void printInst(const MCInst *MI, uint64_t Address, StringRef Annot,
                 const MCSubtargetInfo &STI, raw_ostream &OS) override;
  void printRegName(raw_ostream &OS, MCRegister Reg) const override;

  // Generated from the instruction table.
  std::pair<const char *, uint64_t> getMnemonic(const MCInst *MI) override;
  void printInstruction(const MCInst *MI, uint64_t Address, raw_ostream &OS);
  bool printAliasInstr(const MCInst *MI, uint64_t Address, raw_ostream &OS);
  void printCustomAliasOperand(const MCInst *MI, uint64_t Address,
                               unsigned OpIdx, unsigned PrintMethodIdx,
                               raw_ostream &OS);
  static const char *getRegisterName(MCRegister Reg);

  // Called by the generated printer.
  void printOperand(const MCInst *MI, unsigned OpNo, raw_ostream &OS);
  void printHImm12(const MCInst *MI, unsigned OpNo, raw_ostream &OS);
  void printLowerCsr(const MCInst *MI, unsigned OpNo, raw_ostream &OS);
  void printUpperCsr(const MCInst *MI, unsigned OpNo, raw_ostream &OS);

private:
  void printOne(const MCInst *MI, uint64_t Address, raw_ostream &OS);
};

} // namespace llvm

#endif
