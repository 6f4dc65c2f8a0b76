// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration of the target. LLVM has no name for our architecture, so the
// target answers to the triple's unknown one; "ipu" in the triple says whose it
// is.

#include "lib/Target/IPU/TargetInfo/IPUTargetInfo.h"
#include "lib/Target/IPU/TargetInfo/IPUTarget.h"
#include "llvm/MC/TargetRegistry.h"
#include <mutex>

using namespace llvm;

const char *const populus::ipu::Triple = "ipu-unknown-unknown-elf";
const char *const populus::ipu::DataLayout =
    "e-m:e-p:32:32-i64:64-f64:64-v32:32-v64:64-n32-S64";

Target &llvm::getTheIPUTarget() {
  static Target TheTarget;
  return TheTarget;
}

static bool isOurs(Triple::ArchType Arch) {
  return Arch == Triple::UnknownArch;
}

void populus::ipu::registerTarget() {
  static std::once_flag Once;
  std::call_once(Once, [] {
    TargetRegistry::RegisterTarget(getTheIPUTarget(), "ipu",
                                   "Intelligence processing unit", "IPU",
                                   isOurs);
    initializeIPUMC();
    initializeIPUAsmParser();
    initializeIPUDisassembler();
    initializeIPUCodeGen();
  });
}
