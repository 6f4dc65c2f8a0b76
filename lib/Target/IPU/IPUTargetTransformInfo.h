// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs for the IR optimizer: four pairs of registers hold vectors of floats
// and halves (IPUVectorCosts.cpp has their costs), calls of builtins are single
// instructions.

#ifndef POPULUS_LIB_TARGET_IPU_IPUTARGETTRANSFORMINFO_H
#define POPULUS_LIB_TARGET_IPU_IPUTARGETTRANSFORMINFO_H

#include "lib/Target/IPU/IPUTargetMachine.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/CodeGen/BasicTTIImpl.h"

namespace llvm {

class IPUTTIImpl : public BasicTTIImplBase<IPUTTIImpl> {
  using BaseT = BasicTTIImplBase<IPUTTIImpl>;
  friend BaseT;
  using TTI = TargetTransformInfo;

  const IPUTargetMachine &TM;
  const IPUSubtarget *ST;
  const IPUTargetLowering *TLI;

  const Function &F;

  /// Returns whether the function adds up halves as floats, in any order.
  bool sumsHalves() const;
  /// Returns whether the function adds up values that it loads, or their
  /// squares, in any order: the accumulators take four floats or eight halves
  /// at once.
  bool sumsMemory() const;
  bool isWide(const Type *Ty) const;
  /// Returns whether the function stores halves at places where two of them
  /// can be stored at once.
  bool storesHalves() const;

  // Vectors of integers: IPUNarrowCosts.cpp.
  /// Returns whether the function stores bytes or shorts at places where they
  /// can be joined to words.
  bool storesNarrow() const;
  /// The cost of a store or load of integers in such a function.
  InstructionCost narrowMemoryCost(unsigned Opcode, Type *Ty, Align Known,
                                   const Instruction *I) const;
  const IPUSubtarget *getST() const { return ST; }
  const IPUTargetLowering *getTLI() const { return TLI; }

public:
  IPUTTIImpl(const IPUTargetMachine *TM, const Function &F)
      : BaseT(TM, F.getDataLayout()), TM(*TM), ST(TM->getSubtargetImpl(F)),
        TLI(ST->getTargetLowering()), F(F) {}

  // Class 0 holds scalars, class 1 vectors.
  unsigned getNumberOfRegisters(unsigned ClassID) const {
    if (ClassID == 0)
      return 11;
    if (ST->isSupervisor())
      return 0;
    // Lanes of integers count as registers of vectors, but are in the main
    // file, each no longer than it takes to join it to others.
    if (storesNarrow())
      return 32;
    // Halves that the accumulators widen need no pairs for floats.
    return sumsHalves() ? 8 : 4;
  }
  TypeSize getRegisterBitWidth(TTI::RegisterKind K) const {
    if (K == TTI::RGK_Scalar)
      return TypeSize::getFixed(32);
    bool Vectors = K == TTI::RGK_FixedWidthVector && !ST->isSupervisor();
    return TypeSize::get(!Vectors       ? 0
                         : sumsMemory() ? 128
                                        : 64,
                         K == TTI::RGK_ScalableVector);
  }
  unsigned getMinVectorRegisterBitWidth() const { return 32; }

  InstructionCost getMemoryOpCost(
      unsigned Opcode, Type *Ty, MaybeAlign Alignment, unsigned AddressSpace,
      TTI::TargetCostKind CostKind,
      TTI::OperandValueInfo OpInfo = {TTI::OK_AnyValue, TTI::OP_None},
      const Instruction *I = nullptr);
  InstructionCost getArithmeticInstrCost(
      unsigned Opcode, Type *Ty, TTI::TargetCostKind CostKind,
      TTI::OperandValueInfo Op1 = {TTI::OK_AnyValue, TTI::OP_None},
      TTI::OperandValueInfo Op2 = {TTI::OK_AnyValue, TTI::OP_None},
      ArrayRef<const Value *> Args = {}, const Instruction *I = nullptr);
  InstructionCost getCmpSelInstrCost(unsigned Opcode, Type *ValTy, Type *CondTy,
                                     CmpInst::Predicate Predicate,
                                     TTI::TargetCostKind CostKind,
                                     const Instruction *I = nullptr);
  InstructionCost getCastInstrCost(unsigned Opcode, Type *Dst, Type *Src,
                                   TTI::CastContextHint Hint,
                                   TTI::TargetCostKind CostKind,
                                   const Instruction *I = nullptr);
  InstructionCost getIntrinsicInstrCost(const IntrinsicCostAttributes &ICA,
                                        TTI::TargetCostKind CostKind);
  InstructionCost getShuffleCost(TTI::ShuffleKind Kind, VectorType *Ty,
                                 ArrayRef<int> Mask,
                                 TTI::TargetCostKind CostKind, int Index,
                                 VectorType *SubTy,
                                 ArrayRef<const Value *> Args = {},
                                 const Instruction *I = nullptr);

  InstructionCost getVectorInstrCost(unsigned Opcode, Type *Val,
                                     TTI::TargetCostKind CostKind,
                                     unsigned Index, Value *Op0, Value *Op1);
  using BaseT::getVectorInstrCost;
  unsigned getNumberOfParts(Type *Ty);

  // Four halves at once where they are added up as floats, which the
  // accumulators do. As many wider values as bytes are stored at once.
  bool shouldMaximizeVectorBandwidth(TTI::RegisterKind) const {
    return sumsHalves() || storesNarrow();
  }
  unsigned getMaxInterleaveFactor(ElementCount) const { return 1; }
  // A sum in order takes its lanes one by one, as without vectors. Beside it,
  // stores of single halves are what vectors avoid.
  bool enableOrderedReductions() const {
    return !ST->isSupervisor() && storesHalves();
  }
  TargetTransformInfo::PopcntSupportKind
  getPopcntSupport(unsigned Width) const {
    return Width <= 32 ? TargetTransformInfo::PSK_FastHardware
                       : TargetTransformInfo::PSK_Software;
  }
  bool isLoweredToCall(const Function *F) const {
    if (TM.getIntrinsicInfo()->getIntrinsicID(F))
      return false;
    return BaseT::isLoweredToCall(F);
  }

  bool isHardwareLoopProfitable(Loop *L, ScalarEvolution &SE,
                                AssumptionCache &AC, TargetLibraryInfo *LibInfo,
                                HardwareLoopInfo &Info) const;
  bool canSaveCmp(Loop *L, BranchInst **Branch, ScalarEvolution *SE,
                  LoopInfo *LI, DominatorTree *DT, AssumptionCache *AC,
                  TargetLibraryInfo *LibInfo) const;
  TargetTransformInfo::AddressingModeKind
  getPreferredAddressingMode(const Loop *, ScalarEvolution *) const {
    return TargetTransformInfo::AMK_PostIndexed;
  }
};

} // namespace llvm

#endif
