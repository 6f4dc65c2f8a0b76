// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records what a call through a pointer may call, for the tile linker, which
// adds up stack frames along calls: section ".call_targets" holds pairs of
// addresses, caller and target. The targets are the functions of the module of
// the called type whose address is taken.

#ifndef POPULUS_LIB_TARGET_IPU_IPUCALLTARGETS_H
#define POPULUS_LIB_TARGET_IPU_IPUCALLTARGETS_H

namespace llvm {

class AsmPrinter;
class MachineFunction;

void emitCallTargets(AsmPrinter &Printer, const MachineFunction &MF);

} // namespace llvm

#endif
