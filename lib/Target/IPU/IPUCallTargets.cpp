// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine instructions have lost the type that is called, so it is taken
// from the IR of the function.

#include "lib/Target/IPU/IPUCallTargets.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCSectionELF.h"
#include "llvm/MC/MCStreamer.h"

using namespace llvm;

/// In the order of the code, so that the output is always the same.
static SetVector<FunctionType *> indirectlyCalled(const Function &F) {
  SetVector<FunctionType *> Types;
  for (const Instruction &I : instructions(F))
    if (const auto *Call = dyn_cast<CallBase>(&I);
        Call && Call->isIndirectCall())
      Types.insert(Call->getFunctionType());
  return Types;
}

void llvm::emitCallTargets(AsmPrinter &Printer, const MachineFunction &MF) {
  const Function &Caller = MF.getFunction();
  const SetVector<FunctionType *> Types = indirectlyCalled(Caller);
  if (Types.empty())
    return;
  MCStreamer &Out = *Printer.OutStreamer;
  Out.pushSection();
  Out.switchSection(
      Printer.OutContext.getELFSection(".call_targets", ELF::SHT_PROGBITS, 0));
  for (const Function &Target : *Caller.getParent()) {
    if (!Types.contains(Target.getFunctionType()) || !Target.hasAddressTaken())
      continue;
    Out.emitSymbolValue(Printer.getSymbol(&Caller), 4);
    Out.emitSymbolValue(Printer.getSymbol(&Target), 4);
  }
  Out.popSection();
}
