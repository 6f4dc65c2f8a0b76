// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats that are no register types: double, and all floats of supervisors. The
// legalizer makes calls of the device library of their arithmetic. Functions
// that take or return a float or a half have a version of their own for
// supervisors, which pass them in integer registers; those of doubles and
// integers alone are for both (lib/Device/Float.cpp).

#include "lib/Target/IPU/IPUISelLowering.h"
#include "lib/Target/IPU/IPUSubtarget.h"
#include "llvm/CodeGen/SelectionDAG.h"

using namespace llvm;

// Names that workers use are those of functions for workers.
static constexpr struct {
  RTLIB::Libcall Call;
  const char *Name;
} SupervisorCalls[] = {
    {RTLIB::FPEXT_F16_F32, "__extendhfsf2.supervisor"},
    {RTLIB::FPEXT_F16_F64, "__extendhfdf2.supervisor"},
    {RTLIB::FPEXT_F32_F64, "__extendsfdf2.supervisor"},
    {RTLIB::FPROUND_F32_F16, "__truncsfhf2.supervisor"},
    {RTLIB::FPROUND_F64_F16, "__truncdfhf2.supervisor"},
    {RTLIB::FPROUND_F64_F32, "__truncdfsf2.supervisor"},
    {RTLIB::FPTOSINT_F32_I64, "__fixsfdi.supervisor"},
    {RTLIB::FPTOUINT_F32_I64, "__fixunssfdi.supervisor"},
    {RTLIB::SINTTOFP_I64_F32, "__floatdisf.supervisor"},
    {RTLIB::UINTTOFP_I64_F32, "__floatundisf.supervisor"},
};

void IPUTargetLowering::setSoftFloatActions() {
  // The legalizer has no calls for these.
  setTargetDAGCombine({ISD::FMINIMUM, ISD::FMAXIMUM, ISD::FCANONICALIZE});
  if (ST.isSupervisor())
    for (const auto &[Call, Name] : SupervisorCalls)
      setLibcallName(Call, Name);
}

// Halves are rounded after each operation, as those of workers are.
bool IPUTargetLowering::softPromoteHalfType() const {
  return ST.isSupervisor();
}

static SDValue quietNan(EVT VT, const SDLoc &DL, SelectionDAG &DAG) {
  const fltSemantics &Format = SelectionDAG::EVTToAPFloatSemantics(VT);
  return DAG.getConstantFP(APFloat::getQNaN(Format), DL, VT);
}

// Numbers that are equal differ at most in the sign of a zero, which is a
// matter of their bits.
static SDValue expandMinMax(SDNode *N, SelectionDAG &DAG) {
  SDLoc DL(N);
  EVT VT = N->getValueType(0);
  EVT Bits = VT.changeTypeToInteger();
  SDValue A = N->getOperand(0), B = N->getOperand(1);
  bool IsMin = N->getOpcode() == ISD::FMINIMUM;
  auto Select = [&](ISD::CondCode If, SDValue Then, SDValue Else) {
    return DAG.getSelect(DL, VT, DAG.getSetCC(DL, MVT::i32, A, B, If), Then,
                         Else);
  };
  SDValue Zero = DAG.getBitcast(VT, DAG.getNode(IsMin ? ISD::OR : ISD::AND, DL,
                                                Bits, DAG.getBitcast(Bits, A),
                                                DAG.getBitcast(Bits, B)));
  SDValue Number = Select(IsMin ? ISD::SETOLT : ISD::SETOGT, A, B);
  return Select(ISD::SETUO, quietNan(VT, DL, DAG),
                Select(ISD::SETOEQ, Zero, Number));
}

SDValue IPUTargetLowering::combineSoftFloat(SDNode *N,
                                            SelectionDAG &DAG) const {
  EVT VT = N->getValueType(0);
  if (isTypeLegal(VT.getScalarType()))
    return SDValue();
  if (VT.isVector())
    return DAG.UnrollVectorOp(N);
  if (N->getOpcode() != ISD::FCANONICALIZE)
    return expandMinMax(N, DAG);
  SDLoc DL(N);
  SDValue Value = N->getOperand(0);
  SDValue IsNan = DAG.getSetCC(DL, MVT::i32, Value, Value, ISD::SETUO);
  return DAG.getSelect(DL, VT, IsNan, quietNan(VT, DL, DAG), Value);
}
