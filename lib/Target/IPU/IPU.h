// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes, as the pass configuration names them, and helpers of instruction
// selection that the parts of the code generator share.

#ifndef POPULUS_LIB_TARGET_IPU_IPU_H
#define POPULUS_LIB_TARGET_IPU_IPU_H

#include "lib/Target/IPU/MCTargetDesc/IPUMCTargetDesc.h"
#include "llvm/Support/CodeGen.h"

namespace llvm {

class FunctionPass;
class IPUTargetMachine;
class MachineSDNode;
class SDNode;
class SelectionDAG;

FunctionPass *createIPUISelDag(IPUTargetMachine &TM, CodeGenOptLevel OptLevel);
FunctionPass *createIPUAccumulators();
FunctionPass *createIPUAlignedLoops();
FunctionPass *createIPUScaledSums();
FunctionPass *createIPUDropAssumptions();
FunctionPass *createIPUHardwareLoops();
FunctionPass *createIPULoopVersioning();
FunctionPass *createIPUPlainFloat();
FunctionPass *createIPUStackAlignment();
FunctionPass *createIPUStrides();
FunctionPass *createIPUUndefinedTraps();
FunctionPass *createIPUUnsupported();
FunctionPass *createIPUBundler();
void registerIPUAsmPrinter();

/// The instruction of a builtin with a constant operand or an effect on the
/// auxiliary pipe; null if patterns select it.
MachineSDNode *selectIPUIntrinsic(SelectionDAG &DAG, SDNode *N);

} // namespace llvm

#endif
