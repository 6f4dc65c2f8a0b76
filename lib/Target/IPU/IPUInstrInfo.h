// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers the questions of passes about instructions: copies, spills, branches,
// sizes.

#ifndef POPULUS_LIB_TARGET_IPU_IPUINSTRINFO_H
#define POPULUS_LIB_TARGET_IPU_IPUINSTRINFO_H

#include "lib/Target/IPU/IPURegisterInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"

#define GET_INSTRINFO_HEADER
#include "lib/Target/IPU/IPUGenInstrInfo.inc"

namespace llvm {

class IPUSubtarget;

/// The operands of an access that moves its pointer by a constant.
struct IPUPostIncrement {
  Register Base, Pointer;
  /// The step of each iteration, in bytes, like the size of the access.
  int64_t Bytes;
  unsigned Size;
};

class IPUInstrInfo : public IPUGenInstrInfo {
  const IPURegisterInfo RI;

public:
  explicit IPUInstrInfo(const IPUSubtarget &ST);

  const IPURegisterInfo &getRegisterInfo() const { return RI; }

  /// The unit of an access's immediate offset, or 0 for other instructions.
  unsigned memoryScale(unsigned Opcode) const;

  /// Returns the pointer update of a load or store with an immediate stride.
  std::optional<IPUPostIncrement> postIncrement(const MachineInstr &MI) const;

  /// The form with an immediate stride of a load or store with an immediate
  /// offset, or 0.
  unsigned steppingForm(unsigned Opcode) const;

  /// The form with a stride in a register, or 0.
  unsigned stridingForm(unsigned Opcode) const;

  /// Makes a load or store with an immediate offset or stride, without a delta,
  /// one that moves its pointer by so many times its size.
  void makeStepping(MachineInstr &MI, Register Pointer, int64_t Step) const;

  /// Puts any 32-bit constant into a register of the main file.
  void loadConstant(MachineBasicBlock &MBB, MachineBasicBlock::iterator I,
                    const DebugLoc &DL, Register Dest, int64_t Value) const;

  void copyPhysReg(MachineBasicBlock &MBB, MachineBasicBlock::iterator I,
                   const DebugLoc &DL, MCRegister Dest, MCRegister Src,
                   bool KillSrc) const override;
  void storeRegToStackSlot(MachineBasicBlock &MBB,
                           MachineBasicBlock::iterator I, Register Src,
                           bool IsKill, int FrameIndex,
                           const TargetRegisterClass *RC,
                           const TargetRegisterInfo *TRI,
                           Register VReg) const override;
  void loadRegFromStackSlot(MachineBasicBlock &MBB,
                            MachineBasicBlock::iterator I, Register Dest,
                            int FrameIndex, const TargetRegisterClass *RC,
                            const TargetRegisterInfo *TRI,
                            Register VReg) const override;
  bool expandPostRAPseudo(MachineInstr &MI) const override;
  Register isLoadFromStackSlot(const MachineInstr &MI,
                               int &FrameIndex) const override;
  Register isStoreToStackSlot(const MachineInstr &MI,
                              int &FrameIndex) const override;

  bool analyzeBranch(MachineBasicBlock &MBB, MachineBasicBlock *&TBB,
                     MachineBasicBlock *&FBB,
                     SmallVectorImpl<MachineOperand> &Cond,
                     bool AllowModify) const override;
  unsigned insertBranch(MachineBasicBlock &MBB, MachineBasicBlock *TBB,
                        MachineBasicBlock *FBB, ArrayRef<MachineOperand> Cond,
                        const DebugLoc &DL, int *BytesAdded) const override;
  unsigned removeBranch(MachineBasicBlock &MBB,
                        int *BytesRemoved) const override;
  bool
  reverseBranchCondition(SmallVectorImpl<MachineOperand> &Cond) const override;

  bool isSchedulingBoundary(const MachineInstr &MI,
                            const MachineBasicBlock *MBB,
                            const MachineFunction &MF) const override;
  unsigned getInstSizeInBytes(const MachineInstr &MI) const override;
  bool getMemOperandsWithOffsetWidth(
      const MachineInstr &MI, SmallVectorImpl<const MachineOperand *> &BaseOps,
      int64_t &Offset, bool &OffsetIsScalable, LocationSize &Width,
      const TargetRegisterInfo *TRI) const override;
};

} // namespace llvm

#endif
