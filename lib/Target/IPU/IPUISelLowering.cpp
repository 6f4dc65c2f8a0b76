// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Legalization. Integers are 32 bits wide and live in the main file. Floats
// (IPUFloatLowering.cpp), halves and their vectors (IPUVectorLowering.cpp) live
// in the auxiliary file of workers.

#include "lib/Target/IPU/IPUISelLowering.h"
#include "lib/Target/IPU/IPU.h"
#include "lib/Target/IPU/IPUMachineFunctionInfo.h"
#include "lib/Target/IPU/IPUSubtarget.h"
#include "lib/Target/IPU/IPUTargetIntrinsicInfo.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineJumpTableInfo.h"
#include "llvm/CodeGen/SelectionDAG.h"
#include "llvm/IR/DiagnosticInfo.h"

using namespace llvm;

//===----------------------------------------------------------------------===//
// Legal types and operations
//===----------------------------------------------------------------------===//

IPUTargetLowering::IPUTargetLowering(const TargetMachine &TM,
                                     const IPUSubtarget &ST)
    : TargetLowering(TM), ST(ST) {
  addRegisterClass(MVT::i32, &IPU::MRRegClass);
  if (!ST.isSupervisor()) {
    addRegisterClass(MVT::f32, &IPU::ARRegClass);
    addRegisterClass(MVT::f16, &IPU::ARRegClass);
    addRegisterClass(MVT::v2f16, &IPU::ARRegClass);
    addRegisterClass(MVT::v2f32, &IPU::ARPairRegClass);
    addRegisterClass(MVT::v4f16, &IPU::ARPairRegClass);
  }
  computeRegisterProperties(ST.getRegisterInfo());

  setBooleanContents(ZeroOrOneBooleanContent, ZeroOrNegativeOneBooleanContent);
  setStackPointerRegisterToSaveRestore(IPU::M11);
  setSchedulingPreference(Sched::RegPressure);
  setMinFunctionAlignment(Align(4));
  setPrefFunctionAlignment(Align(4));
  setMinStackArgumentAlignment(Align(8));
  setMaxAtomicSizeInBitsSupported(32);
  setMinCmpXchgSizeInBits(8);
  // The device library has functions for 64 bits; wider ones are loops.
  setMaxDivRemBitWidthSupported(64);
  setMaxLargeFPConvertBitWidthSupported(64);
  MaxStoresPerMemcpy = MaxStoresPerMemmove = 8;
  MaxStoresPerMemset = 8;
  MaxStoresPerMemcpyOptSize = MaxStoresPerMemmoveOptSize = 4;
  MaxStoresPerMemsetOptSize = 4;

  setIntegerActions();
  setSoftFloatActions();
  if (!ST.isSupervisor()) {
    setFloatActions();
    setHalfActions();
    setVectorActions();
  }
}

void IPUTargetLowering::setIntegerActions() {
  for (unsigned Op :
       {ISD::SDIV, ISD::UDIV, ISD::SREM, ISD::UREM, ISD::SDIVREM, ISD::UDIVREM,
        ISD::SMUL_LOHI, ISD::UMUL_LOHI, ISD::ROTL, ISD::ROTR, ISD::SHL_PARTS,
        ISD::SRL_PARTS, ISD::SRA_PARTS, ISD::CTTZ, ISD::UMIN, ISD::UMAX,
        ISD::ABS, ISD::SELECT_CC, ISD::DYNAMIC_STACKALLOC})
    setOperationAction(Op, MVT::i32, Expand);
  for (unsigned Op :
       {ISD::MULHU, ISD::MULHS, ISD::BR_CC, ISD::GlobalAddress,
        ISD::GlobalTLSAddress, ISD::ExternalSymbol, ISD::BlockAddress,
        ISD::JumpTable, ISD::ConstantPool, ISD::FRAMEADDR, ISD::RETURNADDR})
    setOperationAction(Op, MVT::i32, Custom);
  for (unsigned Op : {ISD::SMIN, ISD::SMAX, ISD::CTLZ, ISD::CTPOP, ISD::BSWAP,
                      ISD::BITREVERSE})
    setOperationAction(Op, MVT::i32, Legal);

  for (MVT VT : {MVT::i1, MVT::i8, MVT::i16})
    setOperationAction(ISD::SIGN_EXTEND_INREG, VT, Expand);
  for (unsigned Ext : {ISD::EXTLOAD, ISD::SEXTLOAD, ISD::ZEXTLOAD})
    setLoadExtAction(Ext, MVT::i32, MVT::i1, Promote);
  for (MVT VT : {MVT::i8, MVT::i16})
    setTruncStoreAction(MVT::i32, VT, Custom);

  // Legal indexed accesses, by the type in memory.
  setIndexedLoadAction(ISD::POST_INC, {MVT::i8, MVT::i16, MVT::i32}, Legal);
  setIndexedStoreAction(ISD::POST_INC, MVT::i32, Legal);

  // All condition codes stay legal, though the machine has four: a code that is
  // marked for expansion would be inverted by the legalizer in branches too,
  // which it cannot do. The patterns build the others.

  // Without a value type of their own these are looked up as Other.
  for (unsigned Op :
       {ISD::BR_JT, ISD::BRCOND, ISD::VAARG, ISD::VACOPY, ISD::VAEND,
        ISD::STACKSAVE, ISD::STACKRESTORE, ISD::PREFETCH})
    setOperationAction(Op, MVT::Other, Expand);
  for (unsigned Op : {ISD::VASTART, ISD::ATOMIC_FENCE, ISD::INTRINSIC_WO_CHAIN,
                      ISD::INTRINSIC_W_CHAIN, ISD::INTRINSIC_VOID})
    setOperationAction(Op, MVT::Other, Custom);
  setOperationAction(ISD::INTRINSIC_W_CHAIN, MVT::i64, Custom);
  for (MVT Quad : {MVT::v4f32, MVT::v8f16})
    setOperationAction(ISD::INTRINSIC_VOID, Quad, Custom);
  setOperationAction({ISD::TRAP, ISD::DEBUGTRAP}, MVT::Other, Legal);
}

const char *IPUTargetLowering::getTargetNodeName(unsigned Opcode) const {
  switch (static_cast<IPUISD::NodeType>(Opcode)) {
  case IPUISD::FIRST_NUMBER:
    break;
#define NODE(N)                                                                \
  case IPUISD::N:                                                              \
    return "IPUISD::" #N;
    NODE(WRAPPER)
    NODE(CALL)
    NODE(RET)
    NODE(EXITZ)
    NODE(EXITNZ)
    NODE(BRZ)
    NODE(BRNZ)
    NODE(BRPOS)
    NODE(BRNEG)
    NODE(F32FROMI32)
    NODE(F32FROMUI32)
    NODE(F32TOI32)
    NODE(F32TOUI32)
    NODE(F16BITS)
    NODE(ASF16)
    NODE(FCMPEQ)
    NODE(FCMPNE)
    NODE(FCMPLT)
    NODE(FCMPLE)
    NODE(FCMPGT)
    NODE(FCMPGE)
    NODE(FAND)
    NODE(FANDC)
    NODE(FOR)
    NODE(FNOT)
    NODE(FSEL)
    NODE(SPLAT)
    NODE(SORTLO)
    NODE(SORTHI)
    NODE(ROLL)
    NODE(BLEND)
    NODE(PACKBYTES)
    NODE(PACKHALVES)
    NODE(MERGE)
    NODE(MERGELO)
#undef NODE
  }
  return nullptr;
}

EVT IPUTargetLowering::getSetCCResultType(const DataLayout &,
                                          LLVMContext &Context, EVT VT) const {
  if (VT.isVector())
    return VT.changeVectorElementTypeToInteger();
  return MVT::i32;
}

// Base + delta, or base + an unsigned immediate scaled by the access size.
bool IPUTargetLowering::isLegalAddressingMode(const DataLayout &DL,
                                              const AddrMode &AM, Type *Ty,
                                              unsigned, Instruction *) const {
  if (AM.BaseGV)
    return false;
  if (AM.Scale == 1 && AM.HasBaseReg)
    return AM.BaseOffs == 0;
  if (AM.Scale != 0)
    return AM.Scale == 1 && AM.BaseOffs == 0;
  // Integers of 64 bits are two words.
  uint64_t MaxSize = Ty->isVectorTy() ? 8 : 4;
  uint64_t Size = Ty->isSized() ? DL.getTypeStoreSize(Ty).getFixedValue() : 1;
  Size = std::clamp<uint64_t>(PowerOf2Ceil(Size), 1, MaxSize);
  return AM.BaseOffs >= 0 && AM.BaseOffs % Size == 0 &&
         AM.BaseOffs / Size < 4096;
}

// A pointer that moves by a multiple of the access size after the access.
bool IPUTargetLowering::getPostIndexedAddressParts(SDNode *N, SDNode *Op,
                                                   SDValue &Base,
                                                   SDValue &Offset,
                                                   ISD::MemIndexedMode &Mode,
                                                   SelectionDAG &) const {
  auto *Stride = Op->getOpcode() == ISD::ADD
                     ? dyn_cast<ConstantSDNode>(Op->getOperand(1))
                     : nullptr;
  if (!Stride)
    return false;
  auto *Access = cast<LSBaseSDNode>(N);
  int64_t Size = Access->getMemoryVT().getStoreSize();
  if (Access->getAlign() < Align(Size) || Stride->getSExtValue() % Size ||
      !isInt<8>(Stride->getSExtValue() / Size))
    return false;
  Base = Op->getOperand(0);
  Offset = Op->getOperand(1);
  Mode = ISD::POST_INC;
  return true;
}

//===----------------------------------------------------------------------===//
// Custom lowering
//===----------------------------------------------------------------------===//

SDValue IPUTargetLowering::LowerOperation(SDValue Op, SelectionDAG &DAG) const {
  switch (Op.getOpcode()) {
  case ISD::GlobalAddress:
  case ISD::GlobalTLSAddress:
  case ISD::ExternalSymbol:
  case ISD::BlockAddress:
  case ISD::JumpTable:
  case ISD::ConstantPool:
    return lowerSymbol(Op, DAG);
  case ISD::BR_CC:
    return lowerBranch(Op, DAG);
  case ISD::SETCC:
    return lowerFloatSetCC(Op, DAG);
  case ISD::STORE:
    return Op.getOperand(1).getValueType().isVector()
               ? lowerVectorStore(Op, DAG)
               : lowerStore(Op, DAG);
  case ISD::MULHU:
  case ISD::MULHS:
    return lowerMulHigh(Op, DAG);
  case ISD::SINT_TO_FP:
  case ISD::UINT_TO_FP:
    return lowerIntToFloat(Op, DAG);
  case ISD::FP_TO_SINT:
  case ISD::FP_TO_UINT:
    return lowerFloatToInt(Op, DAG);
  case ISD::LRINT:
  case ISD::LLRINT:
  case ISD::LROUND:
  case ISD::LLROUND:
    return lowerRoundToInt(Op, DAG);
  case ISD::FCANONICALIZE:
    return lowerCanonicalize(Op, DAG);
  case ISD::BITCAST:
    return lowerBitcast(Op, DAG);
  case ISD::VASTART:
    return lowerVaStart(Op, DAG);
  case ISD::FRAMEADDR:
  case ISD::RETURNADDR:
    return lowerFrameAddress(Op, DAG);
  case ISD::ATOMIC_FENCE:
    // Accesses happen in order: a fence only restrains the compiler.
    return Op.getOperand(0);
  case ISD::INTRINSIC_WO_CHAIN:
  case ISD::INTRINSIC_W_CHAIN:
  case ISD::INTRINSIC_VOID:
    return lowerIntrinsic(Op, DAG);
  default:
    return lowerVector(Op, DAG);
  }
}

void IPUTargetLowering::ReplaceNodeResults(SDNode *N,
                                           SmallVectorImpl<SDValue> &Results,
                                           SelectionDAG &DAG) const {
  // The illegal results with a custom action: 64 random bits, the bits of a
  // half.
  if (N->getOpcode() == ISD::INTRINSIC_W_CHAIN &&
      N->getConstantOperandVal(1) == Intrinsic::ipu_urand64) {
    SDLoc DL(N);
    SDNode *Pair = DAG.getMachineNode(IPU::URAND64, DL, MVT::v2f32, MVT::Other,
                                      N->getOperand(0));
    auto Word = [&](unsigned I) {
      SDValue Lane =
          DAG.getNode(ISD::EXTRACT_VECTOR_ELT, DL, MVT::f32, SDValue(Pair, 0),
                      DAG.getVectorIdxConstant(I, DL));
      return DAG.getBitcast(MVT::i32, Lane);
    };
    Results.push_back(
        DAG.getNode(ISD::BUILD_PAIR, DL, MVT::i64, Word(0), Word(1)));
    Results.push_back(SDValue(Pair, 1));
    return;
  }
  if (N->getOpcode() == ISD::BITCAST && N->getValueType(0) == MVT::i16 &&
      N->getOperand(0).getValueType() == MVT::f16)
    Results.push_back(lowerBitcast(SDValue(N, 0), DAG));
}

SDValue IPUTargetLowering::lowerSymbol(SDValue Op, SelectionDAG &DAG) const {
  SDLoc DL(Op);
  SDValue Target;
  if (auto *G = dyn_cast<GlobalAddressSDNode>(Op)) {
    if (G->getGlobal()->isThreadLocal()) {
      DAG.getContext()->diagnose(DiagnosticInfoUnsupported(
          DAG.getMachineFunction().getFunction(),
          "thread-local variables are not supported: " +
              G->getGlobal()->getName(),
          DL.getDebugLoc()));
      return DAG.getConstant(0, DL, MVT::i32);
    }
    Target = DAG.getTargetGlobalAddress(G->getGlobal(), DL, MVT::i32,
                                        G->getOffset());
  } else if (auto *S = dyn_cast<ExternalSymbolSDNode>(Op)) {
    Target = DAG.getTargetExternalSymbol(S->getSymbol(), MVT::i32);
  } else if (auto *B = dyn_cast<BlockAddressSDNode>(Op)) {
    Target = DAG.getTargetBlockAddress(B->getBlockAddress(), MVT::i32,
                                       B->getOffset());
  } else if (auto *J = dyn_cast<JumpTableSDNode>(Op)) {
    Target = DAG.getTargetJumpTable(J->getIndex(), MVT::i32);
  } else {
    auto *C = cast<ConstantPoolSDNode>(Op);
    Target = DAG.getTargetConstantPool(C->getConstVal(), MVT::i32,
                                       C->getAlign(), C->getOffset());
  }
  return DAG.getNode(IPUISD::WRAPPER, DL, MVT::i32, Target);
}

/// Returns whether one instruction does this comparison of floats.
static bool isFloatComparison(ISD::CondCode CC) {
  switch (CC) {
  case ISD::SETO:
  case ISD::SETUO:
  case ISD::SETONE:
  case ISD::SETUEQ:
  case ISD::SETUGT:
  case ISD::SETUGE:
  case ISD::SETULT:
  case ISD::SETULE:
    return false;
  default:
    return true;
  }
}

// A branch tests one register: against zero by itself, anything else after a
// comparison that the machine has, or has the opposite of.
SDValue IPUTargetLowering::lowerBranch(SDValue Op, SelectionDAG &DAG) const {
  SDLoc DL(Op);
  SDValue Chain = Op.getOperand(0), LHS = Op.getOperand(2),
          RHS = Op.getOperand(3), Dest = Op.getOperand(4);
  ISD::CondCode CC = cast<CondCodeSDNode>(Op.getOperand(1))->get();
  auto Branch = [&](unsigned Opcode, SDValue Value) {
    return DAG.getNode(Opcode, DL, MVT::Other, Chain, Value, Dest);
  };
  auto Compare = [&](SDValue L, SDValue R, ISD::CondCode C) {
    return DAG.getSetCC(DL, MVT::i32, L, R, C);
  };

  // The test of a comparison's result is that comparison.
  while (isNullConstant(RHS) && (CC == ISD::SETNE || CC == ISD::SETEQ)) {
    bool Invert = CC == ISD::SETEQ;
    if (LHS.getOpcode() == ISD::XOR && isOneConstant(LHS.getOperand(1)) &&
        LHS.getOperand(0).getOpcode() == ISD::SETCC) {
      Invert = !Invert;
      LHS = LHS.getOperand(0);
    }
    if (LHS.getOpcode() != ISD::SETCC)
      break;
    CC = cast<CondCodeSDNode>(LHS.getOperand(2))->get();
    RHS = LHS.getOperand(1);
    LHS = LHS.getOperand(0);
    if (Invert)
      CC = ISD::getSetCCInverse(CC, LHS.getValueType());
  }
  if (isa<ConstantSDNode>(LHS) && !isa<ConstantSDNode>(RHS)) {
    std::swap(LHS, RHS);
    CC = ISD::getSetCCSwappedOperands(CC);
  }

  EVT VT = LHS.getValueType();
  if (VT.isFloatingPoint()) {
    ISD::CondCode Inverse = ISD::getSetCCInverse(CC, VT);
    if (!isFloatComparison(CC) && isFloatComparison(Inverse))
      return Branch(IPUISD::BRZ, Compare(LHS, RHS, Inverse));
    return Branch(IPUISD::BRNZ, Compare(LHS, RHS, CC));
  }

  if (isNullConstant(RHS) && (CC == ISD::SETEQ || CC == ISD::SETULE))
    return Branch(IPUISD::BRZ, LHS);
  if (isNullConstant(RHS) && (CC == ISD::SETNE || CC == ISD::SETUGT))
    return Branch(IPUISD::BRNZ, LHS);
  if (isNullConstant(RHS) && CC == ISD::SETLT)
    return Branch(IPUISD::BRNEG, LHS);
  if ((isNullConstant(RHS) && CC == ISD::SETGE) ||
      (isAllOnesConstant(RHS) && CC == ISD::SETGT))
    return Branch(IPUISD::BRPOS, LHS);

  // x > c is not (x < c + 1).
  if (auto *C = dyn_cast<ConstantSDNode>(RHS)) {
    SDValue Next = DAG.getConstant(C->getAPIntValue() + 1, DL, MVT::i32);
    if (CC == ISD::SETGT && !C->isMaxSignedValue())
      return Branch(IPUISD::BRZ, Compare(LHS, Next, ISD::SETLT));
    if (CC == ISD::SETUGT && !C->isAllOnes())
      return Branch(IPUISD::BRZ, Compare(LHS, Next, ISD::SETULT));
  }
  switch (CC) {
  case ISD::SETNE:
    return Branch(IPUISD::BRZ, Compare(LHS, RHS, ISD::SETEQ));
  case ISD::SETGE:
    return Branch(IPUISD::BRZ, Compare(LHS, RHS, ISD::SETLT));
  case ISD::SETUGE:
    return Branch(IPUISD::BRZ, Compare(LHS, RHS, ISD::SETULT));
  case ISD::SETGT:
    return Branch(IPUISD::BRNZ, Compare(RHS, LHS, ISD::SETLT));
  case ISD::SETUGT:
    return Branch(IPUISD::BRNZ, Compare(RHS, LHS, ISD::SETULT));
  case ISD::SETLE:
    return Branch(IPUISD::BRZ, Compare(RHS, LHS, ISD::SETLT));
  case ISD::SETULE:
    return Branch(IPUISD::BRZ, Compare(RHS, LHS, ISD::SETULT));
  default:
    return Branch(IPUISD::BRNZ, Compare(LHS, RHS, CC));
  }
}

// The machine stores words. A byte or a half is merged into the word around it:
// the address and the shifted value and mask are ordinary nodes, which fold
// when the position in the word is known; the load, merge and store are one
// node, so that two of them to one word cannot be interleaved.
SDValue IPUTargetLowering::lowerStore(SDValue Op, SelectionDAG &DAG) const {
  SDLoc DL(Op);
  auto *S = cast<StoreSDNode>(Op);
  SDValue Value = S->getValue(), Address = S->getBasePtr();
  unsigned Bits = S->getMemoryVT().getSizeInBits();
  if (S->getAlign() < Align(Bits / 8))
    return expandUnalignedStore(S, DAG);
  // At the start of a word, a sort puts it beside the other half.
  if (Value.getValueType() == MVT::f16 && S->getAlign() >= Align(4))
    return DAG.getMemIntrinsicNode(
        IPUISD::MERGELO, DL, DAG.getVTList(MVT::Other),
        {S->getChain(), Value, Address}, S->getMemoryVT(), S->getMemOperand());

  auto Constant = [&](uint64_t V) { return DAG.getConstant(V, DL, MVT::i32); };
  auto Node = [&](unsigned Opcode, SDValue A, SDValue B) {
    return DAG.getNode(Opcode, DL, MVT::i32, A, B);
  };
  SDValue FieldMask = Constant(maskTrailingOnes<uint64_t>(Bits));
  SDValue Word = Address, Shift;
  if (S->getAlign() < Align(4)) {
    Shift = Node(ISD::SHL, Node(ISD::AND, Address, Constant(3)), Constant(3));
    Word = Node(ISD::AND, Address, Constant(~uint32_t(3)));
    FieldMask = Node(ISD::SHL, FieldMask, Shift);
  }
  // A half is in both halves of its register: it is where it goes already.
  if (Value.getValueType() == MVT::f16) {
    Value = DAG.getNode(IPUISD::SPLAT, DL, MVT::v2f16, Value);
    Value = DAG.getNode(ISD::BITCAST, DL, MVT::i32, Value);
  } else if (Shift) {
    Value = Node(ISD::SHL, Value, Shift);
  }
  return DAG.getMemIntrinsicNode(
      IPUISD::MERGE, DL, DAG.getVTList(MVT::Other),
      {S->getChain(), Node(ISD::AND, Value, FieldMask), FieldMask, Word},
      S->getMemoryVT(), S->getMemOperand());
}

// The upper word of a product, from four products of halves.
SDValue IPUTargetLowering::lowerMulHigh(SDValue Op, SelectionDAG &DAG) const {
  SDLoc DL(Op);
  SDValue A = Op.getOperand(0), B = Op.getOperand(1);
  auto Node = [&](unsigned Opcode, SDValue X, SDValue Y) {
    return DAG.getNode(Opcode, DL, MVT::i32, X, Y);
  };
  SDValue Sixteen = DAG.getConstant(16, DL, MVT::i32);
  auto Low = [&](SDValue X) {
    return Node(ISD::AND, X, DAG.getConstant(0xffff, DL, MVT::i32));
  };
  auto High = [&](SDValue X) { return Node(ISD::SRL, X, Sixteen); };

  SDValue LL = Node(ISD::MUL, Low(A), Low(B));
  SDValue HL = Node(ISD::MUL, High(A), Low(B));
  SDValue LH = Node(ISD::MUL, Low(A), High(B));
  SDValue HH = Node(ISD::MUL, High(A), High(B));
  SDValue Mid1 = Node(ISD::ADD, HL, High(LL));
  SDValue Mid2 = Node(ISD::ADD, LH, Low(Mid1));
  SDValue Result = Node(ISD::ADD, Node(ISD::ADD, HH, High(Mid1)), High(Mid2));
  if (Op.getOpcode() == ISD::MULHU)
    return Result;
  // A negative operand was read as 2^32 too much.
  SDValue ThirtyOne = DAG.getConstant(31, DL, MVT::i32);
  SDValue FixA = Node(ISD::AND, Node(ISD::SRA, A, ThirtyOne), B);
  SDValue FixB = Node(ISD::AND, Node(ISD::SRA, B, ThirtyOne), A);
  return Node(ISD::SUB, Node(ISD::SUB, Result, FixA), FixB);
}

SDValue IPUTargetLowering::lowerVaStart(SDValue Op, SelectionDAG &DAG) const {
  SDLoc DL(Op);
  MachineFunction &MF = DAG.getMachineFunction();
  int FI = MF.getInfo<IPUMachineFunctionInfo>()->getVarArgsFrameIndex();
  const Value *List = cast<SrcValueSDNode>(Op.getOperand(2))->getValue();
  return DAG.getStore(Op.getOperand(0), DL, DAG.getFrameIndex(FI, MVT::i32),
                      Op.getOperand(1), MachinePointerInfo(List));
}

// Returns the frame address of the function itself; outer ones cannot be found.
SDValue IPUTargetLowering::lowerFrameAddress(SDValue Op,
                                             SelectionDAG &DAG) const {
  SDLoc DL(Op);
  MachineFunction &MF = DAG.getMachineFunction();
  if (Op.getConstantOperandVal(0) != 0)
    return DAG.getConstant(0, DL, MVT::i32);
  if (Op.getOpcode() == ISD::FRAMEADDR) {
    MF.getFrameInfo().setFrameAddressIsTaken(true);
    return DAG.getCopyFromReg(DAG.getEntryNode(), DL, IPU::M9, MVT::i32);
  }
  MF.getFrameInfo().setReturnAddressIsTaken(true);
  Register LR = MF.addLiveIn(IPU::M10, &IPU::MRRegClass);
  return DAG.getCopyFromReg(DAG.getEntryNode(), DL, LR, MVT::i32);
}

SDValue IPUTargetLowering::lowerIntrinsic(SDValue Op, SelectionDAG &DAG) const {
  SDLoc DL(Op);
  bool HasChain = Op.getOpcode() != ISD::INTRINSIC_WO_CHAIN;
  // No value has 128 bits: the halves are joined when registers are.
  if (Op.getNumOperands() == 3 &&
      Op.getOperand(2).getValueSizeInBits() == 128) {
    auto [Low, High] = DAG.SplitVector(Op.getOperand(2), DL);
    return DAG.getNode(ISD::INTRINSIC_VOID, DL, MVT::Other, Op.getOperand(0),
                       Op.getOperand(1), Low, High);
  }
  switch (Op.getConstantOperandVal(HasChain)) {
  case Intrinsic::ipu_get_vertex_base:
    return DAG.getCopyFromReg(DAG.getEntryNode(), DL, IPU::M13, MVT::i32);
  case Intrinsic::ipu_is_worker_mode: {
    const Function &F = DAG.getMachineFunction().getFunction();
    if (F.getFnAttribute("ipu-mode").getValueAsString() != "both")
      return DAG.getConstant(!ST.isSupervisor(), DL, MVT::i32);
    // The supervisor has no base of a worker's stack.
    SDValue Base =
        DAG.getCopyFromReg(DAG.getEntryNode(), DL, IPU::M12, MVT::i32);
    return DAG.getSetCC(DL, MVT::i32, Base, DAG.getConstant(0, DL, MVT::i32),
                        ISD::SETNE);
  }
  case Intrinsic::ipu_get_tile_id: {
    // Workers have a register of their own, which supervisors have as well;
    // code for both contexts takes that.
    const Function &F = DAG.getMachineFunction().getFunction();
    const bool IsSupervisor =
        F.getFnAttribute("ipu-mode").getValueAsString() == "supervisor";
    const unsigned Register = IsSupervisor ? 3 : 98;
    return SDValue(
        DAG.getMachineNode(IPU::GET, DL, MVT::i32,
                           DAG.getTargetConstant(Register, DL, MVT::i32)),
        0);
  }
  case Intrinsic::ipu_get_scount_l:
  case Intrinsic::ipu_get_scount_u: {
    bool Upper = Op.getConstantOperandVal(1) == Intrinsic::ipu_get_scount_u;
    return DAG.getNode(ISD::INTRINSIC_W_CHAIN, DL, Op->getVTList(),
                       Op.getOperand(0),
                       DAG.getTargetConstant(Intrinsic::ipu_get, DL, MVT::i32),
                       DAG.getConstant(Upper ? 97 : 96, DL, MVT::i32));
  }
  case Intrinsic::ipu_uget: {
    SDValue Bits =
        DAG.getNode(ISD::INTRINSIC_W_CHAIN, DL,
                    DAG.getVTList(MVT::f32, MVT::Other), Op.getOperand(0),
                    DAG.getTargetConstant(Intrinsic::ipu_ugetf, DL, MVT::i32),
                    Op.getOperand(2));
    return DAG.getMergeValues(
        {DAG.getBitcast(MVT::i32, Bits), Bits.getValue(1)}, DL);
  }
  case Intrinsic::ipu_uput: {
    // An integer reaches the auxiliary file through memory.
    SDValue Bits = DAG.getNode(ISD::BITCAST, DL, MVT::f32, Op.getOperand(2));
    return DAG.getNode(
        ISD::INTRINSIC_VOID, DL, MVT::Other, Op.getOperand(0),
        DAG.getTargetConstant(Intrinsic::ipu_uputf, DL, MVT::i32), Bits,
        Op.getOperand(3));
  }
  default:
    return SDValue();
  }
}

//===----------------------------------------------------------------------===//
// Pseudo instructions
//===----------------------------------------------------------------------===//

// d = c ? t : f, by a branch around the block that gives f.
static MachineBasicBlock *expandSelect(MachineInstr &MI, MachineBasicBlock *MBB,
                                       const TargetInstrInfo &TII) {
  MachineFunction &MF = *MBB->getParent();
  DebugLoc DL = MI.getDebugLoc();
  MachineBasicBlock *FalseBB = MF.CreateMachineBasicBlock(MBB->getBasicBlock());
  MachineBasicBlock *EndBB = MF.CreateMachineBasicBlock(MBB->getBasicBlock());
  MachineFunction::iterator Next = std::next(MBB->getIterator());
  MF.insert(Next, FalseBB);
  MF.insert(Next, EndBB);
  EndBB->splice(EndBB->begin(), MBB, std::next(MachineBasicBlock::iterator(MI)),
                MBB->end());
  EndBB->transferSuccessorsAndUpdatePHIs(MBB);
  MBB->addSuccessor(FalseBB);
  MBB->addSuccessor(EndBB);
  FalseBB->addSuccessor(EndBB);
  BuildMI(MBB, DL, TII.get(IPU::BRNZ))
      .addReg(MI.getOperand(1).getReg())
      .addMBB(EndBB);
  BuildMI(*EndBB, EndBB->begin(), DL, TII.get(TargetOpcode::PHI),
          MI.getOperand(0).getReg())
      .addReg(MI.getOperand(2).getReg())
      .addMBB(MBB)
      .addReg(MI.getOperand(3).getReg())
      .addMBB(FalseBB);
  MI.eraseFromParent();
  return EndBB;
}

// The accesses carry no memory operands: nothing is known to be independent of
// them, so they stay together.
static MachineBasicBlock *expandMerge(MachineInstr &MI, MachineBasicBlock *MBB,
                                      const TargetInstrInfo &TII) {
  MachineRegisterInfo &MRI = MBB->getParent()->getRegInfo();
  DebugLoc DL = MI.getDebugLoc();
  auto NewRegister = [&] {
    return MRI.createVirtualRegister(&IPU::MRRegClass);
  };
  Register Old = NewRegister(), Kept = NewRegister(), New = NewRegister();
  // The address is used twice.
  for (unsigned I : {2, 3})
    if (MI.getOperand(I).isReg())
      MI.getOperand(I).setIsKill(false);
  BuildMI(*MBB, MI, DL, TII.get(IPU::LD32_m_bdi), Old)
      .add(MI.getOperand(2))
      .add(MI.getOperand(3))
      .add(MI.getOperand(4));
  BuildMI(*MBB, MI, DL, TII.get(IPU::ANDC_m_rr), Kept)
      .addReg(Old)
      .add(MI.getOperand(1));
  BuildMI(*MBB, MI, DL, TII.get(IPU::OR_m_rr), New)
      .addReg(Kept)
      .add(MI.getOperand(0));
  BuildMI(*MBB, MI, DL, TII.get(IPU::ST32_m_bdi))
      .addReg(New)
      .add(MI.getOperand(2))
      .add(MI.getOperand(3))
      .add(MI.getOperand(4));
  MI.eraseFromParent();
  return MBB;
}

// Does the same as expandMerge in the other file of registers.
static MachineBasicBlock *expandMergeLow(MachineInstr &MI,
                                         MachineBasicBlock *MBB,
                                         const TargetInstrInfo &TII) {
  MachineRegisterInfo &MRI = MBB->getParent()->getRegInfo();
  DebugLoc DL = MI.getDebugLoc();
  const Register Old = MRI.createVirtualRegister(&IPU::ARRegClass),
                 New = MRI.createVirtualRegister(&IPU::ARRegClass);
  for (unsigned I : {1, 2})
    if (MI.getOperand(I).isReg())
      MI.getOperand(I).setIsKill(false);
  BuildMI(*MBB, MI, DL, TII.get(IPU::LD32_a_bdi), Old)
      .add(MI.getOperand(1))
      .add(MI.getOperand(2))
      .add(MI.getOperand(3));
  BuildMI(*MBB, MI, DL, TII.get(IPU::SORT4X16HI_a_bl), New)
      .add(MI.getOperand(0))
      .addReg(Old);
  BuildMI(*MBB, MI, DL, TII.get(IPU::ST32_a_bdi))
      .addReg(New)
      .add(MI.getOperand(1))
      .add(MI.getOperand(2))
      .add(MI.getOperand(3));
  MI.eraseFromParent();
  return MBB;
}

MachineBasicBlock *
IPUTargetLowering::EmitInstrWithCustomInserter(MachineInstr &MI,
                                               MachineBasicBlock *MBB) const {
  const TargetInstrInfo &TII = *ST.getInstrInfo();
  switch (MI.getOpcode()) {
  case IPU::SELECT_f32:
  case IPU::SELECT_f16:
  case IPU::SELECT_v2f16:
  case IPU::SELECT_v2f32:
  case IPU::SELECT_v4f16:
    return expandSelect(MI, MBB, TII);
  case IPU::MERGE32:
    return expandMerge(MI, MBB, TII);
  case IPU::MERGE_LOW:
    return expandMergeLow(MI, MBB, TII);
  default:
    report_fatal_error("pseudo instruction without an expansion");
  }
}
