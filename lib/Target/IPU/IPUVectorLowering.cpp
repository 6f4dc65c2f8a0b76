// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Legalization of half and of the vectors of the auxiliary file: v2f16, v2f32
// and v4f16. IPUVectorPatterns.td selects the operations that the machine has.
// The other ones are done in float (half), in halves of the vector, or lane by
// lane. Vectors of integers are no register types. So a comparison gives a mask
// in the type of its operands. A choice between vectors (and between scalars,
// if a branch would cost more) is made with such a mask before types are
// legalized.

#include "lib/Target/IPU/IPU.h"
#include "lib/Target/IPU/IPUISelLowering.h"
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

/// Returns whether the auxiliary file holds values of this type.
static bool isAuxType(EVT VT) {
  return VT == MVT::f32 || VT == MVT::f16 || VT == MVT::v2f16 ||
         VT == MVT::v2f32 || VT == MVT::v4f16;
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
// Comparisons and choice
//===----------------------------------------------------------------------===//

/// The mask of a comparison, in the type of what is compared.
static SDValue compareMask(SDValue A, SDValue B, ISD::CondCode CC,
                           const SDLoc &DL, SelectionDAG &DAG) {
  EVT VT = A.getValueType();
  auto Node = [&](unsigned Opcode, SDValue X, SDValue Y) {
    return DAG.getNode(Opcode, DL, VT, X, Y);
  };
  auto Not = [&](SDValue X) { return DAG.getNode(IPUISD::FNOT, DL, VT, X); };
  switch (CC) {
  case ISD::SETEQ:
  case ISD::SETOEQ:
    return Node(IPUISD::FCMPEQ, A, B);
  case ISD::SETNE:
  case ISD::SETUNE:
    return Node(IPUISD::FCMPNE, A, B);
  case ISD::SETLT:
  case ISD::SETOLT:
    return Node(IPUISD::FCMPLT, A, B);
  case ISD::SETLE:
  case ISD::SETOLE:
    return Node(IPUISD::FCMPLE, A, B);
  case ISD::SETGT:
  case ISD::SETOGT:
    return Node(IPUISD::FCMPGT, A, B);
  case ISD::SETGE:
  case ISD::SETOGE:
    return Node(IPUISD::FCMPGE, A, B);
  case ISD::SETUGE:
    return Not(Node(IPUISD::FCMPLT, A, B));
  case ISD::SETUGT:
    return Not(Node(IPUISD::FCMPLE, A, B));
  case ISD::SETULE:
    return Not(Node(IPUISD::FCMPGT, A, B));
  case ISD::SETULT:
    return Not(Node(IPUISD::FCMPGE, A, B));
  case ISD::SETO:
    return Node(IPUISD::FAND, Node(IPUISD::FCMPEQ, A, A),
                Node(IPUISD::FCMPEQ, B, B));
  case ISD::SETUO:
    return Node(IPUISD::FOR, Node(IPUISD::FCMPNE, A, A),
                Node(IPUISD::FCMPNE, B, B));
  case ISD::SETONE:
  case ISD::SETUEQ: {
    SDValue Differ = Node(IPUISD::FOR, Node(IPUISD::FCMPLT, A, B),
                          Node(IPUISD::FCMPGT, A, B));
    return CC == ISD::SETONE ? Differ : Not(Differ);
  }
  default:
    report_fatal_error("comparison without a mask");
  }
}

// A scalar comparison: 0 or -1 in the main file.
SDValue IPUTargetLowering::lowerFloatSetCC(SDValue Op,
                                           SelectionDAG &DAG) const {
  SDLoc DL(Op);
  SDValue Mask =
      compareMask(Op.getOperand(0), Op.getOperand(1),
                  cast<CondCodeSDNode>(Op.getOperand(2))->get(), DL, DAG);
  if (Mask.getValueType() == MVT::f16)
    Mask = DAG.getNode(IPUISD::SPLAT, DL, MVT::v2f16, Mask);
  return DAG.getNode(ISD::BITCAST, DL, MVT::i32, Mask);
}

/// Lanes of a vector as a value of type VT, from a lane on; scalars as they
/// are.
static SDValue lanesOf(SDValue V, EVT VT, unsigned From, const SDLoc &DL,
                       SelectionDAG &DAG) {
  if (!V.getValueType().isVector() || V.getValueType() == VT)
    return V;
  return DAG.getNode(ISD::EXTRACT_SUBVECTOR, DL, VT, V,
                     DAG.getVectorIdxConstant(From, DL));
}

/// Conditions in conditions that are looked at.
static constexpr unsigned MaxMaskDepth = 6;

// Masks that could not be made are null, and so is what is made of them.

static SDValue joinMasks(unsigned Opcode, SDValue A, SDValue B, const SDLoc &DL,
                         SelectionDAG &DAG) {
  return A && B ? DAG.getNode(Opcode, DL, A.getValueType(), A, B) : SDValue();
}

static SDValue invertMask(SDValue Mask, const SDLoc &DL, SelectionDAG &DAG) {
  if (Mask && Mask.getOpcode() == IPUISD::FNOT)
    return Mask.getOperand(0);
  return Mask ? DAG.getNode(IPUISD::FNOT, DL, Mask.getValueType(), Mask)
              : SDValue();
}

// The auxiliary pipe has no exclusive or: only one of two is set.
static SDValue exclusiveMasks(SDValue A, SDValue B, const SDLoc &DL,
                              SelectionDAG &DAG) {
  SDValue OnlyA = joinMasks(IPUISD::FAND, A, invertMask(B, DL, DAG), DL, DAG);
  SDValue OnlyB = joinMasks(IPUISD::FAND, B, invertMask(A, DL, DAG), DL, DAG);
  return joinMasks(IPUISD::FOR, OnlyA, OnlyB, DL, DAG);
}

// The mask of `c ? a : b`, where a or b is often true or false: LLVM's form of
// && and ||.
static SDValue chosenMask(SDValue Condition,
                          function_ref<SDValue(unsigned)> MaskOf,
                          const SDLoc &DL, SelectionDAG &DAG) {
  SDValue True = Condition.getOperand(1), False = Condition.getOperand(2);
  SDValue Chooser = MaskOf(0);
  auto Not = [&](SDValue Mask) { return invertMask(Mask, DL, DAG); };
  if (isNullOrNullSplat(False))
    return joinMasks(IPUISD::FAND, Chooser, MaskOf(1), DL, DAG);
  if (isAllOnesOrAllOnesSplat(True))
    return joinMasks(IPUISD::FOR, Chooser, MaskOf(2), DL, DAG);
  if (isNullOrNullSplat(True))
    return joinMasks(IPUISD::FAND, MaskOf(2), Not(Chooser), DL, DAG);
  if (isAllOnesOrAllOnesSplat(False))
    return joinMasks(IPUISD::FOR, MaskOf(1), Not(Chooser), DL, DAG);
  SDValue A = MaskOf(1), B = MaskOf(2);
  if (!Chooser || !A || !B)
    return SDValue();
  return DAG.getNode(IPUISD::FSEL, DL, A.getValueType(), Chooser, A, B);
}

/// The mask of type VT that a condition on floats stands for, if it is one; of
/// a wider vector the mask of the lanes from `From` on.
static SDValue conditionMask(SDValue Condition, EVT VT, unsigned From,
                             const SDLoc &DL, SelectionDAG &DAG,
                             unsigned Depth = 0) {
  if (Depth > MaxMaskDepth)
    return SDValue();
  unsigned Opcode = Condition.getOpcode();
  if (Opcode == ISD::SETCC) {
    EVT Compared = Condition.getOperand(0).getValueType();
    bool SameLanes =
        Compared.getScalarType() == VT.getScalarType() &&
        Compared.isVector() == VT.isVector() &&
        (!VT.isVector() ||
         Compared.getVectorNumElements() % VT.getVectorNumElements() == 0);
    bool Scalars = (Compared == MVT::f32 || Compared == MVT::f16) &&
                   (VT == MVT::f32 || VT == MVT::f16);
    if (!SameLanes && !Scalars)
      return SDValue();
    SDValue Mask = compareMask(
        lanesOf(Condition.getOperand(0), VT, From, DL, DAG),
        lanesOf(Condition.getOperand(1), VT, From, DL, DAG),
        cast<CondCodeSDNode>(Condition.getOperand(2))->get(), DL, DAG);
    if (SameLanes)
      return Mask;
    if (VT == MVT::f16)
      return DAG.getNode(IPUISD::ASF16, DL, VT, Mask);
    Mask = DAG.getNode(IPUISD::SPLAT, DL, MVT::v2f16, Mask);
    return DAG.getNode(ISD::BITCAST, DL, VT, Mask);
  }
  auto MaskOf = [&](unsigned I) {
    return conditionMask(Condition.getOperand(I), VT, From, DL, DAG, Depth + 1);
  };
  switch (Opcode) {
  case ISD::AND:
  case ISD::OR:
    return joinMasks(Opcode == ISD::AND ? IPUISD::FAND : IPUISD::FOR, MaskOf(0),
                     MaskOf(1), DL, DAG);
  case ISD::XOR:
    if (isAllOnesOrAllOnesSplat(Condition.getOperand(1)))
      return invertMask(MaskOf(0), DL, DAG);
    return exclusiveMasks(MaskOf(0), MaskOf(1), DL, DAG);
  case ISD::SELECT:
  case ISD::VSELECT:
    return chosenMask(Condition, MaskOf, DL, DAG);
  case ISD::FREEZE:
    // Two uses would have to see the same undefined bits.
    return Condition.hasOneUse() ? MaskOf(0) : SDValue();
  default:
    return SDValue();
  }
}

// A number that is compared with a constant and then chosen or replaced by it
// is a maximum or minimum, which also prefers the constant to a NaN. Zeros are
// equal to the comparison, but ordered by the instruction.
static SDValue selectAsMinMax(SDNode *N, SelectionDAG &DAG) {
  SDValue Condition = N->getOperand(0), X = N->getOperand(1);
  auto *C = isConstOrConstSplatFP(N->getOperand(2));
  if (!C || C->isNaN() || Condition.getOpcode() != ISD::SETCC)
    return SDValue();
  SDValue A = Condition.getOperand(0), B = Condition.getOperand(1);
  ISD::CondCode CC = cast<CondCodeSDNode>(Condition.getOperand(2))->get();
  if (A == N->getOperand(2) && B == X) {
    std::swap(A, B);
    CC = ISD::getSetCCSwappedOperands(CC);
  }
  if (A != X || B != N->getOperand(2))
    return SDValue();
  bool Maximum = CC == ISD::SETGT || CC == ISD::SETOGT;
  if (!Maximum && CC != ISD::SETLT && CC != ISD::SETOLT)
    return SDValue();
  if (C->isZero() && C->isNegative() == Maximum)
    return SDValue();
  return DAG.getNode(Maximum ? ISD::FMAXNUM : ISD::FMINNUM, SDLoc(N),
                     N->getValueType(0), X, N->getOperand(2));
}

/// Returns 1 if a condition holds for numbers below zero, -1 if for numbers
/// above, and 0 if it is no comparison with zero.
static int sideOfZero(SDValue Condition) {
  if (Condition.getOpcode() != ISD::SETCC)
    return 0;
  auto *Zero = isConstOrConstSplatFP(Condition.getOperand(1));
  if (!Zero || !Zero->isZero())
    return 0;
  switch (cast<CondCodeSDNode>(Condition.getOperand(2))->get()) {
  case ISD::SETLT:
  case ISD::SETOLT:
  case ISD::SETULT:
  case ISD::SETLE:
  case ISD::SETOLE:
  case ISD::SETULE:
    return 1;
  case ISD::SETGT:
  case ISD::SETOGT:
  case ISD::SETUGT:
  case ISD::SETGE:
  case ISD::SETOGE:
  case ISD::SETUGE:
    return -1;
  default:
    return 0;
  }
}

/// Returns whether a value is a product of X and a constant greater than 0 and
/// at most 1.
static bool isFractionOf(SDValue V, SDValue X) {
  if (V.getOpcode() != ISD::FMUL || V.getOperand(0) != X)
    return false;
  auto *Factor = isConstOrConstSplatFP(V.getOperand(1));
  if (!Factor)
    return false;
  const APFloat &C = Factor->getValueAPF();
  return !C.isNegative() && !C.isZero() &&
         C <= APFloat::getOne(C.getSemantics());
}

static bool isPositive(SDValue V) {
  auto *C = isConstOrConstSplatFP(V);
  return C && !C->isNaN() && !C->isZero() && !C->isNegative();
}

/// The limit of `x > limit ? limit : x`, before or after combineSelect(), if it
/// is positive, else null.
static SDValue upperLimit(SDValue Choice, SDValue X) {
  unsigned Opcode = Choice.getOpcode();
  if ((Opcode != IPUISD::FSEL && Opcode != ISD::SELECT &&
       Opcode != ISD::VSELECT) ||
      Choice.getOperand(2) != X)
    return SDValue();
  SDValue Above = Choice.getOperand(0), Limit = Choice.getOperand(1);
  bool Greater = Above.getOpcode() == IPUISD::FCMPGT;
  if (Above.getOpcode() == ISD::SETCC) {
    ISD::CondCode CC = cast<CondCodeSDNode>(Above.getOperand(2))->get();
    Greater = CC == ISD::SETGT || CC == ISD::SETOGT;
  }
  bool Found = Greater && Above.getOperand(0) == X &&
               Above.getOperand(1) == Limit && isPositive(Limit);
  return Found ? Limit : SDValue();
}

// `x < 0 ? c * x : x` is the greater of the two for c from 0 to 1: zeros are
// their own products, and a NaN is in both. With an upper limit above zero,
// `x < 0 ? c * x : (x > 6 ? 6 : x)`, the limit is taken of the greater one.
static SDValue selectAsLeaky(SDNode *N, SelectionDAG &DAG) {
  int Side = sideOfZero(N->getOperand(0));
  if (!Side)
    return SDValue();
  SDLoc DL(N);
  EVT VT = N->getValueType(0);
  SDValue X = N->getOperand(0).getOperand(0);
  SDValue Product = N->getOperand(Side > 0 ? 1 : 2);
  SDValue Kept = N->getOperand(Side > 0 ? 2 : 1);
  if (!isFractionOf(Product, X))
    return SDValue();
  SDValue Leaky = DAG.getNode(ISD::FMAXNUM, DL, VT, X, Product);
  if (Kept == X)
    return Leaky;
  if (Kept.getOpcode() == ISD::FMINNUM && Kept.getOperand(0) == X &&
      isPositive(Kept.getOperand(1)))
    return DAG.getNode(ISD::FMINNUM, DL, VT, Leaky, Kept.getOperand(1));
  if (SDValue Limit = upperLimit(Kept, X))
    return DAG.getNode(IPUISD::FSEL, DL, VT,
                       DAG.getNode(IPUISD::FCMPGT, DL, VT, Leaky, Limit), Limit,
                       Leaky);
  return SDValue();
}

// Keeps the sign of zero. LLVM turns `x > -0.0 ? x : -0.0` into a maximum,
// because a maximum may return either of two zeros; but for x = +0 the result
// must be -0, and the instruction would give +0.
static SDValue combineMinMax(SDNode *N, SelectionDAG &DAG) {
  SDValue X = N->getOperand(0), Constant = N->getOperand(1);
  auto *C = isConstOrConstSplatFP(Constant);
  bool Maximum = N->getOpcode() == ISD::FMAXNUM;
  if (!C || !C->isZero() || C->isNegative() != Maximum)
    return SDValue();
  SDLoc DL(N);
  EVT VT = N->getValueType(0);
  EVT Compared = DAG.getTargetLoweringInfo().getSetCCResultType(
      DAG.getDataLayout(), *DAG.getContext(), VT);
  SDValue Condition = DAG.getSetCC(DL, Compared, X, Constant,
                                   Maximum ? ISD::SETOGT : ISD::SETOLT);
  return DAG.getSelect(DL, VT, Condition, X, Constant);
}

/// The register type that wider vectors of its lanes are split into.
static EVT partType(EVT VT) {
  if (isAuxType(VT) || !VT.isVector() || !VT.isPow2VectorType())
    return VT;
  if (VT.getVectorElementType() == MVT::f32)
    return MVT::v2f32;
  return VT.getVectorElementType() == MVT::f16 ? EVT(MVT::v4f16) : VT;
}

static SDValue combineSelect(SDNode *N, SelectionDAG &DAG) {
  EVT VT = N->getValueType(0), Part = partType(VT);
  SDValue Condition = N->getOperand(0);
  if (!isAuxType(Part) || VT.isVector() != Condition.getValueType().isVector())
    return SDValue();
  if (SDValue MinMax = selectAsMinMax(N, DAG))
    return MinMax;
  if (SDValue Leaky = selectAsLeaky(N, DAG))
    return Leaky;
  SDLoc DL(N);
  unsigned Lanes = VT.isVector() ? VT.getVectorNumElements() : 1;
  unsigned Step = VT.isVector() ? Part.getVectorNumElements() : 1;
  SmallVector<SDValue, 4> Parts;
  for (unsigned From = 0; From != Lanes; From += Step) {
    SDValue Mask = conditionMask(Condition, Part, From, DL, DAG);
    if (!Mask)
      return SDValue();
    SDValue True = lanesOf(N->getOperand(1), Part, From, DL, DAG);
    SDValue False = lanesOf(N->getOperand(2), Part, From, DL, DAG);
    if (Mask.getOpcode() == IPUISD::FNOT) {
      Mask = Mask.getOperand(0);
      std::swap(True, False);
    }
    Parts.push_back(DAG.getNode(IPUISD::FSEL, DL, Part, Mask, True, False));
  }
  if (Parts.size() == 1)
    return Parts[0];
  return DAG.getNode(ISD::CONCAT_VECTORS, DL, VT, Parts);
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
    return combineSelect(N, DCI.DAG);
  case ISD::FMAXNUM:
  case ISD::FMINNUM:
    return combineMinMax(N, DCI.DAG);
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
