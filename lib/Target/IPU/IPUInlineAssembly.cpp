// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of inline assembly. "r" stands for a register of either file, chosen
// by the operand's type; a half is the lower half of one. Some operands are
// wider than any value that the code generator computes with: 64 bits of
// integers in a pair of main registers, 128 bits of floats in four auxiliary
// ones. They have no value type, so they are put together in front of the
// assembly and taken apart behind it.

#include "lib/Target/IPU/IPU.h"
#include "lib/Target/IPU/IPUISelLowering.h"
#include "lib/Target/IPU/IPUSubtarget.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/CodeGen/SelectionDAG.h"

using namespace llvm;

/// The registers for "r", or null where none holds the type.
static const TargetRegisterClass *registersFor(MVT VT, bool IsSupervisor) {
  if (VT == MVT::Other)
    return &IPU::MRRegClass;
  unsigned Bits = VT.getSizeInBits();
  bool IsAux = !IsSupervisor && (VT.getScalarType() == MVT::f32 ||
                                 VT.getScalarType() == MVT::f16);
  if (Bits <= 32)
    return IsAux ? &IPU::ARRegClass : &IPU::MRRegClass;
  if (Bits == 64)
    return IsAux ? &IPU::ARPairRegClass : &IPU::MRPairRegClass;
  return Bits == 128 && IsAux ? &IPU::ARQuadRegClass : nullptr;
}

std::pair<unsigned, const TargetRegisterClass *>
IPUTargetLowering::getRegForInlineAsmConstraint(const TargetRegisterInfo *TRI,
                                                StringRef Constraint,
                                                MVT VT) const {
  if (Constraint == "r")
    return {0, registersFor(VT, ST.isSupervisor())};
  StringRef Canonical = StringSwitch<StringRef>(Constraint)
                            .Case("{$bp}", "{$m8}")
                            .Case("{$fp}", "{$m9}")
                            .Case("{$lr}", "{$m10}")
                            .Case("{$sp}", "{$m11}")
                            .Case("{$mworker_base}", "{$m12}")
                            .Case("{$mvertex_base}", "{$m13}")
                            .Case("{$mzero}", "{$m15}")
                            .Case("{$azero}", "{$a15}")
                            .Case("{$azeros}", "{$a14:15}")
                            .Default(Constraint);
  // LLVM looks at classes that have a legal type only.
  StringRef Name = Canonical.ltrim('{').rtrim('}');
  for (const TargetRegisterClass *RC :
       {&IPU::MRPairRegClass, &IPU::ARQuadRegClass})
    for (MCPhysReg Reg : *RC)
      if (TRI->getRegAsmName(Reg) == Name)
        return {Reg, RC};
  return TargetLowering::getRegForInlineAsmConstraint(TRI, Canonical, VT);
}

unsigned
IPUTargetLowering::getNumRegisters(LLVMContext &Context, EVT VT,
                                   std::optional<MVT> RegisterVT) const {
  if (RegisterVT == MVT::Untyped)
    return 1;
  return TargetLowering::getNumRegisters(Context, VT, RegisterVT);
}

namespace {
/// The two registers' values that make up a wide operand.
struct Halves {
  const TargetRegisterClass *Registers;
  unsigned Low, High; // subregisters
  MVT WholeVT, HalfVT;
};
} // namespace

static Halves halvesOf(EVT VT) {
  if (VT.getSizeInBits() == 64)
    return {&IPU::MRPairRegClass, IPU::sub_lo, IPU::sub_hi, MVT::i64, MVT::i32};
  return {&IPU::ARQuadRegClass, IPU::sub_pair_lo, IPU::sub_pair_hi, MVT::v4f32,
          MVT::v2f32};
}

/// LLVM names what an auxiliary register holds by the first type of its class,
/// and would convert a half to that: only assembly's operands are such.
static bool isHalfInRegister(EVT VT, MVT PartVT) {
  return VT == MVT::f16 && PartVT == MVT::f32;
}

/// Returns the same bits under another type of the class.
static SDValue inRegisterOf(SelectionDAG &DAG, const SDLoc &DL, EVT VT,
                            SDValue Val) {
  return SDValue(DAG.getMachineNode(TargetOpcode::COPY_TO_REGCLASS, DL, VT, Val,
                                    DAG.getTargetConstant(
                                        IPU::ARRegClass.getID(), DL, MVT::i32)),
                 0);
}

bool IPUTargetLowering::splitValueIntoRegisterParts(
    SelectionDAG &DAG, const SDLoc &DL, SDValue Val, SDValue *Parts,
    unsigned NumParts, MVT PartVT, std::optional<CallingConv::ID>) const {
  if (isHalfInRegister(Val.getValueType(), PartVT)) {
    Parts[0] = inRegisterOf(DAG, DL, PartVT, Val);
    return true;
  }
  if (PartVT != MVT::Untyped)
    return false;
  Halves H = halvesOf(Val.getValueType());
  SDValue Whole = DAG.getBitcast(H.WholeVT, Val);
  bool IsVector = H.WholeVT.isVector();
  auto Half = [&](unsigned I) {
    return IsVector ? DAG.getNode(ISD::EXTRACT_SUBVECTOR, DL, H.HalfVT, Whole,
                                  DAG.getVectorIdxConstant(2 * I, DL))
                    : DAG.getNode(ISD::EXTRACT_ELEMENT, DL, H.HalfVT, Whole,
                                  DAG.getIntPtrConstant(I, DL));
  };
  auto Number = [&](unsigned N) {
    return DAG.getTargetConstant(N, DL, MVT::i32);
  };
  SDValue Ops[] = {Number(H.Registers->getID()), Half(0), Number(H.Low),
                   Half(1), Number(H.High)};
  Parts[0] = SDValue(
      DAG.getMachineNode(TargetOpcode::REG_SEQUENCE, DL, MVT::Untyped, Ops), 0);
  return true;
}

SDValue IPUTargetLowering::joinRegisterPartsIntoValue(
    SelectionDAG &DAG, const SDLoc &DL, const SDValue *Parts, unsigned NumParts,
    MVT PartVT, EVT ValueVT, std::optional<CallingConv::ID>) const {
  if (isHalfInRegister(ValueVT, PartVT))
    return inRegisterOf(DAG, DL, ValueVT, Parts[0]);
  if (PartVT != MVT::Untyped)
    return SDValue();
  Halves H = halvesOf(ValueVT);
  SDValue Low = DAG.getTargetExtractSubreg(H.Low, DL, H.HalfVT, Parts[0]);
  SDValue High = DAG.getTargetExtractSubreg(H.High, DL, H.HalfVT, Parts[0]);
  unsigned Join = H.WholeVT.isVector() ? ISD::CONCAT_VECTORS : ISD::BUILD_PAIR;
  return DAG.getBitcast(ValueVT, DAG.getNode(Join, DL, H.WholeVT, Low, High));
}
