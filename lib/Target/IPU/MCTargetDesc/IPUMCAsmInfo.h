// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The syntax of our assembly language.

#ifndef POPULUS_LIB_TARGET_IPU_MCTARGETDESC_IPUMCASMINFO_H
#define POPULUS_LIB_TARGET_IPU_MCTARGETDESC_IPUMCASMINFO_H

#include "llvm/MC/MCAsmInfoELF.h"

namespace llvm {

class IPUMCAsmInfo : public MCAsmInfoELF {
public:
  IPUMCAsmInfo() {
    IsLittleEndian = true;
    CodePointerSize = 4;
    CalleeSaveStackSlotSize = 4;
    CommentString = "#";
    SupportsDebugInformation = true;
    MinInstAlignment = 4;
    MaxInstLength = 8;
    AllowDollarAtStartOfIdentifier = true;
    DollarIsPC = false;
    Data16bitsDirective = "\t.short\t";
    Data32bitsDirective = "\t.long\t";
    Data64bitsDirective = "\t.quad\t";
    ExceptionsType = ExceptionHandling::None;
    UsesCFIWithoutEH = true; // for debuggers
    UsesELFSectionDirectiveForBSS = true;
  }
};

} // namespace llvm

#endif
