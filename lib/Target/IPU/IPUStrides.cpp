// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of a loop that move their pointer by a register. A pointer that one
// access uses, and that an addition then moves by what stays the same in the
// loop, needs no addition: the access moves it by a register with the stride in
// units of its size. For example, a column of a matrix is stored by
//
//     st32 $a0, $m3, $mzero, 0           st32step $a0, $mzero, $m3+=, $m7
//     add $m3, $m3, $m6              ->  (before the loop: shrs $m7, $m6, 2)
//
// The pass is ahead of register allocation, which then finds a register for
// the stride. No bits of it are lost: the accesses of any two iterations are
// aligned, and the pointer of a single one is not used again.

#include "lib/Target/IPU/IPU.h"
#include "lib/Target/IPU/IPUInstrInfo.h"
#include "lib/Target/IPU/IPUSubtarget.h"
#include "lib/Target/IPU/MCTargetDesc/IPUBaseInfo.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"

using namespace llvm;

namespace {

/// A pointer of a loop, the access that uses it, and the addition that moves
/// it.
struct Moved {
  MachineInstr *Phi, *Access, *Addition;
  Register Stride; // in bytes
};

class IPUStrides : public MachineFunctionPass {
public:
  static char ID;
  IPUStrides() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return "IPU strides"; }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.setPreservesCFG();
    AU.addRequired<MachineLoopInfoWrapperPass>();
    MachineFunctionPass::getAnalysisUsage(AU);
  }
  bool runOnMachineFunction(MachineFunction &MF) override;

private:
  std::optional<Moved> analyze(MachineInstr &Phi) const;
  bool change(MachineLoop &L);
  Register scaled(Register Stride, unsigned Shift,
                  MachineBasicBlock &Before) const;
  void rewrite(const Moved &M, Register Stride) const;

  const IPUInstrInfo *TII = nullptr;
  MachineRegisterInfo *MRI = nullptr;
};

} // namespace

char IPUStrides::ID = 0;

FunctionPass *llvm::createIPUStrides() { return new IPUStrides; }

std::optional<Moved> IPUStrides::analyze(MachineInstr &Phi) const {
  MachineBasicBlock *Block = Phi.getParent();
  Register Pointer = Phi.getOperand(0).getReg();
  Register Next =
      Phi.getOperand(Phi.getOperand(2).getMBB() == Block ? 1 : 3).getReg();
  MachineInstr *Addition = MRI->getUniqueVRegDef(Next);
  if (!Addition || Addition->getOpcode() != IPU::ADD_rr ||
      Addition->getParent() != Block || !MRI->hasOneNonDBGUse(Next))
    return std::nullopt;
  Register A = Addition->getOperand(1).getReg();
  Register B = Addition->getOperand(2).getReg();
  Register Stride = A == Pointer ? B : B == Pointer ? A : Register();
  if (!Stride || !Stride.isVirtual() ||
      MRI->getVRegDef(Stride)->getParent() == Block)
    return std::nullopt;
  MachineInstr *Access = nullptr;
  for (MachineInstr &User : MRI->use_nodbg_instructions(Pointer)) {
    if (&User == Addition)
      continue;
    if (Access || User.getParent() != Block)
      return std::nullopt;
    Access = &User;
  }
  if (!Access || !TII->stridingForm(Access->getOpcode()) ||
      !Access->getOperand(1).isReg() ||
      Access->getOperand(1).getReg() != Pointer ||
      Access->getOperand(2).getReg() != IPU::M15 ||
      !Access->getOperand(3).isImm() || Access->getOperand(3).getImm() != 0 ||
      Access->getOperand(0).getReg() == Pointer)
    return std::nullopt;
  return Moved{&Phi, Access, Addition, Stride};
}

/// A register with the stride in units, which is set before the loop.
Register IPUStrides::scaled(Register Stride, unsigned Shift,
                            MachineBasicBlock &Before) const {
  if (Shift == 0)
    return Stride;
  Register Result = MRI->createVirtualRegister(&IPU::MRRegClass);
  BuildMI(Before, Before.getFirstTerminator(), DebugLoc(),
          TII->get(IPU::SHRS_rz), Result)
      .addReg(Stride)
      .addImm(Shift);
  return Result;
}

void IPUStrides::rewrite(const Moved &M, Register Stride) const {
  MachineInstr &Old = *M.Access;
  const MachineOperand &Data = Old.getOperand(0);
  Register Next = M.Addition->getOperand(0).getReg();
  MachineInstrBuilder New =
      BuildMI(*Old.getParent(), Old, Old.getDebugLoc(),
              TII->get(TII->stridingForm(Old.getOpcode())));
  if (Data.isDef())
    New.add(Data).addDef(Next);
  else
    New.addDef(Next).add(Data);
  New.addReg(IPU::M15)
      .addReg(M.Phi->getOperand(0).getReg())
      .addReg(Stride)
      .cloneMemRefs(Old);
  MRI->clearKillFlags(Stride);
  Old.eraseFromParent();
  M.Addition->eraseFromParent();
}

bool IPUStrides::change(MachineLoop &L) {
  MachineBasicBlock *Before = L.getLoopPreheader();
  if (L.getNumBlocks() != 1 || !Before)
    return false;
  SmallVector<Moved, 4> All;
  for (MachineInstr &Phi : L.getHeader()->phis())
    if (std::optional<Moved> M = analyze(Phi))
      All.push_back(*M);
  DenseMap<std::pair<Register, unsigned>, Register> Strides;
  for (const Moved &M : All) {
    unsigned Shift = Log2_32(TII->memoryScale(M.Access->getOpcode()));
    Register &Own = Strides[{M.Stride, Shift}];
    if (!Own)
      Own = scaled(M.Stride, Shift, *Before);
    rewrite(M, Own);
  }
  return !All.empty();
}

bool IPUStrides::runOnMachineFunction(MachineFunction &MF) {
  if (skipFunction(MF.getFunction()) || MF.getFunction().hasOptSize())
    return false;
  TII = MF.getSubtarget<IPUSubtarget>().getInstrInfo();
  MRI = &MF.getRegInfo();
  bool Changed = false;
  auto &Loops = getAnalysis<MachineLoopInfoWrapperPass>().getLI();
  for (MachineLoop *L : Loops.getLoopsInPreorder())
    Changed |= change(*L);
  return Changed;
}
