// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instruction selection: the generated matcher, and by hand what patterns
// cannot say well: constants in one or two instructions, and addresses.

#include "lib/Target/IPU/IPU.h"
#include "lib/Target/IPU/IPUISelLowering.h"
#include "lib/Target/IPU/IPUSubtarget.h"
#include "lib/Target/IPU/IPUTargetIntrinsicInfo.h"
#include "lib/Target/IPU/IPUTargetMachine.h"
#include "llvm/CodeGen/FunctionLoweringInfo.h"
#include "llvm/CodeGen/SelectionDAGISel.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

#define DEBUG_TYPE "ipu-isel"
#define PASS_NAME "IPU instruction selection"

/// Operations in one condition that are looked at.
static constexpr unsigned MaxMaskDepth = 6;

/// Returns whether a value is a mask of a comparison of floats, or logic on
/// such masks: all its bits are equal.
static bool isMask(SDValue V, unsigned Depth = 0) {
  auto Is = [&](unsigned I) { return isMask(V.getOperand(I), Depth + 1); };
  // Lanes differ, unless one value is in all.
  if (Depth > MaxMaskDepth ||
      (V.getValueType().isVector() && V.getOpcode() != IPUISD::SPLAT))
    return false;
  switch (V.getOpcode()) {
  case IPUISD::FCMPEQ:
  case IPUISD::FCMPNE:
  case IPUISD::FCMPLT:
  case IPUISD::FCMPLE:
  case IPUISD::FCMPGT:
  case IPUISD::FCMPGE:
    return true;
  case ISD::BITCAST:
  case IPUISD::SPLAT:
  case IPUISD::FNOT:
    return Is(0);
  case ISD::AND:
  case ISD::OR:
  case ISD::XOR:
  case IPUISD::FAND:
  case IPUISD::FOR:
    return Is(0) && Is(1);
  default:
    return false;
  }
}

namespace {

class IPUDAGToDAGISel : public SelectionDAGISel {
public:
  IPUDAGToDAGISel(IPUTargetMachine &TM, CodeGenOptLevel OptLevel)
      : SelectionDAGISel(TM, OptLevel) {}

  void Select(SDNode *N) override;

  bool SelectInlineAsmMemoryOperand(const SDValue &Op,
                                    InlineAsm::ConstraintCode,
                                    std::vector<SDValue> &OutOps) override;

  template <unsigned Size>
  bool selectAddress(SDValue Address, SDValue &Base, SDValue &Delta,
                     SDValue &Offset) {
    return selectAddressOfSize(Size, Address, Base, Delta, Offset);
  }

  template <unsigned Size>
  bool selectIndexed(SDValue Address, SDValue &Base, SDValue &Delta,
                     SDValue &Index) {
    return selectIndexedOfSize(Size, Address, Base, Delta, Index);
  }

  bool selectIndexedWord(SDValue Address, SDValue &Base, SDValue &Index) {
    SDValue Delta;
    return selectIndexedOfSize(4, Address, Base, Delta, Index) &&
           isa<RegisterSDNode>(Delta);
  }

private:
  bool selectIndexedOfSize(unsigned Size, SDValue Address, SDValue &Base,
                           SDValue &Delta, SDValue &Index);
  bool selectAddressOfSize(unsigned Size, SDValue Address, SDValue &Base,
                           SDValue &Delta, SDValue &Offset);
  SDValue baseRegister(SDValue Value);
  void selectConstant(SDNode *N, uint32_t Bits, unsigned SetZI, unsigned OrHigh,
                      MCRegister Zero);

  void selectFloatConstant(SDNode *N, uint32_t Bits);
  bool selectHalvesConstant(SDNode *N);
  bool selectPostIncrement(SDNode *N);
  bool selectLoopCounter(SDNode *N);
  bool isPhi(SDValue V) const;
  bool selectKept(SDNode *N);

  SDValue imm(int64_t Value, const SDLoc &DL) {
    return CurDAG->getTargetConstant(Value, DL, MVT::i32);
  }

#include "lib/Target/IPU/IPUGenDAGISel.inc"
};

class IPUDAGToDAGISelLegacy : public SelectionDAGISelLegacy {
public:
  static char ID;
  IPUDAGToDAGISelLegacy(IPUTargetMachine &TM, CodeGenOptLevel OptLevel)
      : SelectionDAGISelLegacy(
            ID, std::make_unique<IPUDAGToDAGISel>(TM, OptLevel)) {}
  StringRef getPassName() const override { return PASS_NAME; }
};

} // namespace

char IPUDAGToDAGISelLegacy::ID = 0;

FunctionPass *llvm::createIPUISelDag(IPUTargetMachine &TM,
                                     CodeGenOptLevel OptLevel) {
  return new IPUDAGToDAGISelLegacy(TM, OptLevel);
}

// Twenty low bits by setzi, the twelve high ones by or; small negative integers
// by one addition; zero is a register.
void IPUDAGToDAGISel::selectConstant(SDNode *N, uint32_t Bits, unsigned SetZI,
                                     unsigned OrHigh, MCRegister Zero) {
  SDLoc DL(N);
  EVT VT = N->getValueType(0);
  if (Bits == 0) {
    SDValue Copy = CurDAG->getCopyFromReg(CurDAG->getEntryNode(), DL, Zero, VT);
    ReplaceNode(N, Copy.getNode());
    return;
  }
  uint32_t Low = Bits & 0xfffff;
  int32_t High = static_cast<int32_t>(Bits & 0xfff00000);
  SDValue ZeroReg = CurDAG->getRegister(Zero, VT);
  if (VT == MVT::i32 && High && isInt<16>(static_cast<int32_t>(Bits))) {
    CurDAG->SelectNodeTo(N, IPU::ADD_rs, VT, ZeroReg,
                         imm(static_cast<int32_t>(Bits), DL));
    return;
  }
  if (!High) {
    CurDAG->SelectNodeTo(N, SetZI, VT, imm(Low, DL));
    return;
  }
  SDValue Base = ZeroReg;
  if (Low)
    Base = SDValue(CurDAG->getMachineNode(SetZI, DL, VT, imm(Low, DL)), 0);
  CurDAG->SelectNodeTo(N, OrHigh, VT, Base, imm(High, DL));
}

/// Returns a floating point constant as a register holds it: a half twice.
static uint32_t bitsInRegister(SDValue Constant) {
  uint32_t Bits = cast<ConstantFPSDNode>(Constant)
                      ->getValueAPF()
                      .bitcastToAPInt()
                      .getZExtValue();
  return Constant.getValueType() == MVT::f16 ? Bits | Bits << 16 : Bits;
}

void IPUDAGToDAGISel::selectFloatConstant(SDNode *N, uint32_t Bits) {
  selectConstant(N, Bits, IPU::SETZI_a, IPU::OR_a_rh, IPU::A15);
}

// Two different halves in one word.
bool IPUDAGToDAGISel::selectHalvesConstant(SDNode *N) {
  if (N->getValueType(0) != MVT::v2f16 ||
      !ISD::isBuildVectorOfConstantFPSDNodes(N))
    return false;
  auto Half = [&](unsigned I) {
    SDValue Lane = N->getOperand(I);
    return Lane.isUndef() ? 0 : bitsInRegister(Lane) & 0xffff;
  };
  selectFloatConstant(N, Half(0) | Half(1) << 16);
  return true;
}

/// Returns whether a value is chosen by where this block was entered from.
bool IPUDAGToDAGISel::isPhi(SDValue V) const {
  if (V.getOpcode() != ISD::CopyFromReg)
    return false;
  Register Reg = cast<RegisterSDNode>(V.getOperand(1))->getReg();
  if (!Reg.isVirtual())
    return false;
  const MachineInstr *Def =
      CurDAG->getMachineFunction().getRegInfo().getVRegDef(Reg);
  return Def && Def->isPHI() && Def->getParent() == FuncInfo->MBB;
}

// `c ? high : middle`, where `high` goes round a loop, replaces `high` if c
// does not hold. The pattern would replace `middle`, which then has to be
// copied to where the next iteration looks for it.
bool IPUDAGToDAGISel::selectKept(SDNode *N) {
  SDValue Condition = N->getOperand(0), True = N->getOperand(1),
          False = N->getOperand(2);
  if (N->getValueType(0) != MVT::i32 || !isPhi(True) || isPhi(False))
    return false;
  if (Condition.getOpcode() == ISD::SETCC &&
      isNullConstant(Condition.getOperand(1)))
    return false;
  if (Condition.getOpcode() == ISD::AND &&
      isOneConstant(Condition.getOperand(1)) && isMask(Condition.getOperand(0)))
    Condition = Condition.getOperand(0);
  CurDAG->SelectNodeTo(N, IPU::MOVZ, MVT::i32, True, Condition, False);
  return true;
}

void IPUDAGToDAGISel::Select(SDNode *N) {
  if (N->isMachineOpcode()) {
    N->setNodeId(-1);
    return;
  }
  switch (N->getOpcode()) {
  case ISD::Constant:
    selectConstant(N, cast<ConstantSDNode>(N)->getZExtValue(), IPU::SETZI_m,
                   IPU::OR_m_rh, IPU::M15);
    return;
  case ISD::ConstantFP:
    selectFloatConstant(N, bitsInRegister(SDValue(N, 0)));
    return;
  case ISD::BUILD_VECTOR:
    if (ISD::isBuildVectorAllZeros(N)) {
      bool Pair = N->getValueType(0) != MVT::v2f16;
      selectConstant(N, 0, IPU::SETZI_a, IPU::OR_a_rh,
                     Pair ? IPU::A14_15 : IPU::A15);
      return;
    }
    if (selectHalvesConstant(N))
      return;
    break;
  case ISD::SELECT:
    if (selectKept(N))
      return;
    break;
  case ISD::FrameIndex: {
    SDLoc DL(N);
    int FI = cast<FrameIndexSDNode>(N)->getIndex();
    CurDAG->SelectNodeTo(N, IPU::ADD_rs, MVT::i32,
                         CurDAG->getTargetFrameIndex(FI, MVT::i32), imm(0, DL));
    return;
  }
  case ISD::INTRINSIC_WO_CHAIN:
  case ISD::INTRINSIC_W_CHAIN:
  case ISD::INTRINSIC_VOID:
    if (N->getOpcode() == ISD::INTRINSIC_W_CHAIN && N->getNumOperands() > 2 &&
        selectLoopCounter(N))
      return;
    if (MachineSDNode *Selected = selectIPUIntrinsic(*CurDAG, N)) {
      ReplaceNode(N, Selected);
      return;
    }
    break;
  case ISD::LOAD:
  case ISD::STORE:
    if (selectPostIncrement(N))
      return;
    break;
  }
  SelectCode(N);
}

static unsigned stepOpcode(const LSBaseSDNode &Access) {
  EVT VT = Access.getMemoryVT();
  bool Pair = VT == MVT::v2f32 || VT == MVT::v4f16;
  bool Aux = VT == MVT::f32 || VT == MVT::v2f16;
  if (isa<StoreSDNode>(Access) && Pair)
    return IPU::ST64STEP_i;
  if (isa<StoreSDNode>(Access))
    return Aux ? IPU::ST32STEP_a_i : IPU::ST32STEP_m_i;
  bool Signed = cast<LoadSDNode>(Access).getExtensionType() == ISD::SEXTLOAD;
  if (VT == MVT::i8)
    return Signed ? IPU::LDS8STEP_i : IPU::LDZ8STEP_i;
  if (VT == MVT::i16)
    return Signed ? IPU::LDS16STEP_i : IPU::LDZ16STEP_i;
  if (VT == MVT::f16)
    return IPU::LDB16STEP_i;
  if (Pair)
    return IPU::LD64STEP_i;
  return Aux ? IPU::LD32STEP_a_i : IPU::LD32STEP_m_i;
}

// The moving pointer is the delta, the base is zero.
bool IPUDAGToDAGISel::selectPostIncrement(SDNode *N) {
  auto &Access = *cast<LSBaseSDNode>(N);
  if (Access.getAddressingMode() != ISD::POST_INC)
    return false;
  SDLoc DL(N);
  int64_t Size = Access.getMemoryVT().getStoreSize();
  int64_t Stride = cast<ConstantSDNode>(Access.getOffset())->getSExtValue();
  SmallVector<SDValue, 5> Ops;
  if (auto *Store = dyn_cast<StoreSDNode>(N))
    Ops.push_back(Store->getValue());
  Ops.append({CurDAG->getRegister(IPU::M15, MVT::i32), Access.getBasePtr(),
              imm(Stride / Size, DL), Access.getChain()});
  MachineSDNode *Step =
      CurDAG->getMachineNode(stepOpcode(Access), DL, N->getVTList(), Ops);
  CurDAG->setNodeMemRefs(Step, {Access.getMemOperand()});
  ReplaceNode(N, Step);
  return true;
}

// The count is an ordinary value; to subtract from it needs no chain.
bool IPUDAGToDAGISel::selectLoopCounter(SDNode *N) {
  SDValue Counter = N->getOperand(2);
  switch (N->getConstantOperandVal(1)) {
  case Intrinsic::start_loop_iterations:
    break;
  case Intrinsic::loop_decrement_reg: {
    SDLoc DL(N);
    SDValue Bound = imm(N->getConstantOperandVal(3), DL);
    Counter = SDValue(
        CurDAG->getMachineNode(IPU::LOOP_DEC, DL, MVT::i32, Counter, Bound), 0);
    break;
  }
  default:
    return false;
  }
  ReplaceUses(SDValue(N, 0), Counter);
  ReplaceUses(SDValue(N, 1), N->getOperand(0));
  CurDAG->RemoveDeadNode(N);
  return true;
}

SDValue IPUDAGToDAGISel::baseRegister(SDValue Value) {
  if (auto *FI = dyn_cast<FrameIndexSDNode>(Value))
    return CurDAG->getTargetFrameIndex(FI->getIndex(), MVT::i32);
  return Value;
}

// base + unsigned multiple of the size, else base + delta, else the address
// alone.
bool IPUDAGToDAGISel::selectAddressOfSize(unsigned Size, SDValue Address,
                                          SDValue &Base, SDValue &Delta,
                                          SDValue &Offset) {
  SDLoc DL(Address);
  Delta = CurDAG->getRegister(IPU::M15, MVT::i32);
  Offset = imm(0, DL);
  if (CurDAG->isBaseWithConstantOffset(Address)) {
    int64_t Bytes = cast<ConstantSDNode>(Address.getOperand(1))->getSExtValue();
    if (Bytes >= 0 && Bytes % Size == 0 && isUInt<12>(Bytes / Size)) {
      Base = baseRegister(Address.getOperand(0));
      Offset = imm(Bytes / Size, DL);
      return true;
    }
  }
  if (Address.getOpcode() == ISD::ADD) {
    Base = baseRegister(Address.getOperand(0));
    Delta = Address.getOperand(1);
    return true;
  }
  Base = baseRegister(Address);
  return true;
}

// base + delta + a register that is multiplied by the size.
bool IPUDAGToDAGISel::selectIndexedOfSize(unsigned Size, SDValue Address,
                                          SDValue &Base, SDValue &Delta,
                                          SDValue &Index) {
  if (Address.getOpcode() != ISD::ADD)
    return false;
  auto ScaledIndex = [&](SDValue Value) {
    auto *Amount = Value.getOpcode() == ISD::SHL
                       ? dyn_cast<ConstantSDNode>(Value.getOperand(1))
                       : nullptr;
    return Amount && Amount->getZExtValue() == Log2_32(Size)
               ? Value.getOperand(0)
               : SDValue();
  };
  Base = Address.getOperand(0);
  Index = ScaledIndex(Address.getOperand(1));
  if (!Index) {
    Base = Address.getOperand(1);
    Index = ScaledIndex(Address.getOperand(0));
  }
  if (!Index)
    return false;
  Delta = CurDAG->getRegister(IPU::M15, MVT::i32);
  if (Base.getOpcode() == ISD::ADD &&
      !isa<ConstantSDNode>(Base.getOperand(1))) {
    Delta = Base.getOperand(1);
    Base = Base.getOperand(0);
  }
  return true;
}

bool IPUDAGToDAGISel::SelectInlineAsmMemoryOperand(
    const SDValue &Op, InlineAsm::ConstraintCode,
    std::vector<SDValue> &OutOps) {
  SDLoc DL(Op);
  // The text is an access of any size, or none, so that the place of a slot
  // cannot become a part of it: its address is in a register.
  auto *FI = dyn_cast<FrameIndexSDNode>(Op);
  OutOps.push_back(FI ? CurDAG->getFrameIndex(FI->getIndex(), MVT::i32) : Op);
  OutOps.push_back(CurDAG->getRegister(IPU::M15, MVT::i32));
  OutOps.push_back(imm(0, DL));
  return false;
}
