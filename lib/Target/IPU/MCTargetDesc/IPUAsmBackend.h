// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The streamer's view of the assembler's backend: the streamer passes on the
// checks that are possible only after layout.

#ifndef POPULUS_LIB_TARGET_IPU_MCTARGETDESC_IPUASMBACKEND_H
#define POPULUS_LIB_TARGET_IPU_MCTARGETDESC_IPUASMBACKEND_H

#include "lib/Target/IPU/MCTargetDesc/IPURptChecker.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCSymbolELF.h"

namespace llvm {

class IPUAsmBackend : public MCAsmBackend {
public:
  IPUAsmBackend() : MCAsmBackend(endianness::little) {}

  IPURptChecker RptChecker;
  /// Symbols that a .size was given for.
  std::vector<MCSymbolELF *> SizedSymbols;
  /// Symbols that an expression was assigned to.
  std::vector<MCSymbol *> AssignedSymbols;
};

} // namespace llvm

#endif
