// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores of vectors of bytes and shorts. The machine stores words, and a byte
// alone is merged into the word around it, which takes some ten instructions.
// The vectorizer brings four neighbours together (IPUNarrowCosts.cpp). Vectors
// of integers are no register types, so each lane is computed in a register of
// its own, as the legalizer does; this file joins the lanes to words before
// types are legalized:
//
//     copies and logic of whole words:  ld32 ; xor ; st32
//     other values, four bytes:         shuf8x8lo ; shuf8x8lo ; sort4x16lo ;
//                                       st32
//     two shorts:                       sort4x16lo ; st32
//
// Shuffles read only the low bits of a lane, so code that makes its upper bits
// zero, or copies of the sign, is dropped.

#include "lib/Target/IPU/IPU.h"
#include "lib/Target/IPU/IPUISelLowering.h"
#include "llvm/CodeGen/SelectionDAG.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;

/// Operations in one expression that are looked at.
static constexpr unsigned MaxDepth = 6;

/// Returns whether words of this vector can be computed as words.
static bool isWordwise(SDValue V, unsigned Depth = 0) {
  switch (V.getOpcode()) {
  case ISD::LOAD: {
    auto *Load = cast<LoadSDNode>(V);
    return Load->isSimple() && ISD::isNormalLoad(Load) &&
           Load->hasNUsesOfValue(1, 0) && Load->getAlign() >= Align(4);
  }
  case ISD::BUILD_VECTOR:
    return ISD::isBuildVectorOfConstantSDNodes(V.getNode());
  case ISD::AND:
  case ISD::OR:
  case ISD::XOR:
    return Depth < MaxDepth && V.hasOneUse() &&
           isWordwise(V.getOperand(0), Depth + 1) &&
           isWordwise(V.getOperand(1), Depth + 1);
  default:
    return false;
  }
}

/// The word of a vector of constants that begins at lane From.
static SDValue constantWord(SDValue V, unsigned From, const SDLoc &DL,
                            SelectionDAG &DAG) {
  unsigned Bits = V.getScalarValueSizeInBits();
  uint32_t Word = 0;
  for (unsigned I = 0; I != 32 / Bits; ++I)
    if (auto *Lane = dyn_cast<ConstantSDNode>(V.getOperand(From + I)))
      Word |= Lane->getAPIntValue().getLoBits(Bits).getZExtValue() << I * Bits;
  return DAG.getConstant(Word, DL, MVT::i32);
}

/// A word of a vector for which isWordwise() is true.
static SDValue wholeWord(SDValue V, unsigned Index, const SDLoc &DL,
                         SelectionDAG &DAG) {
  if (V.getOpcode() == ISD::BUILD_VECTOR)
    return constantWord(V, Index * 32 / V.getScalarValueSizeInBits(), DL, DAG);
  if (V.getOpcode() != ISD::LOAD)
    return DAG.getNode(V.getOpcode(), DL, MVT::i32,
                       wholeWord(V.getOperand(0), Index, DL, DAG),
                       wholeWord(V.getOperand(1), Index, DL, DAG));
  auto *Load = cast<LoadSDNode>(V);
  unsigned Offset = 4 * Index;
  SDValue Word =
      DAG.getLoad(MVT::i32, DL, Load->getChain(),
                  DAG.getMemBasePlusOffset(Load->getBasePtr(),
                                           TypeSize::getFixed(Offset), DL),
                  Load->getPointerInfo().getWithOffset(Offset),
                  commonAlignment(Load->getAlign(), Offset),
                  Load->getMemOperand()->getFlags(), Load->getAAInfo());
  DAG.makeEquivalentMemoryOrdering(Load, Word);
  return Word;
}

/// A word of a vector, joined of its lanes.
static SDValue packedWord(SDValue V, unsigned Index, const SDLoc &DL,
                          SelectionDAG &DAG) {
  unsigned Lanes = 32 / V.getScalarValueSizeInBits();
  auto Lane = [&](unsigned I) {
    return DAG.getNode(ISD::EXTRACT_VECTOR_ELT, DL, MVT::i32, V,
                       DAG.getVectorIdxConstant(Index * Lanes + I, DL));
  };
  auto Node = [&](unsigned Opcode, SDValue A, SDValue B) {
    return DAG.getNode(Opcode, DL, MVT::i32, A, B);
  };
  if (Lanes == 2)
    return Node(IPUISD::PACKHALVES, Lane(0), Lane(1));
  return Node(IPUISD::PACKHALVES, Node(IPUISD::PACKBYTES, Lane(0), Lane(1)),
              Node(IPUISD::PACKBYTES, Lane(2), Lane(3)));
}

SDValue IPUTargetLowering::combineNarrowStore(SDNode *N,
                                              SelectionDAG &DAG) const {
  auto *Store = cast<StoreSDNode>(N);
  SDValue Value = Store->getValue();
  EVT VT = Value.getValueType();
  if (!VT.isFixedLengthVector() || !VT.isSimple() || !Store->isSimple() ||
      !Store->isUnindexed() || Store->isTruncatingStore() ||
      Store->getAlign() < Align(4))
    return SDValue();
  EVT Lane = VT.getVectorElementType();
  unsigned Words = VT.getStoreSizeInBits() / 32;
  if ((Lane != MVT::i8 && Lane != MVT::i16) ||
      VT.getStoreSizeInBits() != 32 * Words)
    return SDValue();
  SDLoc DL(N);
  bool Wordwise = isWordwise(Value);
  SmallVector<SDValue, 4> Stores;
  for (unsigned I = 0; I != Words; ++I) {
    SDValue Word =
        Wordwise ? wholeWord(Value, I, DL, DAG) : packedWord(Value, I, DL, DAG);
    Stores.push_back(
        DAG.getStore(Store->getChain(), DL, Word,
                     DAG.getMemBasePlusOffset(Store->getBasePtr(),
                                              TypeSize::getFixed(4 * I), DL),
                     Store->getPointerInfo().getWithOffset(4 * I),
                     commonAlignment(Store->getAlign(), 4 * I),
                     Store->getMemOperand()->getFlags(), Store->getAAInfo()));
  }
  return DAG.getNode(ISD::TokenFactor, DL, MVT::Other, Stores);
}

/// Joins lanes that have the same mask before the mask: `shuf8x8lo(a & c, b &
/// c)` is `shuf8x8lo(a, b) & shuf8x8lo(c, c)`.
static SDValue maskAfterwards(SDNode *N, SelectionDAG &DAG) {
  SDValue A = N->getOperand(0), B = N->getOperand(1);
  if (A.getOpcode() != ISD::AND || B.getOpcode() != ISD::AND ||
      !A.hasOneUse() || !B.hasOneUse() || A.getOperand(1) != B.getOperand(1))
    return SDValue();
  auto *Mask = dyn_cast<ConstantSDNode>(A.getOperand(1));
  if (!Mask)
    return SDValue();
  SDLoc DL(N);
  uint32_t Bits = Mask->getZExtValue();
  uint32_t Both = Bits & 0xffff;
  if (N->getOpcode() == IPUISD::PACKHALVES)
    Both |= Both << 16;
  else
    Both = (Bits & 0xff) * 0x101 | (Bits >> 8 & 0xff) * 0x1010000;
  return DAG.getNode(ISD::AND, DL, MVT::i32,
                     DAG.getNode(N->getOpcode(), DL, MVT::i32, A.getOperand(0),
                                 B.getOperand(0)),
                     DAG.getConstant(Both, DL, MVT::i32));
}

SDValue IPUTargetLowering::combinePack(SDNode *N, DAGCombinerInfo &DCI) const {
  SDValue Pack(N, 0);
  if (SDValue Masked = maskAfterwards(N, DCI.DAG))
    return Masked;
  if (N->getOpcode() != IPUISD::PACKHALVES)
    return SDValue();
  return SimplifyDemandedBits(Pack, APInt::getAllOnes(32), DCI) ? Pack
                                                                : SDValue();
}

bool IPUTargetLowering::SimplifyDemandedBitsForTargetNode(
    SDValue Op, const APInt &Bits, const APInt &Elements, KnownBits &Known,
    TargetLoweringOpt &TLO, unsigned Depth) const {
  auto Byte = [&](unsigned From, unsigned To) {
    return Bits.extractBits(8, 8 * From).zext(32) << 8 * To;
  };
  APInt First, Second;
  switch (Op.getOpcode()) {
  case IPUISD::PACKBYTES:
    First = Byte(0, 0) | Byte(2, 1);
    Second = Byte(1, 0) | Byte(3, 1);
    break;
  case IPUISD::PACKHALVES:
    First = Bits.getLoBits(16);
    Second = Bits.lshr(16);
    break;
  default:
    return TargetLowering::SimplifyDemandedBitsForTargetNode(Op, Bits, Elements,
                                                             Known, TLO, Depth);
  }
  Known.resetAll();
  KnownBits Operand;
  return SimplifyDemandedBits(Op.getOperand(0), First, Operand, TLO,
                              Depth + 1) ||
         SimplifyDemandedBits(Op.getOperand(1), Second, Operand, TLO,
                              Depth + 1);
}
