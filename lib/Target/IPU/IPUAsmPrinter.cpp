// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From machine instructions to MC instructions: pseudos that become one or two
// real instructions, operands, bundles; and the operands of inline assembly.

#include "lib/Target/IPU/IPU.h"
#include "lib/Target/IPU/IPUCallTargets.h"
#include "lib/Target/IPU/IPUSubtarget.h"
#include "lib/Target/IPU/IPUTargetMachine.h"
#include "lib/Target/IPU/MCTargetDesc/IPUInstPrinter.h"
#include "lib/Target/IPU/TargetInfo/IPUTargetInfo.h"
#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCInstBuilder.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSymbol.h"
#include "llvm/MC/TargetRegistry.h"

using namespace llvm;

namespace {

class IPUAsmPrinter : public AsmPrinter {
public:
  IPUAsmPrinter(TargetMachine &TM, std::unique_ptr<MCStreamer> Streamer)
      : AsmPrinter(TM, std::move(Streamer)) {}

  StringRef getPassName() const override { return "IPU assembly printer"; }

  void emitFunctionBodyStart() override { emitMode(".supervisor"); }
  void emitFunctionBodyEnd() override {
    emitMode(".worker");
    emitCallTargets(*this, *MF);
  }
  void emitInstruction(const MachineInstr *MI) override;
  bool PrintAsmOperand(const MachineInstr *MI, unsigned OpNo,
                       const char *ExtraCode, raw_ostream &OS) override;
  bool PrintAsmMemoryOperand(const MachineInstr *MI, unsigned OpNo,
                             const char *ExtraCode, raw_ostream &OS) override;

private:
  /// Tells the assembler about functions that are not for workers.
  void emitMode(StringRef Directive) {
    if (MF->getSubtarget<IPUSubtarget>().isSupervisor() &&
        OutStreamer->hasRawTextSupport())
      OutStreamer->emitRawText("\t" + Directive);
  }

  std::optional<MCOperand> lowerOperand(const MachineOperand &MO);
  MCOperand symbolOperand(const MachineOperand &MO, MCSymbol *Symbol);
  void lowerInstruction(const MachineInstr &MI, MCInst &Inst);
  void emitBundle(const MachineInstr &MI);
  void emitIndirectCall(const MachineInstr &MI);
};

} // namespace

MCOperand IPUAsmPrinter::symbolOperand(const MachineOperand &MO,
                                       MCSymbol *Symbol) {
  const MCExpr *Expr = MCSymbolRefExpr::create(Symbol, OutContext);
  if (!MO.isMBB() && !MO.isJTI() && MO.getOffset())
    Expr = MCBinaryExpr::createAdd(
        Expr, MCConstantExpr::create(MO.getOffset(), OutContext), OutContext);
  return MCOperand::createExpr(Expr);
}

std::optional<MCOperand> IPUAsmPrinter::lowerOperand(const MachineOperand &MO) {
  switch (MO.getType()) {
  case MachineOperand::MO_Register:
    if (MO.isImplicit())
      return std::nullopt;
    return MCOperand::createReg(MO.getReg());
  case MachineOperand::MO_Immediate:
    return MCOperand::createImm(MO.getImm());
  case MachineOperand::MO_MachineBasicBlock:
    return symbolOperand(MO, MO.getMBB()->getSymbol());
  case MachineOperand::MO_GlobalAddress:
    return symbolOperand(MO, getSymbol(MO.getGlobal()));
  case MachineOperand::MO_ExternalSymbol:
    return symbolOperand(MO, GetExternalSymbolSymbol(MO.getSymbolName()));
  case MachineOperand::MO_JumpTableIndex:
    return symbolOperand(MO, GetJTISymbol(MO.getIndex()));
  case MachineOperand::MO_ConstantPoolIndex:
    return symbolOperand(MO, GetCPISymbol(MO.getIndex()));
  case MachineOperand::MO_BlockAddress:
    return symbolOperand(MO, GetBlockAddressSymbol(MO.getBlockAddress()));
  case MachineOperand::MO_RegisterMask:
    return std::nullopt;
  default:
    report_fatal_error("operand that has no machine code form");
  }
}

void IPUAsmPrinter::lowerInstruction(const MachineInstr &MI, MCInst &Inst) {
  switch (MI.getOpcode()) {
  case IPU::RET:
    Inst = MCInstBuilder(IPU::BR).addReg(IPU::M10);
    return;
  case IPU::CALL_direct:
    Inst = MCInstBuilder(IPU::CALL).addReg(IPU::M10).addOperand(
        *lowerOperand(MI.getOperand(0)));
    return;
  default:
    Inst.setOpcode(MI.getOpcode());
    for (const MachineOperand &MO : MI.operands())
      if (std::optional<MCOperand> Op = lowerOperand(MO))
        Inst.addOperand(*Op);
  }
}

// There is no call through a register: the return address is the label behind
// the branch.
void IPUAsmPrinter::emitIndirectCall(const MachineInstr &MI) {
  MCSymbol *Next = OutContext.createTempSymbol("ret", true);
  EmitToStreamer(*OutStreamer,
                 MCInstBuilder(IPU::SETZI_m)
                     .addReg(IPU::M10)
                     .addExpr(MCSymbolRefExpr::create(Next, OutContext)));
  EmitToStreamer(*OutStreamer,
                 MCInstBuilder(IPU::BR).addReg(MI.getOperand(0).getReg()));
  OutStreamer->emitLabel(Next);
}

void IPUAsmPrinter::emitBundle(const MachineInstr &MI) {
  MCInst Bundle;
  Bundle.setOpcode(IPU::BUNDLE);
  MachineBasicBlock::const_instr_iterator I = std::next(MI.getIterator());
  for (; I != MI.getParent()->instr_end() && I->isBundledWithPred(); ++I) {
    if (I->isMetaInstruction())
      continue;
    MCInst *Half = OutContext.createMCInst();
    lowerInstruction(*I, *Half);
    Bundle.addOperand(MCOperand::createInst(Half));
  }
  EmitToStreamer(*OutStreamer, Bundle);
}

void IPUAsmPrinter::emitInstruction(const MachineInstr *MI) {
  if (MI->isBundle())
    return emitBundle(*MI);
  if (MI->getOpcode() == IPU::CALL_indirect)
    return emitIndirectCall(*MI);
  MCInst Inst;
  lowerInstruction(*MI, Inst);
  EmitToStreamer(*OutStreamer, Inst);
}

bool IPUAsmPrinter::PrintAsmOperand(const MachineInstr *MI, unsigned OpNo,
                                    const char *ExtraCode, raw_ostream &OS) {
  if (ExtraCode && ExtraCode[0])
    return AsmPrinter::PrintAsmOperand(MI, OpNo, ExtraCode, OS);
  const MachineOperand &MO = MI->getOperand(OpNo);
  switch (MO.getType()) {
  case MachineOperand::MO_Register:
    OS << IPUInstPrinter::getRegisterName(MO.getReg());
    return false;
  case MachineOperand::MO_Immediate:
    OS << MO.getImm();
    return false;
  case MachineOperand::MO_GlobalAddress:
    PrintSymbolOperand(MO, OS);
    return false;
  case MachineOperand::MO_BlockAddress:
    GetBlockAddressSymbol(MO.getBlockAddress())->print(OS, MAI);
    return false;
  default:
    return true;
  }
}

bool IPUAsmPrinter::PrintAsmMemoryOperand(const MachineInstr *MI, unsigned OpNo,
                                          const char *ExtraCode,
                                          raw_ostream &OS) {
  if (ExtraCode && ExtraCode[0])
    return true;
  OS << IPUInstPrinter::getRegisterName(MI->getOperand(OpNo).getReg()) << ", "
     << IPUInstPrinter::getRegisterName(MI->getOperand(OpNo + 1).getReg())
     << ", " << MI->getOperand(OpNo + 2).getImm();
  return false;
}

void llvm::registerIPUAsmPrinter() {
  RegisterAsmPrinter<IPUAsmPrinter> X(getTheIPUTarget());
}
