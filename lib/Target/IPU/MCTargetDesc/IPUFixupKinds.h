// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The immediates that a symbol may stand in, named after the relocations of
// runtime/Target/ElfIpu.h that they become.

#ifndef POPULUS_LIB_TARGET_IPU_MCTARGETDESC_IPUFIXUPKINDS_H
#define POPULUS_LIB_TARGET_IPU_MCTARGETDESC_IPUFIXUPKINDS_H

#include "llvm/MC/MCFixup.h"

namespace llvm::IPU {
enum Fixups : unsigned {
  fixup_ipu_imm20 = static_cast<unsigned>(FirstTargetFixupKind),
  fixup_ipu_branch19,
  fixup_ipu_call20,
  fixup_ipu_imm16,
  fixup_ipu_run16,
  fixup_ipu_imm8,
  fixup_ipu_end,
};
inline constexpr unsigned NumTargetFixupKinds = fixup_ipu_end - fixup_ipu_imm20;
} // namespace llvm::IPU

#endif
