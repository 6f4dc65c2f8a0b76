// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Legalization of half and of the vectors of the auxiliary file: v2f16, v2f32
// and v4f16. IPUVectorPatterns.td selects the operations that the machine has.
// The other ones are done in float (half), in halves of the vector, or lane by
// lane. Vectors of integers are no register types. Comparisons and choices are
// in IPUMasks.cpp and IPUChoices.cpp.

#include "lib/Target/IPU/IPU.h"
#include "lib/Target/IPU/IPUISelLowering.h"
#include "lib/Target/IPU/IPUMasks.h"
#include "lib/Target/IPU/IPUSubtarget.h"
#include "llvm/CodeGen/SelectionDAG.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

//===----------------------------------------------------------------------===//
// Legal types and operations
//===----------------------------------------------------------------------===//

// Functions without an instruction for halves: done in float, rounded once.
static constexpr unsigned InFloat[] = {
    ISD::FDIV,   ISD::FREM,   ISD::FMA,        ISD::FMINIMUM, ISD::FMAXIMUM,
    ISD::FSQRT,  ISD::FSIN,   ISD::FCOS,       ISD::FTAN,     ISD::FASIN,
    ISD::FACOS,  ISD::FATAN,  ISD::FSINH,      ISD::FCOSH,    ISD::FPOW,
    ISD::FPOWI,  ISD::FEXP10, ISD::FLOG10,     ISD::FCEIL,    ISD::FFLOOR,
    ISD::FTRUNC, ISD::FRINT,  ISD::FNEARBYINT, ISD::FROUND,   ISD::FROUNDEVEN};
// Functions that exist for two halves only.
static constexpr unsigned OfTwoHalves[] = {ISD::FEXP, ISD::FEXP2, ISD::FLOG,
                                           ISD::FLOG2, ISD::FTANH};
static constexpr unsigned OfAllLanes[] = {
    ISD::FADD,    ISD::FSUB, ISD::FMUL,      ISD::FMINNUM,
    ISD::FMAXNUM, ISD::FNEG, ISD::FCOPYSIGN, ISD::FABS};

void IPUTargetLowering::setHalfActions() {
  for (unsigned Op : InFloat)
    setOperationPromotedToType(Op, MVT::f16, MVT::f32);
  for (unsigned Op : OfAllLanes)
    setOperationAction(Op, MVT::f16, Legal);
  for (unsigned Op : OfTwoHalves)
    setOperationAction(Op, MVT::f16, Legal);
  for (unsigned Op : {ISD::SELECT_CC, ISD::IS_FPCLASS})
    setOperationAction(Op, MVT::f16, Expand);
  for (unsigned Op : {ISD::FLDEXP, ISD::FFREXP})
    setOperationPromotedToType(Op, MVT::f16, MVT::f32);
  for (unsigned Op :
       {ISD::LRINT, ISD::LLRINT, ISD::LROUND, ISD::LLROUND, ISD::FCANONICALIZE})
    setOperationAction(Op, MVT::f16, Custom);
  for (unsigned Op : {ISD::BR_CC, ISD::SETCC, ISD::STORE})
    setOperationAction(Op, MVT::f16, Custom);
  for (MVT VT : {MVT::f16, MVT::i16})
    setOperationAction(ISD::BITCAST, VT, Custom);
  setIndexedLoadAction(ISD::POST_INC, MVT::f16, Legal);
  for (MVT VT : {MVT::f32, MVT::f64}) {
    setLoadExtAction(ISD::EXTLOAD, VT, MVT::f16, Expand);
    setTruncStoreAction(VT, MVT::f16, Expand);
  }
}

void IPUTargetLowering::setVectorActions() {
  for (MVT VT : MVT::fixedlen_vector_valuetypes())
    for (MVT Inner : MVT::fixedlen_vector_valuetypes()) {
      setTruncStoreAction(VT, Inner, Expand);
      for (unsigned Ext : {ISD::EXTLOAD, ISD::SEXTLOAD, ISD::ZEXTLOAD})
        setLoadExtAction(Ext, VT, Inner, Expand);
    }
  for (MVT VT : {MVT::v2f16, MVT::v2f32, MVT::v4f16}) {
    for (unsigned Op = 0; Op < ISD::BUILTIN_OP_END; ++Op)
      setOperationAction(Op, VT, Expand);
    for (unsigned Op :
         {ISD::UNDEF, ISD::FREEZE, ISD::SELECT, ISD::SCALAR_TO_VECTOR,
          ISD::CONCAT_VECTORS, ISD::EXTRACT_SUBVECTOR, ISD::INSERT_SUBVECTOR})
      setOperationAction(Op, VT, Legal);
    for (unsigned Op : OfAllLanes)
      setOperationAction(Op, VT, Legal);
    for (unsigned Op :
         {ISD::LOAD, ISD::STORE, ISD::BITCAST, ISD::BUILD_VECTOR,
          ISD::VECTOR_SHUFFLE, ISD::EXTRACT_VECTOR_ELT, ISD::INSERT_VECTOR_ELT})
      setOperationAction(Op, VT, Custom);
    // Their general expansion compares vectors.
    for (unsigned Op : {ISD::FMINIMUM, ISD::FMAXIMUM})
      setOperationAction(Op, VT, Custom);
    setIndexedLoadAction(ISD::POST_INC, VT, Legal);
    setIndexedStoreAction(ISD::POST_INC, VT, Legal);
  }
  setOperationAction(ISD::BITCAST, MVT::f32, Custom);
  setOperationAction(ISD::FP_EXTEND, MVT::v2f32, Legal);
  setOperationAction(ISD::FP_ROUND, MVT::v2f16, Legal);
  for (unsigned Op : InFloat) {
    setOperationPromotedToType(Op, MVT::v2f16, MVT::v2f32);
    setOperationAction(Op, MVT::v4f16, Custom);
  }
  for (unsigned Op : OfTwoHalves) {
    setOperationAction(Op, MVT::v2f16, Legal);
    setOperationAction(Op, MVT::v4f16, Custom);
  }
  setTargetDAGCombine({ISD::SELECT, ISD::VSELECT, ISD::BITCAST, ISD::STORE,
                       ISD::FMAXNUM, ISD::FMINNUM});
}

bool IPUTargetLowering::isShuffleMaskLegal(ArrayRef<int>, EVT VT) const {
  return isTypeLegal(VT);
}

// A scalar that is spread over the lanes is part of the instruction that uses
// it, if selection sees both.
bool IPUTargetLowering::shouldSinkOperands(Instruction *I,
                                           SmallVectorImpl<Use *> &Ops) const {
  switch (I->getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FCmp:
    break;
  case Instruction::Call: {
    auto *Call = dyn_cast<IntrinsicInst>(I);
    if (Call && Call->getIntrinsicID() == Intrinsic::fmuladd)
      break;
    return false;
  }
  default:
    return false;
  }
  if (!I->getOperand(0)->getType()->isVectorTy())
    return false;
  for (Use &U : I->operands()) {
    auto *Shuffle = dyn_cast<ShuffleVectorInst>(U.get());
    if (!Shuffle || !Shuffle->isZeroEltSplat() ||
        !isa<InsertElementInst>(Shuffle->getOperand(0)))
      continue;
    Ops.push_back(&Shuffle->getOperandUse(0));
    Ops.push_back(&U);
  }
  return !Ops.empty();
}

// The combiner asks this before it makes a vector's store, where one lane is
// new, the lane's store, to which it then gives the alignment of the vector
// although the lane's number is not known.
bool IPUTargetLowering::allowsMemoryAccess(LLVMContext &Context,
                                           const DataLayout &DL, EVT VT,
                                           unsigned AddrSpace, Align Alignment,
                                           MachineMemOperand::Flags Flags,
                                           unsigned *Fast) const {
  bool Allowed = TargetLowering::allowsMemoryAccess(Context, DL, VT, AddrSpace,
                                                    Alignment, Flags, Fast);
  bool Lane = VT == MVT::f16 || VT == MVT::f32;
  if (Fast && Lane && Alignment.value() > VT.getStoreSize())
    *Fast = 0;
  return Allowed;
}

// Data of eight-byte alignment moves in pairs of the auxiliary file.
EVT IPUTargetLowering::getOptimalMemOpType(const MemOp &Op,
                                           const AttributeList &) const {
  bool Pairs = !ST.isSupervisor() && Op.size() >= 8 && Op.isAligned(Align(8)) &&
               (Op.isMemcpy() || Op.isZeroMemset());
  return Pairs ? MVT::v2f32 : MVT::Other;
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

/// The two halves of a v4f16.
static std::pair<SDValue, SDValue> halvesOf(SDValue V, const SDLoc &DL,
                                            SelectionDAG &DAG) {
  auto Half = [&](unsigned Index) {
    return DAG.getNode(ISD::EXTRACT_SUBVECTOR, DL, MVT::v2f16, V,
                       DAG.getVectorIdxConstant(Index, DL));
  };
  return {Half(0), Half(2)};
}

/// An operation on v4f16 as two on v2f16.
static SDValue splitInHalves(SDValue Op, SelectionDAG &DAG) {
  SDLoc DL(Op);
  SmallVector<SDValue, 3> Low, High;
  for (SDValue Operand : Op->op_values()) {
    if (Operand.getValueType() != MVT::v4f16) {
      Low.push_back(Operand);
      High.push_back(Operand);
      continue;
    }
    auto [L, H] = halvesOf(Operand, DL, DAG);
    Low.push_back(L);
    High.push_back(H);
  }
  SDNodeFlags Flags = Op->getFlags();
  return DAG.getNode(ISD::CONCAT_VECTORS, DL, MVT::v4f16,
                     DAG.getNode(Op.getOpcode(), DL, MVT::v2f16, Low, Flags),
                     DAG.getNode(Op.getOpcode(), DL, MVT::v2f16, High, Flags));
}

static SDValue lowerBuildVector(SDValue Op, SelectionDAG &DAG) {
  SDLoc DL(Op);
  EVT VT = Op.getValueType();
  auto *Build = cast<BuildVectorSDNode>(Op);
  if (ISD::isBuildVectorAllZeros(Op.getNode()))
    return Op;
  if (SDValue Splat = Build->getSplatValue())
    return DAG.getNode(IPUISD::SPLAT, DL, VT, Splat);
  if (VT == MVT::v4f16) {
    auto Half = [&](unsigned I) {
      return DAG.getBuildVector(MVT::v2f16, DL,
                                {Op.getOperand(I), Op.getOperand(I + 1)});
    };
    return DAG.getNode(ISD::CONCAT_VECTORS, DL, VT, Half(0), Half(2));
  }
  if (Op.getOperand(1).isUndef())
    return DAG.getNode(ISD::SCALAR_TO_VECTOR, DL, VT, Op.getOperand(0));
  return Op;
}

/// Two lanes of two pairs of lanes, in one instruction.
static SDValue shuffleTwo(SDValue A, int FromA, SDValue B, int FromB,
                          const SDLoc &DL, SelectionDAG &DAG) {
  EVT VT = A.getValueType();
  if (A == B && FromA == 0 && FromB == 1)
    return A;
  if (FromA == FromB)
    return DAG.getNode(FromA ? IPUISD::SORTHI : IPUISD::SORTLO, DL, VT, A, B);
  if (FromA == 1)
    return DAG.getNode(IPUISD::ROLL, DL, VT, A, B);
  if (VT == MVT::v2f16)
    return DAG.getNode(IPUISD::BLEND, DL, VT, A, B);
  auto Lane = [&](SDValue V, unsigned I) {
    return DAG.getNode(ISD::EXTRACT_VECTOR_ELT, DL, MVT::f32, V,
                       DAG.getVectorIdxConstant(I, DL));
  };
  return DAG.getBuildVector(VT, DL, {Lane(A, 0), Lane(B, 1)});
}

static SDValue lowerShuffle(SDValue Op, SelectionDAG &DAG) {
  SDLoc DL(Op);
  EVT VT = Op.getValueType();
  auto *Shuffle = cast<ShuffleVectorSDNode>(Op);
  ArrayRef<int> Mask = Shuffle->getMask();
  if (Shuffle->isSplat() && Shuffle->getSplatIndex() >= 0) {
    unsigned Lane = Shuffle->getSplatIndex(), Lanes = Mask.size();
    return DAG.getNode(IPUISD::SPLAT, DL, VT,
                       DAG.getNode(ISD::EXTRACT_VECTOR_ELT, DL,
                                   VT.getVectorElementType(),
                                   Op.getOperand(Lane / Lanes),
                                   DAG.getVectorIdxConstant(Lane % Lanes, DL)));
  }
  // Sources as pairs of lanes, in the order of the mask's numbers.
  SmallVector<SDValue, 4> Pairs;
  for (SDValue Source : Op->op_values()) {
    if (VT != MVT::v4f16) {
      Pairs.push_back(Source);
      continue;
    }
    auto [Low, High] = halvesOf(Source, DL, DAG);
    Pairs.append({Low, High});
  }
  auto Two = [&](int I, int J) {
    if (I < 0 && J < 0)
      return DAG.getUNDEF(Pairs[0].getValueType());
    // A lane that may be anything is what makes the other one cheap.
    if (I < 0)
      I = J & ~1;
    if (J < 0)
      J = I | 1;
    return shuffleTwo(Pairs[I / 2], I % 2, Pairs[J / 2], J % 2, DL, DAG);
  };
  if (VT != MVT::v4f16)
    return Two(Mask[0], Mask[1]);
  return DAG.getNode(ISD::CONCAT_VECTORS, DL, VT, Two(Mask[0], Mask[1]),
                     Two(Mask[2], Mask[3]));
}

// A lane whose number is not known goes through memory.
static SDValue lowerExtract(SDValue Op, SelectionDAG &DAG) {
  SDLoc DL(Op);
  SDValue Vector = Op.getOperand(0);
  auto *Index = dyn_cast<ConstantSDNode>(Op.getOperand(1));
  if (!Index)
    return SDValue();
  unsigned I = Index->getZExtValue();
  if (Vector.getValueType() != MVT::v4f16)
    return I < 2 ? Op : DAG.getUNDEF(Op.getValueType());
  if (I >= 4)
    return DAG.getUNDEF(MVT::f16);
  auto [Low, High] = halvesOf(Vector, DL, DAG);
  return DAG.getNode(ISD::EXTRACT_VECTOR_ELT, DL, MVT::f16, I < 2 ? Low : High,
                     DAG.getVectorIdxConstant(I % 2, DL));
}

static SDValue lowerInsert(SDValue Op, SelectionDAG &DAG) {
  SDLoc DL(Op);
  SDValue Vector = Op.getOperand(0);
  auto *Index = dyn_cast<ConstantSDNode>(Op.getOperand(2));
  if (!Index)
    return SDValue();
  unsigned I = Index->getZExtValue();
  EVT VT = Op.getValueType();
  if (I >= VT.getVectorNumElements())
    return DAG.getUNDEF(VT);
  if (VT != MVT::v4f16)
    return Op;
  auto [Low, High] = halvesOf(Vector, DL, DAG);
  SDValue Half =
      DAG.getNode(ISD::INSERT_VECTOR_ELT, DL, MVT::v2f16, I < 2 ? Low : High,
                  Op.getOperand(1), DAG.getVectorIdxConstant(I % 2, DL));
  return DAG.getNode(ISD::INSERT_SUBVECTOR, DL, VT, Vector, Half,
                     DAG.getVectorIdxConstant(I & 2, DL));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The type of half a vector.
static MVT halfType(EVT VT) {
  if (VT == MVT::v4f16)
    return MVT::v2f16;
  return VT == MVT::v2f32 ? MVT::f32 : MVT::f16;
}

// The machine accesses only what is aligned to its size.
SDValue IPUTargetLowering::lowerVectorLoad(SDValue Op,
                                           SelectionDAG &DAG) const {
  SDLoc DL(Op);
  auto *Load = cast<LoadSDNode>(Op);
  EVT VT = Op.getValueType();
  unsigned Size = VT.getStoreSize();
  if (Load->isIndexed() || Load->getAlign() >= Align(Size))
    return Op;
  MVT Part = halfType(VT);
  auto LoadPart = [&](unsigned Offset) {
    return DAG.getLoad(Part, DL, Load->getChain(),
                       DAG.getMemBasePlusOffset(Load->getBasePtr(),
                                                TypeSize::getFixed(Offset), DL),
                       Load->getPointerInfo().getWithOffset(Offset),
                       commonAlignment(Load->getAlign(), Offset),
                       Load->getMemOperand()->getFlags());
  };
  SDValue Low = LoadPart(0), High = LoadPart(Size / 2);
  SDValue Chain = DAG.getNode(ISD::TokenFactor, DL, MVT::Other, Low.getValue(1),
                              High.getValue(1));
  unsigned Join = VT == MVT::v4f16 ? ISD::CONCAT_VECTORS : ISD::BUILD_VECTOR;
  return DAG.getMergeValues({DAG.getNode(Join, DL, VT, Low, High), Chain}, DL);
}

SDValue IPUTargetLowering::lowerVectorStore(SDValue Op,
                                            SelectionDAG &DAG) const {
  SDLoc DL(Op);
  auto *Store = cast<StoreSDNode>(Op);
  SDValue Value = Store->getValue();
  EVT VT = Value.getValueType();
  unsigned Size = VT.getStoreSize();
  if (Store->isIndexed() || Store->getAlign() >= Align(Size))
    return Op;
  MVT Part = halfType(VT);
  auto StorePart = [&](unsigned I) {
    unsigned Offset = I * Size / 2;
    unsigned Take =
        VT == MVT::v4f16 ? ISD::EXTRACT_SUBVECTOR : ISD::EXTRACT_VECTOR_ELT;
    unsigned Lane = I * VT.getVectorNumElements() / 2;
    SDValue Half =
        DAG.getNode(Take, DL, Part, Value, DAG.getVectorIdxConstant(Lane, DL));
    return DAG.getStore(Store->getChain(), DL, Half,
                        DAG.getMemBasePlusOffset(Store->getBasePtr(),
                                                 TypeSize::getFixed(Offset),
                                                 DL),
                        Store->getPointerInfo().getWithOffset(Offset),
                        commonAlignment(Store->getAlign(), Offset),
                        Store->getMemOperand()->getFlags());
  };
  return DAG.getNode(ISD::TokenFactor, DL, MVT::Other, StorePart(0),
                     StorePart(1));
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

// The bits of a pair as integers: its words, not through memory.
static SDValue combineBitcast(SDNode *N, SelectionDAG &DAG) {
  SDLoc DL(N);
  EVT To = N->getValueType(0);
  SDValue Pair = N->getOperand(0);
  EVT From = Pair.getValueType();
  if ((From != MVT::v2f32 && From != MVT::v4f16) ||
      (To != MVT::i64 && To != MVT::v2i32))
    return SDValue();
  Pair = DAG.getBitcast(MVT::v2f32, Pair);
  auto Word = [&](unsigned I) {
    SDValue Lane = DAG.getNode(ISD::EXTRACT_VECTOR_ELT, DL, MVT::f32, Pair,
                               DAG.getVectorIdxConstant(I, DL));
    return DAG.getBitcast(MVT::i32, Lane);
  };
  unsigned Join = To == MVT::i64 ? ISD::BUILD_PAIR : ISD::BUILD_VECTOR;
  return DAG.getNode(Join, DL, To, Word(0), Word(1));
}

// A copy of 64 aligned bits.
static SDValue combineStore(SDNode *N, SelectionDAG &DAG) {
  auto *Store = cast<StoreSDNode>(N);
  auto *Load = dyn_cast<LoadSDNode>(Store->getValue());
  EVT VT = Store->getValue().getValueType();
  if (!Load || VT.getStoreSizeInBits() != 64 || VT == MVT::v2f32 ||
      VT == MVT::v4f16 || !Store->isSimple() || !Load->isSimple() ||
      !Store->isUnindexed() || !Load->isUnindexed() ||
      Store->isTruncatingStore() ||
      Load->getExtensionType() != ISD::NON_EXTLOAD ||
      !Load->hasNUsesOfValue(1, 0) || Load->getAlign() < Align(8) ||
      Store->getAlign() < Align(8))
    return SDValue();
  SDLoc DL(N);
  SDValue Pair = DAG.getLoad(MVT::v2f32, DL, Load->getChain(),
                             Load->getBasePtr(), Load->getMemOperand());
  DAG.makeEquivalentMemoryOrdering(Load, Pair);
  return DAG.getStore(Store->getChain(), DL, Pair, Store->getBasePtr(),
                      Store->getMemOperand());
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

SDValue IPUTargetLowering::PerformDAGCombine(SDNode *N,
                                             DAGCombinerInfo &DCI) const {
  if (N->getOpcode() == IPUISD::PACKBYTES ||
      N->getOpcode() == IPUISD::PACKHALVES)
    return combinePack(N, DCI);
  if (!DCI.isBeforeLegalize())
    return SDValue();
  switch (N->getOpcode()) {
  case ISD::FMINIMUM:
  case ISD::FMAXIMUM:
  case ISD::FCANONICALIZE:
    return combineSoftFloat(N, DCI.DAG);
  case ISD::SELECT:
  case ISD::VSELECT:
    return ipu::combineSelect(N, DCI.DAG);
  case ISD::FMAXNUM:
  case ISD::FMINNUM:
    return ipu::combineMinMax(N, DCI.DAG);
  case ISD::BITCAST:
    return combineBitcast(N, DCI.DAG);
  case ISD::STORE:
    if (SDValue Copy = combineStore(N, DCI.DAG))
      return Copy;
    return combineNarrowStore(N, DCI.DAG);
  default:
    return SDValue();
  }
}

SDValue IPUTargetLowering::lowerVector(SDValue Op, SelectionDAG &DAG) const {
  switch (Op.getOpcode()) {
  case ISD::BUILD_VECTOR:
    return lowerBuildVector(Op, DAG);
  case ISD::VECTOR_SHUFFLE:
    return lowerShuffle(Op, DAG);
  case ISD::EXTRACT_VECTOR_ELT:
    return lowerExtract(Op, DAG);
  case ISD::INSERT_VECTOR_ELT:
    return lowerInsert(Op, DAG);
  case ISD::LOAD:
    return lowerVectorLoad(Op, DAG);
  case ISD::FMINIMUM:
  case ISD::FMAXIMUM:
    return DAG.UnrollVectorOp(Op.getNode());
  default:
    return splitInHalves(Op, DAG);
  }
}
