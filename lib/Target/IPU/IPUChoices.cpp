// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choices between floats: limits and leaky functions become minima and maxima
// where zeros and NaNs allow it, all others logic with masks. A branch would
// cost more and keep a loop from being repeated without overhead.

#include "lib/Target/IPU/IPUISelLowering.h"
#include "lib/Target/IPU/IPUMasks.h"

using namespace llvm;
using namespace llvm::ipu;

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
SDValue ipu::combineMinMax(SDNode *N, SelectionDAG &DAG) {
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

SDValue ipu::combineSelect(SDNode *N, SelectionDAG &DAG) {
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
