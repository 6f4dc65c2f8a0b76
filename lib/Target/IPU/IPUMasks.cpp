// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A comparison of floats gives a mask in the type of its operands: all ones or
// zero in each lane. Conditions that are made of comparisons become logic on
// such masks in the auxiliary pipe.

#include "lib/Target/IPU/IPUMasks.h"
#include "lib/Target/IPU/IPUISelLowering.h"

using namespace llvm;

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

SDValue ipu::lanesOf(SDValue V, EVT VT, unsigned From, const SDLoc &DL,
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

SDValue ipu::conditionMask(SDValue Condition, EVT VT, unsigned From,
                           const SDLoc &DL, SelectionDAG &DAG, unsigned Depth) {
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
