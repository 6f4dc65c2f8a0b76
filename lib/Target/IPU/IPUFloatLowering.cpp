// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Legalization of float, and what leads from the main file of registers to the
// auxiliary file and back: values go there through memory, and come back with
// `atom`.

#include "lib/Target/IPU/IPU.h"
#include "lib/Target/IPU/IPUISelLowering.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/SelectionDAG.h"

using namespace llvm;

void IPUTargetLowering::setFloatActions() {
  for (unsigned Op :
       {ISD::FREM,      ISD::FMA,      ISD::FSIN,     ISD::FCOS,
        ISD::FTAN,      ISD::FSINCOS,  ISD::FASIN,    ISD::FACOS,
        ISD::FATAN,     ISD::FSINH,    ISD::FCOSH,    ISD::FPOW,
        ISD::FPOWI,     ISD::FLOG10,   ISD::FEXP10,   ISD::FLDEXP,
        ISD::FFREXP,    ISD::FMINIMUM, ISD::FMAXIMUM, ISD::SELECT_CC,
        ISD::IS_FPCLASS})
    setOperationAction(Op, MVT::f32, Expand);
  for (unsigned Op :
       {ISD::FABS, ISD::FNEG, ISD::FCOPYSIGN, ISD::FSQRT, ISD::FMINNUM,
        ISD::FMAXNUM, ISD::FEXP, ISD::FEXP2, ISD::FLOG, ISD::FLOG2, ISD::FTANH,
        ISD::FCEIL, ISD::FFLOOR, ISD::FTRUNC, ISD::FRINT, ISD::FNEARBYINT,
        ISD::FROUND, ISD::FROUNDEVEN})
    setOperationAction(Op, MVT::f32, Legal);
  for (unsigned Op : {ISD::BR_CC, ISD::SETCC, ISD::FCANONICALIZE})
    setOperationAction(Op, MVT::f32, Custom);
  for (unsigned Op :
       {ISD::SINT_TO_FP, ISD::UINT_TO_FP, ISD::FP_TO_SINT, ISD::FP_TO_UINT})
    setOperationAction(Op, MVT::i32, Custom);
  setIndexedLoadAction(ISD::POST_INC, MVT::f32, Legal);
  setIndexedStoreAction(ISD::POST_INC, MVT::f32, Legal);
  setLoadExtAction(ISD::EXTLOAD, MVT::f64, MVT::f32, Expand);
  setTruncStoreAction(MVT::f64, MVT::f32, Expand);
}

/// The bits of an integer that is only converted, loaded into the auxiliary
/// file right away; null for other integers.
static SDValue loadedBits(SDValue Int, const SDLoc &DL, SelectionDAG &DAG) {
  auto *Load = dyn_cast<LoadSDNode>(Int);
  if (!Load || !Load->isSimple() || !Load->hasNUsesOfValue(1, 0) ||
      !ISD::isNormalLoad(Load) || Load->getAlign() < Align(4))
    return SDValue();
  SDValue Bits = DAG.getLoad(MVT::f32, DL, Load->getChain(), Load->getBasePtr(),
                             Load->getMemOperand());
  DAG.makeEquivalentMemoryOrdering(Load, Bits);
  return Bits;
}

SDValue IPUTargetLowering::lowerIntToFloat(SDValue Op,
                                           SelectionDAG &DAG) const {
  SDLoc DL(Op);
  unsigned Opcode = Op.getOpcode() == ISD::SINT_TO_FP ? IPUISD::F32FROMI32
                                                      : IPUISD::F32FROMUI32;
  SDValue Int = Op.getOperand(0);
  SDValue Bits = loadedBits(Int, DL, DAG);
  if (!Bits)
    Bits = DAG.getNode(ISD::BITCAST, DL, MVT::f32, Int);
  SDValue Float = DAG.getNode(Opcode, DL, MVT::f32, Bits);
  return DAG.getFPExtendOrRound(Float, DL, Op.getValueType());
}

SDValue IPUTargetLowering::lowerFloatToInt(SDValue Op,
                                           SelectionDAG &DAG) const {
  SDLoc DL(Op);
  unsigned Opcode =
      Op.getOpcode() == ISD::FP_TO_SINT ? IPUISD::F32TOI32 : IPUISD::F32TOUI32;
  SDValue Float = Op.getOperand(0);
  if (Float.getValueType() == MVT::f16)
    Float = DAG.getNode(ISD::FP_EXTEND, DL, MVT::f32, Float);
  SDValue Whole = DAG.getNode(ISD::FTRUNC, DL, MVT::f32, Float);
  SDValue Bits = DAG.getNode(Opcode, DL, MVT::f32, Whole);
  return DAG.getNode(ISD::BITCAST, DL, MVT::i32, Bits);
}

// Lowers the rounding of halves, which no library function takes.
SDValue IPUTargetLowering::lowerRoundToInt(SDValue Op,
                                           SelectionDAG &DAG) const {
  SDLoc DL(Op);
  SDValue Float = DAG.getNode(ISD::FP_EXTEND, DL, MVT::f32, Op.getOperand(0));
  return DAG.getNode(Op.getOpcode(), DL, Op.getValueType(), Float);
}

// Subtracts zero, because arithmetic makes NaN canonical. The result is a
// machine node, since LLVM would remove the subtraction.
SDValue IPUTargetLowering::lowerCanonicalize(SDValue Op,
                                             SelectionDAG &DAG) const {
  SDLoc DL(Op);
  SDValue Float = DAG.getFPExtendOrRound(Op.getOperand(0), DL, MVT::f32);
  SDValue Zero = DAG.getRegister(IPU::A15, MVT::f32);
  SDValue Result(DAG.getMachineNode(IPU::F32SUB, DL, MVT::f32, Float, Zero), 0);
  return DAG.getFPExtendOrRound(Result, DL, Op.getValueType());
}

// Between i16 and f16, where i16 is no register type; within the auxiliary
// file, where nothing is to be done; into it from the main file, which the
// legalizer does through memory.
SDValue IPUTargetLowering::lowerBitcast(SDValue Op, SelectionDAG &DAG) const {
  SDLoc DL(Op);
  SDValue Value = Op.getOperand(0);
  EVT To = Op.getValueType(), From = Value.getValueType();
  if (To == MVT::i16 && From == MVT::f16)
    return DAG.getNode(ISD::TRUNCATE, DL, MVT::i16,
                       DAG.getNode(IPUISD::F16BITS, DL, MVT::i32, Value));
  if (To == MVT::f16 && From == MVT::i16) {
    SDValue Slot = DAG.CreateStackTemporary(MVT::i32);
    MachinePointerInfo Info = MachinePointerInfo::getFixedStack(
        DAG.getMachineFunction(), cast<FrameIndexSDNode>(Slot)->getIndex());
    SDValue Word = DAG.getNode(ISD::ANY_EXTEND, DL, MVT::i32, Value);
    SDValue Chain = DAG.getStore(DAG.getEntryNode(), DL, Word, Slot, Info);
    return DAG.getLoad(MVT::f16, DL, Chain, Slot, Info);
  }
  bool Stays = isTypeLegal(From) && From != MVT::i32;
  return Stays ? Op : SDValue();
}
