// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selection of the builtins that have a constant in the instruction, or that
// read or write what is not in general registers: control registers,
// accumulators, $TAS, weights. Such nodes carry a chain, which keeps their
// order; the machine instructions name the accumulators and $TAS as registers,
// so that they can still be moved between others. A constant that is none, or
// too large, is reported with its place in the source.

#include "lib/Target/IPU/IPU.h"
#include "lib/Target/IPU/IPUAccumulatorOwners.h"
#include "lib/Target/IPU/IPUSubtarget.h"
#include "lib/Target/IPU/IPUTargetIntrinsicInfo.h"
#include "lib/Target/IPU/MCTargetDesc/IPUBaseInfo.h"
#include "llvm/CodeGen/SelectionDAG.h"
#include "llvm/IR/DiagnosticInfo.h"

using namespace llvm;

namespace {
/// An intrinsic, its instruction, and how wide its constant is (the last
/// operand; 0: it has none).
struct Row {
  unsigned Intrinsic;
  unsigned Opcode;
  unsigned ImmBits;
  // $TAS or the scale comes first in the builtin, second in the instruction.
  bool Swapped = false;
};
} // namespace

static const Row Rows[] = {
    {Intrinsic::ipu_get, IPU::GET, 8},
    {Intrinsic::ipu_ugetf, IPU::UGET, 8},
    {Intrinsic::ipu_put, IPU::PUT, 8, true},
    {Intrinsic::ipu_uputf, IPU::UPUT, 8, true},
    {Intrinsic::ipu_ld64putcs, IPU::LD64PUTCS, 6},
    {Intrinsic::ipu_ld128putcs, IPU::LD128PUTCS, 6},
    {Intrinsic::ipu_f32int, IPU::F32INT, 3},
    {Intrinsic::ipu_f32mac, IPU::F32MAC, 0},
    {Intrinsic::ipu_f32v2mac, IPU::F32V2MAC, 0},
    {Intrinsic::ipu_f16v2cmac, IPU::F16V2CMAC, 0},
    {Intrinsic::ipu_f16v4cmac, IPU::F16V4CMAC, 0},
    {Intrinsic::ipu_f32v4acc, IPU::F32V4ACC, 0},
    {Intrinsic::ipu_f32v4absacc, IPU::F32V4ABSACC, 0},
    {Intrinsic::ipu_f32v4sqacc, IPU::F32V4SQACC, 0},
    {Intrinsic::ipu_f16v4acc, IPU::F16V4ACC, 0},
    {Intrinsic::ipu_f16v4absacc, IPU::F16V4ABSACC, 0},
    {Intrinsic::ipu_f16v8acc, IPU::F16V8ACC, 0},
    {Intrinsic::ipu_f16v8absacc, IPU::F16V8ABSACC, 0},
    {Intrinsic::ipu_f16v8sqacc, IPU::F16V8SQACC, 0},
    {Intrinsic::ipu_f32v2aop, IPU::F32V2AOP, 8},
    {Intrinsic::ipu_f32v2axpy, IPU::F32V2AXPY, 0, true},
    {Intrinsic::ipu_f16v4mix, IPU::F16V4MIX, 0},
    {Intrinsic::ipu_f32v2gina, IPU::F32V2GINA, 12},
    {Intrinsic::ipu_f16v2gina, IPU::F16V2GINA, 12},
    {Intrinsic::ipu_f16v4gacc, IPU::F16V4GACC, 0},
    {Intrinsic::ipu_f32sisoamp, IPU::F32SISOAMP, 8},
    {Intrinsic::ipu_f32sisov2amp, IPU::F32SISOV2AMP, 8},
    {Intrinsic::ipu_f16v4sisoamp, IPU::F16V4SISOAMP, 8},
    {Intrinsic::ipu_f16v4sihoamp, IPU::F16V4SIHOAMP, 8},
    {Intrinsic::ipu_f16v4hihoamp, IPU::F16V4HIHOAMP, 8},
    {Intrinsic::ipu_f16v4hihov4amp, IPU::F16V4HIHOV4AMP, 8},
    {Intrinsic::ipu_f32sisoslic, IPU::F32SISOSLIC, 8},
    {Intrinsic::ipu_f16v4sisoslic, IPU::F16V4SISOSLIC, 8},
    {Intrinsic::ipu_f16v4sihoslic, IPU::F16V4SIHOSLIC, 8},
    {Intrinsic::ipu_f16v4hihoslic, IPU::F16V4HIHOSLIC, 8},
    {Intrinsic::ipu_f16v4hihov4slic, IPU::F16V4HIHOV4SLIC, 8},
};

static const Row *rowOf(unsigned Intrinsic) {
  const Row *R =
      find_if(Rows, [&](const Row &R) { return R.Intrinsic == Intrinsic; });
  return R == std::end(Rows) ? nullptr : R;
}

static void report(SelectionDAG &DAG, const SDNode *N, const Twine &Message) {
  DAG.getContext()->diagnose(DiagnosticInfoUnsupported(
      DAG.getMachineFunction().getFunction(), Message, N->getDebugLoc()));
}

/// The constant as the instruction takes it.
static uint64_t immediate(SelectionDAG &DAG, const SDNode *N, SDValue Operand,
                          const Row &R) {
  auto *C = dyn_cast<ConstantSDNode>(Operand);
  if (!C) {
    report(DAG, N, "an operand of this builtin must be a constant");
    return 0;
  }
  uint64_t Value = C->getZExtValue();
  // The upper control registers are also known as 256 and up.
  if ((R.Opcode == IPU::UGET || R.Opcode == IPU::UPUT) && Value >= 256 &&
      Value < 512)
    Value -= 256;
  if (!isUIntN(R.ImmBits, Value)) {
    report(DAG, N,
           "the constant operand of this builtin must be at most " +
               Twine(maskTrailingOnes<uint64_t>(R.ImmBits)));
    return 0;
  }
  return Value;
}

/// Reports what the processor does not have.
static void checkSets(SelectionDAG &DAG, const SDNode *N, const Row &R,
                      uint64_t Imm) {
  const IPUSubtarget &ST = DAG.getSubtarget<IPUSubtarget>();
  StringRef Missing = IPUII::secondSetOf(R.Opcode, Imm);
  if (!ST.hasTwoSets() && !Missing.empty())
    report(DAG, N, ST.getCPU() + " does not have " + Missing);
}

// Conservative for ipu_uput: the number of its register is ignored.
bool llvm::usesAccumulators(unsigned Intrinsic, const MCInstrInfo &Table) {
  if (Intrinsic == Intrinsic::ipu_uput)
    return true;
  const Row *R = rowOf(Intrinsic);
  if (!R)
    return false;
  const MCInstrDesc &Desc = Table.get(R->Opcode);
  return Desc.hasImplicitUseOfPhysReg(IPU::AACC) ||
         Desc.hasImplicitDefOfPhysReg(IPU::AACC);
}

/// Returns whether an instruction has one source, of four registers.
static bool takesQuad(const MCInstrDesc &Desc) {
  return Desc.getNumOperands() == 1 &&
         Desc.operands()[0].RegClass == IPU::ARQuadRegClassID;
}

/// Four registers, of two pairs.
static SDValue quadOf(SelectionDAG &DAG, const SDLoc &DL, SDValue Low,
                      SDValue High) {
  auto Constant = [&](unsigned Value) {
    return DAG.getTargetConstant(Value, DL, MVT::i32);
  };
  SDValue Parts[] = {Constant(IPU::ARQuadRegClassID), Low,
                     Constant(IPU::sub_pair_lo), High,
                     Constant(IPU::sub_pair_hi)};
  return SDValue(
      DAG.getMachineNode(TargetOpcode::REG_SEQUENCE, DL, MVT::Untyped, Parts),
      0);
}

MachineSDNode *llvm::selectIPUIntrinsic(SelectionDAG &DAG, SDNode *N) {
  bool HasChain = N->getOpcode() != ISD::INTRINSIC_WO_CHAIN;
  uint64_t ID = N->getConstantOperandVal(HasChain);
  const Row *R = rowOf(ID);
  if (!R)
    return nullptr;
  SmallVector<SDValue, 4> Ops(N->op_begin() + HasChain + 1, N->op_end());
  if (R->ImmBits) {
    uint64_t Imm = immediate(DAG, N, Ops.back(), *R);
    checkSets(DAG, N, *R, Imm);
    Ops.back() = DAG.getTargetConstant(Imm, SDLoc(N), MVT::i32);
  }
  if (R->Swapped)
    std::swap(Ops[0], Ops[1]);
  if (takesQuad(DAG.getSubtarget().getInstrInfo()->get(R->Opcode)))
    Ops = {quadOf(DAG, SDLoc(N), Ops[0], Ops[1])};
  if (HasChain)
    Ops.push_back(N->getOperand(0));
  return DAG.getMachineNode(R->Opcode, SDLoc(N), N->getVTList(), Ops);
}
