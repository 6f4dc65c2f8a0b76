// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calling convention: arguments and results in registers and stack slots,
// calls and returns. Entry points of workers take nothing and leave by an exit
// instruction with the result of the function.

#include "lib/Target/IPU/IPU.h"
#include "lib/Target/IPU/IPUISelLowering.h"
#include "lib/Target/IPU/IPUMachineFunctionInfo.h"
#include "lib/Target/IPU/IPUSubtarget.h"
#include "llvm/CodeGen/CallingConvLower.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/SelectionDAG.h"
#include "llvm/IR/DiagnosticInfo.h"

using namespace llvm;

#include "lib/Target/IPU/IPUGenCallingConv.inc"

static const TargetRegisterClass &classOf(MVT VT) {
  if (VT == MVT::i32)
    return IPU::MRRegClass;
  if (VT == MVT::f32 || VT == MVT::f16 || VT == MVT::v2f16)
    return IPU::ARRegClass;
  if (VT == MVT::v2f32 || VT == MVT::v4f16)
    return IPU::ARPairRegClass;
  report_fatal_error("argument of a type that has no registers");
}

SDValue IPUTargetLowering::LowerFormalArguments(
    SDValue Chain, CallingConv::ID CC, bool IsVarArg,
    const SmallVectorImpl<ISD::InputArg> &Ins, const SDLoc &DL,
    SelectionDAG &DAG, SmallVectorImpl<SDValue> &InVals) const {
  MachineFunction &MF = DAG.getMachineFunction();
  auto &Info = *MF.getInfo<IPUMachineFunctionInfo>();
  if (Info.isEntry() && !Ins.empty())
    DAG.getContext()->diagnose(DiagnosticInfoUnsupported(
        MF.getFunction(), "the entry point of a worker takes no arguments",
        DL.getDebugLoc()));

  SmallVector<CCValAssign, 16> Locs;
  CCState State(CC, IsVarArg, MF, Locs, *DAG.getContext());
  State.AnalyzeFormalArguments(Ins, CC_IPU);
  for (const CCValAssign &VA : Locs) {
    SDValue Value;
    if (VA.isRegLoc()) {
      Register VReg = MF.addLiveIn(VA.getLocReg(), &classOf(VA.getLocVT()));
      Value = DAG.getCopyFromReg(Chain, DL, VReg, VA.getLocVT());
    } else {
      int FI = MF.getFrameInfo().CreateFixedObject(VA.getLocVT().getStoreSize(),
                                                   VA.getLocMemOffset(),
                                                   /*IsImmutable=*/true);
      Value =
          DAG.getLoad(VA.getLocVT(), DL, Chain, DAG.getFrameIndex(FI, MVT::i32),
                      MachinePointerInfo::getFixedStack(MF, FI));
    }
    if (VA.getLocVT() != VA.getValVT())
      Value = DAG.getNode(ISD::TRUNCATE, DL, VA.getValVT(), Value);
    InVals.push_back(Value);
  }
  if (IsVarArg)
    Info.setVarArgsFrameIndex(MF.getFrameInfo().CreateFixedObject(
        4, State.getStackSize(), /*IsImmutable=*/true));
  return Chain;
}

bool IPUTargetLowering::CanLowerReturn(
    CallingConv::ID CC, MachineFunction &MF, bool IsVarArg,
    const SmallVectorImpl<ISD::OutputArg> &Outs, LLVMContext &Context) const {
  SmallVector<CCValAssign, 16> Locs;
  CCState State(CC, IsVarArg, MF, Locs, Context);
  return State.CheckReturn(Outs, RetCC_IPU);
}

// Widens a value to its location's type as its attributes say.
static SDValue extendTo(const CCValAssign &VA, SDValue Value, const SDLoc &DL,
                        SelectionDAG &DAG) {
  switch (VA.getLocInfo()) {
  case CCValAssign::SExt:
    return DAG.getNode(ISD::SIGN_EXTEND, DL, VA.getLocVT(), Value);
  case CCValAssign::ZExt:
    return DAG.getNode(ISD::ZERO_EXTEND, DL, VA.getLocVT(), Value);
  case CCValAssign::AExt:
    return DAG.getNode(ISD::ANY_EXTEND, DL, VA.getLocVT(), Value);
  default:
    return Value;
  }
}

SDValue
IPUTargetLowering::LowerReturn(SDValue Chain, CallingConv::ID CC, bool IsVarArg,
                               const SmallVectorImpl<ISD::OutputArg> &Outs,
                               const SmallVectorImpl<SDValue> &OutVals,
                               const SDLoc &DL, SelectionDAG &DAG) const {
  MachineFunction &MF = DAG.getMachineFunction();
  if (MF.getInfo<IPUMachineFunctionInfo>()->isEntry()) {
    if (Outs.empty())
      return DAG.getNode(IPUISD::EXITZ, DL, MVT::Other, Chain,
                         DAG.getRegister(IPU::M15, MVT::i32));
    if (Outs.size() != 1 || Outs[0].VT != MVT::i32) {
      DAG.getContext()->diagnose(DiagnosticInfoUnsupported(
          MF.getFunction(),
          "the entry point of a worker returns nothing or one integer",
          DL.getDebugLoc()));
      return Chain;
    }
    // Only bit 0 of a boolean is defined.
    SDValue Status = OutVals[0];
    if (MF.getFunction().getReturnType()->isIntegerTy(1))
      Status = DAG.getNode(ISD::AND, DL, MVT::i32, Status,
                           DAG.getConstant(1, DL, MVT::i32));
    return DAG.getNode(IPUISD::EXITNZ, DL, MVT::Other, Chain, Status);
  }

  SmallVector<CCValAssign, 16> Locs;
  CCState State(CC, IsVarArg, MF, Locs, *DAG.getContext());
  State.AnalyzeReturn(Outs, RetCC_IPU);
  SDValue Glue;
  SmallVector<SDValue, 4> Ops = {Chain};
  for (auto [VA, Value] : zip(Locs, OutVals)) {
    Chain = DAG.getCopyToReg(Chain, DL, VA.getLocReg(),
                             extendTo(VA, Value, DL, DAG), Glue);
    Glue = Chain.getValue(1);
    Ops.push_back(DAG.getRegister(VA.getLocReg(), VA.getLocVT()));
  }
  Ops[0] = Chain;
  if (Glue)
    Ops.push_back(Glue);
  return DAG.getNode(IPUISD::RET, DL, MVT::Other, Ops);
}

// Variadic arguments are on the stack, named ones as always.
static void assignArguments(CCState &State,
                            const SmallVectorImpl<ISD::OutputArg> &Outs) {
  for (auto [I, Out] : enumerate(Outs)) {
    CCAssignFn *Assign = Out.IsFixed ? CC_IPU : CC_IPU_Stack;
    if (Assign(I, Out.VT, Out.VT, CCValAssign::Full, Out.Flags, State))
      report_fatal_error("argument of a type that cannot be passed");
  }
}

// The caller copies an object that is passed by value; the callee gets its
// address.
static SDValue copyByVal(SDValue Chain, SDValue &Pointer, ISD::ArgFlagsTy Flags,
                         const SDLoc &DL, SelectionDAG &DAG) {
  MachineFrameInfo &MFI = DAG.getMachineFunction().getFrameInfo();
  const Align StackAlign(8);
  unsigned Size = Flags.getByValSize();
  Align Alignment = std::max(Flags.getNonZeroByValAlign(), Align(4));
  // Room to move, where the stack is aligned to less.
  unsigned Room = Alignment > StackAlign ? Alignment.value() - 8 : 0;
  int FI = MFI.CreateStackObject(std::max(Size, 1u) + Room,
                                 std::min(Alignment, StackAlign), false);
  SDValue Copy = DAG.getFrameIndex(FI, MVT::i32);
  if (Room)
    Copy = DAG.getNode(
        ISD::AND, DL, MVT::i32,
        DAG.getNode(ISD::ADD, DL, MVT::i32, Copy,
                    DAG.getConstant(Room, DL, MVT::i32)),
        DAG.getConstant(-uint32_t(Alignment.value()), DL, MVT::i32));
  SDValue Result = Chain;
  if (Size)
    Result = DAG.getMemcpy(Chain, DL, Copy, Pointer,
                           DAG.getConstant(Size, DL, MVT::i32),
                           Flags.getNonZeroByValAlign(),
                           /*isVol=*/false, /*AlwaysInline=*/false,
                           /*CI=*/nullptr, /*OverrideTailCall=*/std::nullopt,
                           MachinePointerInfo(), MachinePointerInfo());
  Pointer = Copy;
  return Result;
}

SDValue IPUTargetLowering::LowerCall(CallLoweringInfo &CLI,
                                     SmallVectorImpl<SDValue> &InVals) const {
  SelectionDAG &DAG = CLI.DAG;
  const SDLoc &DL = CLI.DL;
  MachineFunction &MF = DAG.getMachineFunction();
  CLI.IsTailCall = false;
  if (CLI.CB && CLI.CB->isMustTailCall())
    DAG.getContext()->diagnose(DiagnosticInfoUnsupported(
        MF.getFunction(),
        "a call is marked musttail, and calls never become jumps on an IPU",
        DL.getDebugLoc()));

  SmallVector<CCValAssign, 16> Locs;
  CCState State(CLI.CallConv, CLI.IsVarArg, MF, Locs, *DAG.getContext());
  assignArguments(State, CLI.Outs);
  unsigned StackSize = alignTo(State.getStackSize(), 8);

  // Copies of objects may be calls themselves: before this one begins.
  SDValue Chain = CLI.Chain;
  for (auto [Out, Value] : zip(CLI.Outs, CLI.OutVals))
    if (Out.Flags.isByVal())
      Chain = copyByVal(Chain, Value, Out.Flags, DL, DAG);

  Chain = DAG.getCALLSEQ_START(Chain, StackSize, 0, DL);
  SmallVector<std::pair<Register, SDValue>, 8> Registers;
  SmallVector<SDValue, 8> Stores;
  SDValue SP;
  for (auto [VA, Value] : zip(Locs, CLI.OutVals)) {
    SDValue Extended = extendTo(VA, Value, DL, DAG);
    if (VA.isRegLoc()) {
      Registers.push_back({VA.getLocReg(), Extended});
      continue;
    }
    if (!SP)
      SP = DAG.getCopyFromReg(Chain, DL, IPU::M11, MVT::i32);
    SDValue Slot =
        DAG.getNode(ISD::ADD, DL, MVT::i32, SP,
                    DAG.getConstant(VA.getLocMemOffset(), DL, MVT::i32));
    Stores.push_back(DAG.getStore(
        Chain, DL, Extended, Slot,
        MachinePointerInfo::getStack(MF, VA.getLocMemOffset()), Align(4)));
  }
  if (!Stores.empty())
    Chain = DAG.getNode(ISD::TokenFactor, DL, MVT::Other, Stores);

  SDValue Glue;
  for (auto &[Reg, Value] : Registers) {
    Chain = DAG.getCopyToReg(Chain, DL, Reg, Value, Glue);
    Glue = Chain.getValue(1);
  }

  SDValue Callee = CLI.Callee;
  if (auto *G = dyn_cast<GlobalAddressSDNode>(Callee))
    Callee = DAG.getTargetGlobalAddress(G->getGlobal(), DL, MVT::i32,
                                        G->getOffset());
  else if (auto *S = dyn_cast<ExternalSymbolSDNode>(Callee))
    Callee = DAG.getTargetExternalSymbol(S->getSymbol(), MVT::i32);

  SmallVector<SDValue, 16> Ops = {Chain, Callee};
  for (auto &[Reg, Value] : Registers)
    Ops.push_back(DAG.getRegister(Reg, Value.getValueType()));
  Ops.push_back(DAG.getRegisterMask(
      ST.getRegisterInfo()->getCallPreservedMask(MF, CLI.CallConv)));
  if (Glue)
    Ops.push_back(Glue);
  Chain =
      DAG.getNode(IPUISD::CALL, DL, DAG.getVTList(MVT::Other, MVT::Glue), Ops);
  Glue = Chain.getValue(1);
  Chain = DAG.getCALLSEQ_END(Chain, StackSize, 0, Glue, DL);
  Glue = Chain.getValue(1);

  SmallVector<CCValAssign, 16> ResultLocs;
  CCState Results(CLI.CallConv, CLI.IsVarArg, MF, ResultLocs,
                  *DAG.getContext());
  Results.AnalyzeCallResult(CLI.Ins, RetCC_IPU);
  for (const CCValAssign &VA : ResultLocs) {
    SDValue Value =
        DAG.getCopyFromReg(Chain, DL, VA.getLocReg(), VA.getLocVT(), Glue);
    Chain = Value.getValue(1);
    Glue = Value.getValue(2);
    if (VA.getLocVT() != VA.getValVT())
      Value = DAG.getNode(ISD::TRUNCATE, DL, VA.getValVT(), Value);
    InVals.push_back(Value);
  }
  return Chain;
}
