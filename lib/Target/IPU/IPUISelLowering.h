// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers LLVM's operations to those of the IPU: the types that live in
// registers, the legal operations, the expansions, and the calling convention.

#ifndef POPULUS_LIB_TARGET_IPU_IPUISELLOWERING_H
#define POPULUS_LIB_TARGET_IPU_IPUISELLOWERING_H

#include "llvm/CodeGen/TargetLowering.h"

namespace llvm {

class IPUSubtarget;

namespace IPUISD {
enum NodeType : unsigned {
  FIRST_NUMBER = ISD::BUILTIN_OP_END,
  WRAPPER, // the address of a symbol
  CALL,
  RET,
  EXITZ, // the end of a worker's entry point
  EXITNZ,
  BRZ, // branches on one register
  BRNZ,
  BRPOS,
  BRNEG,
  F32FROMI32, // conversions inside the auxiliary file
  F32FROMUI32,
  F32TOI32,
  F32TOUI32,
  F16BITS, // half to the lower half of an integer
  ASF16,   // a float register read as half
  FCMPEQ,  // comparisons that give a mask in the type of their operands
  FCMPNE,
  FCMPLT,
  FCMPLE,
  FCMPGT,
  FCMPGE,
  FAND, // logic on the bits of floats
  FANDC,
  FOR,
  FNOT,
  FSEL,       // (mask, value where it is set, value where it is clear)
  SPLAT,      // a scalar in all lanes
  SORTLO,     // of (a0, a1), (b0, b1): (a0, b0)
  SORTHI,     // (a1, b1)
  ROLL,       // (a1, b0)
  BLEND,      // (a0, b1)
  PACKBYTES,  // of bytes a0.., b0..: (a0, b0, a1, b1)
  PACKHALVES, // the lower halves of two words
  // Memory nodes.
  MERGE = ISD::FIRST_TARGET_MEMORY_OPCODE, // store under a mask
  MERGELO, // store a half, the lower one of a word
};
} // namespace IPUISD

class IPUTargetLowering : public TargetLowering {
  const IPUSubtarget &ST;

public:
  IPUTargetLowering(const TargetMachine &TM, const IPUSubtarget &ST);

  const char *getTargetNodeName(unsigned Opcode) const override;
  EVT getSetCCResultType(const DataLayout &, LLVMContext &,
                         EVT VT) const override;
  SDValue LowerOperation(SDValue Op, SelectionDAG &DAG) const override;
  void ReplaceNodeResults(SDNode *N, SmallVectorImpl<SDValue> &Results,
                          SelectionDAG &DAG) const override;
  SDValue PerformDAGCombine(SDNode *N, DAGCombinerInfo &DCI) const override;
  MachineBasicBlock *
  EmitInstrWithCustomInserter(MachineInstr &MI,
                              MachineBasicBlock *MBB) const override;

  bool getPostIndexedAddressParts(SDNode *N, SDNode *Op, SDValue &Base,
                                  SDValue &Offset, ISD::MemIndexedMode &Mode,
                                  SelectionDAG &DAG) const override;

  bool isFPImmLegal(const APFloat &, EVT VT, bool) const override {
    return VT.getScalarType() == MVT::f32 || VT.getScalarType() == MVT::f16;
  }
  bool isLegalICmpImmediate(int64_t Imm) const override {
    return isInt<16>(Imm);
  }
  bool isLegalAddImmediate(int64_t Imm) const override {
    return isInt<16>(Imm);
  }
  bool isLegalAddressingMode(const DataLayout &DL, const AddrMode &AM, Type *Ty,
                             unsigned AS, Instruction *I) const override;
  bool isOffsetFoldingLegal(const GlobalAddressSDNode *) const override {
    return true;
  }
  bool isTruncateFree(Type *From, Type *To) const override {
    return From->isIntegerTy() && To->isIntegerTy();
  }
  bool isCheapToSpeculateCtlz(Type *) const override { return true; }
  bool isCheapToSpeculateCttz(Type *) const override { return true; }
  bool isFNegFree(EVT) const override { return false; }
  bool isShuffleMaskLegal(ArrayRef<int> Mask, EVT VT) const override;
  bool softPromoteHalfType() const override;
  bool shouldSinkOperands(Instruction *I,
                          SmallVectorImpl<Use *> &Ops) const override;
  bool allowsMemoryAccess(LLVMContext &Context, const DataLayout &DL, EVT VT,
                          unsigned AddrSpace, Align Alignment,
                          MachineMemOperand::Flags Flags,
                          unsigned *Fast) const override;
  EVT getOptimalMemOpType(const MemOp &Op,
                          const AttributeList &) const override;

  // A context runs alone between its instructions, and no other one writes the
  // words it owns: plain accesses are atomic.
  AtomicExpansionKind shouldExpandAtomicLoadInIR(LoadInst *) const override {
    return AtomicExpansionKind::NotAtomic;
  }
  AtomicExpansionKind shouldExpandAtomicStoreInIR(StoreInst *) const override {
    return AtomicExpansionKind::NotAtomic;
  }
  AtomicExpansionKind
  shouldExpandAtomicRMWInIR(AtomicRMWInst *) const override {
    return AtomicExpansionKind::NotAtomic;
  }
  AtomicExpansionKind
  shouldExpandAtomicCmpXchgInIR(AtomicCmpXchgInst *) const override {
    return AtomicExpansionKind::NotAtomic;
  }

  // Operands of inline assembly: IPUInlineAssembly.cpp.
  std::pair<unsigned, const TargetRegisterClass *>
  getRegForInlineAsmConstraint(const TargetRegisterInfo *TRI,
                               StringRef Constraint, MVT VT) const override;
  unsigned getNumRegisters(LLVMContext &Context, EVT VT,
                           std::optional<MVT> RegisterVT) const override;
  bool
  splitValueIntoRegisterParts(SelectionDAG &DAG, const SDLoc &DL, SDValue Val,
                              SDValue *Parts, unsigned NumParts, MVT PartVT,
                              std::optional<CallingConv::ID> CC) const override;
  SDValue
  joinRegisterPartsIntoValue(SelectionDAG &DAG, const SDLoc &DL,
                             const SDValue *Parts, unsigned NumParts,
                             MVT PartVT, EVT ValueVT,
                             std::optional<CallingConv::ID> CC) const override;

  bool SimplifyDemandedBitsForTargetNode(SDValue Op, const APInt &Bits,
                                         const APInt &Elements,
                                         KnownBits &Known,
                                         TargetLoweringOpt &TLO,
                                         unsigned Depth) const override;

  // The calling convention: IPUCallLowering.cpp.
  SDValue LowerFormalArguments(SDValue Chain, CallingConv::ID CC, bool IsVarArg,
                               const SmallVectorImpl<ISD::InputArg> &Ins,
                               const SDLoc &DL, SelectionDAG &DAG,
                               SmallVectorImpl<SDValue> &InVals) const override;
  SDValue LowerCall(CallLoweringInfo &CLI,
                    SmallVectorImpl<SDValue> &InVals) const override;
  bool CanLowerReturn(CallingConv::ID CC, MachineFunction &MF, bool IsVarArg,
                      const SmallVectorImpl<ISD::OutputArg> &Outs,
                      LLVMContext &Context) const override;
  SDValue LowerReturn(SDValue Chain, CallingConv::ID CC, bool IsVarArg,
                      const SmallVectorImpl<ISD::OutputArg> &Outs,
                      const SmallVectorImpl<SDValue> &OutVals, const SDLoc &DL,
                      SelectionDAG &DAG) const override;

private:
  void setIntegerActions();
  void setFloatActions();
  void setHalfActions();
  void setVectorActions();
  void setSoftFloatActions();

  SDValue lowerSymbol(SDValue Op, SelectionDAG &DAG) const;
  SDValue lowerBranch(SDValue Op, SelectionDAG &DAG) const;
  SDValue lowerStore(SDValue Op, SelectionDAG &DAG) const;
  SDValue lowerMulHigh(SDValue Op, SelectionDAG &DAG) const;
  SDValue lowerVaStart(SDValue Op, SelectionDAG &DAG) const;
  SDValue lowerFrameAddress(SDValue Op, SelectionDAG &DAG) const;
  SDValue lowerIntrinsic(SDValue Op, SelectionDAG &DAG) const;

  // Float: IPUFloatLowering.cpp.
  SDValue lowerIntToFloat(SDValue Op, SelectionDAG &DAG) const;
  SDValue lowerFloatToInt(SDValue Op, SelectionDAG &DAG) const;
  SDValue lowerRoundToInt(SDValue Op, SelectionDAG &DAG) const;
  SDValue lowerCanonicalize(SDValue Op, SelectionDAG &DAG) const;
  SDValue lowerBitcast(SDValue Op, SelectionDAG &DAG) const;

  // Floats that are no register types: IPUSoftFloat.cpp.
  SDValue combineSoftFloat(SDNode *N, SelectionDAG &DAG) const;

  // Vectors of bytes and shorts: IPUNarrowStores.cpp.
  SDValue combineNarrowStore(SDNode *N, SelectionDAG &DAG) const;
  SDValue combinePack(SDNode *N, DAGCombinerInfo &DCI) const;

  // Halves and vectors: IPUVectorLowering.cpp, IPUMasks.cpp.
  SDValue lowerFloatSetCC(SDValue Op, SelectionDAG &DAG) const;
  SDValue lowerVector(SDValue Op, SelectionDAG &DAG) const;
  SDValue lowerVectorLoad(SDValue Op, SelectionDAG &DAG) const;
  SDValue lowerVectorStore(SDValue Op, SelectionDAG &DAG) const;
};

} // namespace llvm

#endif
