// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of the code generator, as its pass configuration names them.

#ifndef POPULUS_LIB_TARGET_IPU_IPU_H
#define POPULUS_LIB_TARGET_IPU_IPU_H

#include "lib/Target/IPU/MCTargetDesc/IPUMCTargetDesc.h"
#include "llvm/Support/CodeGen.h"

namespace llvm {

class FunctionPass;
class IPUTargetMachine;

FunctionPass *createIPUISelDag(IPUTargetMachine &TM, CodeGenOptLevel OptLevel);
FunctionPass *createIPUDropAssumptions();
FunctionPass *createIPUHardwareLoops();
FunctionPass *createIPULoopVersioning();
FunctionPass *createIPUBundler();
void registerIPUAsmPrinter();

} // namespace llvm

#endif
