// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies go through the pipe that owns the registers; from the auxiliary to the
// main file there is `atom`, and the other way only memory, which instruction
// selection arranges, so that such a copy never arises here. Conditional
// branches test one register against zero, and the four kinds come in opposite
// pairs.

#include "lib/Target/IPU/IPUInstrInfo.h"
#include "lib/Target/IPU/IPU.h"
#include "lib/Target/IPU/IPUSubtarget.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

#define DEBUG_TYPE "ipu-instr-info"
#define GET_INSTRINFO_CTOR_DTOR
#include "lib/Target/IPU/IPUGenInstrInfo.inc"

IPUInstrInfo::IPUInstrInfo(const IPUSubtarget &)
    : IPUGenInstrInfo(IPU::ADJCALLSTACKDOWN, IPU::ADJCALLSTACKUP) {}

namespace {
/// The forms of an access: with an immediate offset, with an immediate stride,
/// with a stride in a register; and the bytes that offset and stride count.
struct AccessForms {
  unsigned Offset, Step, Stride;
  unsigned Size;
};
} // namespace

static constexpr AccessForms Accesses[] = {
    {IPU::LDZ8_bdi, IPU::LDZ8STEP_i, IPU::LDZ8STEP_r, 1},
    {IPU::LDS8_bdi, IPU::LDS8STEP_i, IPU::LDS8STEP_r, 1},
    {IPU::LDZ16_bdi, IPU::LDZ16STEP_i, IPU::LDZ16STEP_r, 2},
    {IPU::LDS16_bdi, IPU::LDS16STEP_i, IPU::LDS16STEP_r, 2},
    {IPU::LDB16_bdi, IPU::LDB16STEP_i, IPU::LDB16STEP_r, 2},
    {IPU::LD32_m_bdi, IPU::LD32STEP_m_i, IPU::LD32STEP_m_r, 4},
    {IPU::LD32_a_bdi, IPU::LD32STEP_a_i, IPU::LD32STEP_a_r, 4},
    {IPU::ST32_m_bdi, IPU::ST32STEP_m_i, 0, 4},
    {IPU::ST32_a_bdi, IPU::ST32STEP_a_i, IPU::ST32STEP_a_r, 4},
    {IPU::LD64_bdi, IPU::LD64STEP_i, IPU::LD64STEP_r, 8},
    {IPU::ST64_bdi, IPU::ST64STEP_i, IPU::ST64STEP_r, 8},
    {IPU::LD128_bdi, IPU::LD128STEP_i, IPU::LD128STEP_r, 16},
    {IPU::LOAD_WORDS, 0, 0, 4},
    {IPU::STORE_WORDS, 0, 0, 4},
    {IPU::LOAD_QUAD, 0, 0, 8},
    {IPU::STORE_QUAD, 0, 0, 8},
};

/// The forms of an access with an immediate offset, or null.
static const AccessForms *formsOf(unsigned Opcode) {
  const auto *Forms = find_if(
      Accesses, [=](const AccessForms &F) { return F.Offset == Opcode; });
  return Forms == std::end(Accesses) ? nullptr : Forms;
}

unsigned IPUInstrInfo::memoryScale(unsigned Opcode) const {
  const AccessForms *Forms = formsOf(Opcode);
  return Forms ? Forms->Size : 0;
}

unsigned IPUInstrInfo::steppingForm(unsigned Opcode) const {
  const AccessForms *Forms = formsOf(Opcode);
  return Forms ? Forms->Step : 0;
}

unsigned IPUInstrInfo::stridingForm(unsigned Opcode) const {
  const AccessForms *Forms = formsOf(Opcode);
  return Forms ? Forms->Stride : 0;
}

// A load has the loaded register and the new pointer as results, a store the
// new pointer; then come the stored register, the base, the pointer, the
// stride.
std::optional<IPUPostIncrement>
IPUInstrInfo::postIncrement(const MachineInstr &MI) const {
  const auto *Form = find_if(Accesses, [&](const AccessForms &F) {
    return F.Step && F.Step == MI.getOpcode();
  });
  if (Form == std::end(Accesses))
    return std::nullopt;
  return IPUPostIncrement{MI.getOperand(2).getReg(), MI.getOperand(3).getReg(),
                          MI.getOperand(4).getImm() * int64_t(Form->Size),
                          Form->Size};
}

// There is one operand more than without a stride: builds the access anew.
void IPUInstrInfo::makeStepping(MachineInstr &MI, Register Pointer,
                                int64_t Step) const {
  unsigned Form = steppingForm(MI.getOpcode());
  // A store that steps has the pointer as its result, then what is stored.
  bool IsSteppingStore = !MI.mayLoad() && !Form;
  Register Data = MI.getOperand(IsSteppingStore ? 1 : 0).getReg();
  if (Form)
    MI.setDesc(get(Form));
  while (MI.getNumOperands())
    MI.removeOperand(MI.getNumOperands() - 1);
  MachineInstrBuilder MIB(*MI.getMF(), MI);
  if (MI.mayLoad())
    MIB.addDef(Data).addDef(Pointer);
  else
    MIB.addDef(Pointer).addReg(Data);
  MIB.addReg(IPU::M15).addReg(Pointer).addImm(Step);
  MI.tieOperands(MI.mayLoad() ? 1 : 0, 3);
}

void IPUInstrInfo::loadConstant(MachineBasicBlock &MBB,
                                MachineBasicBlock::iterator I,
                                const DebugLoc &DL, Register Dest,
                                int64_t Value) const {
  uint32_t Bits = static_cast<uint32_t>(Value);
  if (isInt<16>(static_cast<int32_t>(Bits)) && !isUInt<20>(Bits)) {
    BuildMI(MBB, I, DL, get(IPU::ADD_rs), Dest)
        .addReg(IPU::M15)
        .addImm(static_cast<int32_t>(Bits));
    return;
  }
  uint32_t Low = Bits & 0xfffff, High = Bits & 0xfff00000;
  if (!High || Low) {
    BuildMI(MBB, I, DL, get(IPU::SETZI_m), Dest).addImm(Low);
    if (!High)
      return;
  }
  BuildMI(MBB, I, DL, get(IPU::OR_m_rh), Dest)
      .addReg(Low ? Dest : Register(IPU::M15))
      .addImm(static_cast<int32_t>(High));
}

void IPUInstrInfo::copyPhysReg(MachineBasicBlock &MBB,
                               MachineBasicBlock::iterator I,
                               const DebugLoc &DL, MCRegister Dest,
                               MCRegister Src, bool KillSrc) const {
  if (IPU::MRRegClass.contains(Dest, Src)) {
    BuildMI(MBB, I, DL, get(IPU::OR_m_rz), Dest)
        .addReg(Src, getKillRegState(KillSrc))
        .addImm(0);
    return;
  }
  if (IPU::ARRegClass.contains(Dest, Src)) {
    BuildMI(MBB, I, DL, get(IPU::OR_a_rz), Dest)
        .addReg(Src, getKillRegState(KillSrc))
        .addImm(0);
    return;
  }
  if (IPU::MRRegClass.contains(Dest) && IPU::ARRegClass.contains(Src)) {
    BuildMI(MBB, I, DL, get(IPU::ATOM), Dest)
        .addReg(Src, getKillRegState(KillSrc));
    return;
  }
  if (IPU::ARPairRegClass.contains(Dest, Src)) {
    BuildMI(MBB, I, DL, get(IPU::OR64), Dest)
        .addReg(Src, getKillRegState(KillSrc))
        .addReg(IPU::A14_15);
    return;
  }
  if (IPU::ARQuadRegClass.contains(Dest, Src)) {
    for (unsigned Sub : {IPU::sub_pair_lo, IPU::sub_pair_hi})
      copyPhysReg(MBB, I, DL, RI.getSubReg(Dest, Sub), RI.getSubReg(Src, Sub),
                  KillSrc);
    return;
  }
  if (IPU::MRPairRegClass.contains(Dest, Src)) {
    for (unsigned Sub : {IPU::sub_lo, IPU::sub_hi})
      copyPhysReg(MBB, I, DL, RI.getSubReg(Dest, Sub), RI.getSubReg(Src, Sub),
                  KillSrc);
    return;
  }
  report_fatal_error("there is no instruction that copies " +
                     Twine(RI.getName(Src)) + " to " + RI.getName(Dest));
}

static MachineMemOperand *slotMemOperand(MachineFunction &MF, int FrameIndex,
                                         MachineMemOperand::Flags Flags) {
  MachineFrameInfo &MFI = MF.getFrameInfo();
  return MF.getMachineMemOperand(
      MachinePointerInfo::getFixedStack(MF, FrameIndex), Flags,
      MFI.getObjectSize(FrameIndex), MFI.getObjectAlign(FrameIndex));
}

void IPUInstrInfo::storeRegToStackSlot(
    MachineBasicBlock &MBB, MachineBasicBlock::iterator I, Register Src,
    bool IsKill, int FrameIndex, const TargetRegisterClass *RC,
    const TargetRegisterInfo *TRI, Register VReg) const {
  MachineFunction &MF = *MBB.getParent();
  DebugLoc DL = I != MBB.end() ? I->getDebugLoc() : DebugLoc();
  unsigned Opcode;
  if (IPU::MRRegClass.hasSubClassEq(RC))
    Opcode = IPU::ST32_m_bdi;
  else if (IPU::ARRegClass.hasSubClassEq(RC))
    Opcode = IPU::ST32_a_bdi;
  else if (IPU::ARPairRegClass.hasSubClassEq(RC))
    Opcode = IPU::ST64_bdi;
  else if (IPU::ARQuadRegClass.hasSubClassEq(RC))
    Opcode = IPU::STORE_QUAD;
  else if (IPU::MRPairRegClass.hasSubClassEq(RC))
    Opcode = IPU::STORE_WORDS;
  else
    report_fatal_error("cannot spill registers of class " +
                       Twine(TRI->getRegClassName(RC)));
  BuildMI(MBB, I, DL, get(Opcode))
      .addReg(Src, getKillRegState(IsKill))
      .addFrameIndex(FrameIndex)
      .addReg(IPU::M15)
      .addImm(0)
      .addMemOperand(
          slotMemOperand(MF, FrameIndex, MachineMemOperand::MOStore));
}

void IPUInstrInfo::loadRegFromStackSlot(MachineBasicBlock &MBB,
                                        MachineBasicBlock::iterator I,
                                        Register Dest, int FrameIndex,
                                        const TargetRegisterClass *RC,
                                        const TargetRegisterInfo *TRI,
                                        Register VReg) const {
  MachineFunction &MF = *MBB.getParent();
  DebugLoc DL = I != MBB.end() ? I->getDebugLoc() : DebugLoc();
  unsigned Opcode;
  if (IPU::MRRegClass.hasSubClassEq(RC))
    Opcode = IPU::LD32_m_bdi;
  else if (IPU::ARRegClass.hasSubClassEq(RC))
    Opcode = IPU::LD32_a_bdi;
  else if (IPU::ARPairRegClass.hasSubClassEq(RC))
    Opcode = IPU::LD64_bdi;
  else if (IPU::ARQuadRegClass.hasSubClassEq(RC))
    Opcode = IPU::LOAD_QUAD;
  else if (IPU::MRPairRegClass.hasSubClassEq(RC))
    Opcode = IPU::LOAD_WORDS;
  else
    report_fatal_error("cannot reload registers of class " +
                       Twine(TRI->getRegClassName(RC)));
  BuildMI(MBB, I, DL, get(Opcode), Dest)
      .addFrameIndex(FrameIndex)
      .addReg(IPU::M15)
      .addImm(0)
      .addMemOperand(slotMemOperand(MF, FrameIndex, MachineMemOperand::MOLoad));
}

namespace {
/// A register that goes to the stack or back in two accesses.
struct WideAccess {
  unsigned Pseudo, Half;
  unsigned Low, High; // subregisters
};
} // namespace

static constexpr WideAccess WideAccesses[] = {
    {IPU::LOAD_WORDS, IPU::LD32_m_bdi, IPU::sub_lo, IPU::sub_hi},
    {IPU::STORE_WORDS, IPU::ST32_m_bdi, IPU::sub_lo, IPU::sub_hi},
    {IPU::LOAD_QUAD, IPU::LD64_bdi, IPU::sub_pair_lo, IPU::sub_pair_hi},
    {IPU::STORE_QUAD, IPU::ST64_bdi, IPU::sub_pair_lo, IPU::sub_pair_hi},
};

bool IPUInstrInfo::expandPostRAPseudo(MachineInstr &MI) const {
  const auto *Wide = find_if(WideAccesses, [&](const WideAccess &A) {
    return A.Pseudo == MI.getOpcode();
  });
  if (Wide == std::end(WideAccesses))
    return false;
  const MachineOperand &Whole = MI.getOperand(0);
  for (int Half : {0, 1})
    BuildMI(*MI.getParent(), MI, MI.getDebugLoc(), get(Wide->Half))
        .addReg(RI.getSubReg(Whole.getReg(), Half ? Wide->High : Wide->Low),
                getDefRegState(Whole.isDef()) | getKillRegState(Whole.isKill()))
        .add(MI.getOperand(1))
        .add(MI.getOperand(2))
        .addImm(MI.getOperand(3).getImm() + Half)
        .cloneMemRefs(MI);
  MI.eraseFromParent();
  return true;
}

// Both kinds of access have the operands register, base, delta, offset.
static bool isWholeSlot(const MachineInstr &MI, int &FrameIndex) {
  if (!MI.getOperand(1).isFI() || MI.getOperand(2).getReg() != IPU::M15 ||
      MI.getOperand(3).getImm() != 0)
    return false;
  FrameIndex = MI.getOperand(1).getIndex();
  return true;
}

Register IPUInstrInfo::isLoadFromStackSlot(const MachineInstr &MI,
                                           int &FrameIndex) const {
  switch (MI.getOpcode()) {
  case IPU::LD32_m_bdi:
  case IPU::LD32_a_bdi:
  case IPU::LD64_bdi:
    return isWholeSlot(MI, FrameIndex) ? MI.getOperand(0).getReg() : Register();
  default:
    return Register();
  }
}

Register IPUInstrInfo::isStoreToStackSlot(const MachineInstr &MI,
                                          int &FrameIndex) const {
  switch (MI.getOpcode()) {
  case IPU::ST32_m_bdi:
  case IPU::ST32_a_bdi:
  case IPU::ST64_bdi:
    return isWholeSlot(MI, FrameIndex) ? MI.getOperand(0).getReg() : Register();
  default:
    return Register();
  }
}

//===----------------------------------------------------------------------===//
// Branches. A condition is {opcode, register}.
//===----------------------------------------------------------------------===//

static bool isConditional(unsigned Opcode) {
  return Opcode == IPU::BRZ || Opcode == IPU::BRNZ || Opcode == IPU::BRPOS ||
         Opcode == IPU::BRNEG;
}

static unsigned oppositeOf(unsigned Opcode) {
  switch (Opcode) {
  case IPU::BRZ:
    return IPU::BRNZ;
  case IPU::BRNZ:
    return IPU::BRZ;
  case IPU::BRPOS:
    return IPU::BRNEG;
  default:
    return IPU::BRPOS;
  }
}

bool IPUInstrInfo::analyzeBranch(MachineBasicBlock &MBB,
                                 MachineBasicBlock *&TBB,
                                 MachineBasicBlock *&FBB,
                                 SmallVectorImpl<MachineOperand> &Cond,
                                 bool AllowModify) const {
  TBB = FBB = nullptr;
  Cond.clear();
  for (MachineBasicBlock::iterator I = MBB.end(); I != MBB.begin();) {
    --I;
    if (I->isDebugInstr())
      continue;
    if (!isUnpredicatedTerminator(*I))
      break;
    if (I->getOpcode() == IPU::BRI) {
      // Code behind an unconditional branch is dead.
      if (AllowModify)
        MBB.erase(std::next(I), MBB.end());
      Cond.clear();
      FBB = nullptr;
      TBB = I->getOperand(0).getMBB();
      if (AllowModify && MBB.isLayoutSuccessor(TBB)) {
        I = MBB.erase(I);
        TBB = nullptr;
      }
      continue;
    }
    if (!isConditional(I->getOpcode()) || !Cond.empty())
      return true;
    FBB = TBB;
    TBB = I->getOperand(1).getMBB();
    Cond.push_back(MachineOperand::CreateImm(I->getOpcode()));
    Cond.push_back(I->getOperand(0));
  }
  return false;
}

unsigned IPUInstrInfo::insertBranch(MachineBasicBlock &MBB,
                                    MachineBasicBlock *TBB,
                                    MachineBasicBlock *FBB,
                                    ArrayRef<MachineOperand> Cond,
                                    const DebugLoc &DL, int *BytesAdded) const {
  unsigned Count = 0;
  if (!Cond.empty()) {
    BuildMI(&MBB, DL, get(Cond[0].getImm()))
        .addReg(Cond[1].getReg(), getKillRegState(Cond[1].isKill()))
        .addMBB(TBB);
    ++Count;
    TBB = FBB;
  }
  if (TBB) {
    BuildMI(&MBB, DL, get(IPU::BRI)).addMBB(TBB);
    ++Count;
  }
  if (BytesAdded)
    *BytesAdded = 4 * Count;
  return Count;
}

unsigned IPUInstrInfo::removeBranch(MachineBasicBlock &MBB,
                                    int *BytesRemoved) const {
  unsigned Count = 0;
  MachineBasicBlock::iterator I = MBB.getLastNonDebugInstr();
  while (I != MBB.end() &&
         (I->getOpcode() == IPU::BRI || isConditional(I->getOpcode()))) {
    I->eraseFromParent();
    ++Count;
    I = MBB.getLastNonDebugInstr();
  }
  if (BytesRemoved)
    *BytesRemoved = 4 * Count;
  return Count;
}

bool IPUInstrInfo::reverseBranchCondition(
    SmallVectorImpl<MachineOperand> &Cond) const {
  Cond[0].setImm(oppositeOf(Cond[0].getImm()));
  return false;
}

// Arguments and results are copied from and to their registers together: with
// another vector in between, the few pairs of the auxiliary file would not do.
bool IPUInstrInfo::isSchedulingBoundary(const MachineInstr &MI,
                                        const MachineBasicBlock *MBB,
                                        const MachineFunction &MF) const {
  // Inline assembly may use what has no name in it, such as the accumulators.
  if (TargetInstrInfo::isSchedulingBoundary(MI, MBB, MF) || MI.isInlineAsm())
    return true;
  return MI.isCopy() && any_of(MI.operands(), [&](const MachineOperand &MO) {
           return MO.isReg() && MO.getReg().isPhysical() &&
                  !MF.getRegInfo().isConstantPhysReg(MO.getReg());
         });
}

unsigned IPUInstrInfo::getInstSizeInBytes(const MachineInstr &MI) const {
  if (MI.isInlineAsm()) {
    const MachineFunction &MF = *MI.getMF();
    return getInlineAsmLength(MI.getOperand(0).getSymbolName(),
                              *MF.getTarget().getMCAsmInfo());
  }
  if (MI.isMetaInstruction())
    return 0;
  return MI.getDesc().getSize();
}

bool IPUInstrInfo::getMemOperandsWithOffsetWidth(
    const MachineInstr &MI, SmallVectorImpl<const MachineOperand *> &BaseOps,
    int64_t &Offset, bool &OffsetIsScalable, LocationSize &Width,
    const TargetRegisterInfo *) const {
  unsigned Scale = memoryScale(MI.getOpcode());
  if (!steppingForm(MI.getOpcode()) || MI.getOperand(2).getReg() != IPU::M15)
    return false;
  BaseOps.push_back(&MI.getOperand(1));
  Offset = MI.getOperand(3).getImm() * Scale;
  OffsetIsScalable = false;
  Width = LocationSize::precise(Scale);
  return true;
}
