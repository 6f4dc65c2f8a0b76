// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects instructions for operations. The instruction table says which
// instructions exist; this file says when they are used. IPUISelDAGToDAG.cpp
// and IPUISelLowering.cpp select constants, frame addresses and operations that
// need control flow.

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

def SDT_IPUWrapper : SDTypeProfile<1, 1, [SDTCisVT<0, i32>, SDTCisVT<1, i32>]>;
def SDT_IPUCall : SDTypeProfile<0, -1, [SDTCisVT<0, i32>]>;
def SDT_IPUBranch : SDTypeProfile<0, 2, [SDTCisVT<0, i32>, SDTCisVT<1, OtherVT>]>;
def SDT_IPUExit : SDTypeProfile<0, 1, [SDTCisVT<0, i32>]>;
def SDT_IPUF32F32 : SDTypeProfile<1, 1, [SDTCisVT<0, f32>, SDTCisVT<1, f32>]>;
def SDT_IPUMerge
    : SDTypeProfile<0, 3, [SDTCisVT<0, i32>, SDTCisVT<1, i32>, SDTCisVT<2, i32>]>;
def SDT_IPUMergeHalf : SDTypeProfile<0, 2, [SDTCisVT<0, f16>, SDTCisVT<1, i32>]>;
def SDT_CallSeqStart
    : SDCallSeqStart<[SDTCisVT<0, i32>, SDTCisVT<1, i32>]>;
def SDT_CallSeqEnd : SDCallSeqEnd<[SDTCisVT<0, i32>, SDTCisVT<1, i32>]>;

def ipu_wrapper : SDNode<"IPUISD::WRAPPER", SDT_IPUWrapper>;
def ipu_call : SDNode<"IPUISD::CALL", SDT_IPUCall,
                      [SDNPHasChain, SDNPOptInGlue, SDNPOutGlue, SDNPVariadic]>;
def ipu_ret : SDNode<"IPUISD::RET", SDTNone,
                     [SDNPHasChain, SDNPOptInGlue, SDNPVariadic]>;
def ipu_exitz : SDNode<"IPUISD::EXITZ", SDT_IPUExit, [SDNPHasChain]>;
def ipu_exitnz : SDNode<"IPUISD::EXITNZ", SDT_IPUExit, [SDNPHasChain]>;
def ipu_brz : SDNode<"IPUISD::BRZ", SDT_IPUBranch, [SDNPHasChain]>;
def ipu_brnz : SDNode<"IPUISD::BRNZ", SDT_IPUBranch, [SDNPHasChain]>;
def ipu_brpos : SDNode<"IPUISD::BRPOS", SDT_IPUBranch, [SDNPHasChain]>;
def ipu_brneg : SDNode<"IPUISD::BRNEG", SDT_IPUBranch, [SDNPHasChain]>;
// Between a float register's bits and their integer or float value.
def ipu_f32fromi32 : SDNode<"IPUISD::F32FROMI32", SDT_IPUF32F32>;
def ipu_f32fromui32 : SDNode<"IPUISD::F32FROMUI32", SDT_IPUF32F32>;
def ipu_f32toi32 : SDNode<"IPUISD::F32TOI32", SDT_IPUF32F32>;
def ipu_f32toui32 : SDNode<"IPUISD::F32TOUI32", SDT_IPUF32F32>;
// Narrow integers to words: (a0, b0, a1, b1) of bytes, lower halves of two words.
def ipu_packbytes : SDNode<"IPUISD::PACKBYTES", SDTIntBinOp>;
def ipu_packhalves : SDNode<"IPUISD::PACKHALVES", SDTIntBinOp>;
// Stores the bits of a word that a mask names: value, mask, address.
def ipu_merge : SDNode<"IPUISD::MERGE", SDT_IPUMerge,
                       [SDNPHasChain, SDNPMayLoad, SDNPMayStore, SDNPMemOperand]>;
// Stores a half as the lower one of a word.
def ipu_mergelo : SDNode<"IPUISD::MERGELO", SDT_IPUMergeHalf,
                         [SDNPHasChain, SDNPMayLoad, SDNPMayStore, SDNPMemOperand]>;

def callseq_start : SDNode<"ISD::CALLSEQ_START", SDT_CallSeqStart,
                           [SDNPHasChain, SDNPOutGlue]>;
def callseq_end : SDNode<"ISD::CALLSEQ_END", SDT_CallSeqEnd,
                         [SDNPHasChain, SDNPOptInGlue, SDNPOutGlue]>;

def ipu_fexp : SDNode<"ISD::FEXP", SDTFPUnaryOp>;
def ipu_flog : SDNode<"ISD::FLOG", SDTFPUnaryOp>;

// Addresses for accesses of 1, 2, 4 and 8 bytes.
def addr8 : ComplexPattern<i32, 3, "selectAddress<1>">;
def addr16 : ComplexPattern<i32, 3, "selectAddress<2>">;
def addr32 : ComplexPattern<i32, 3, "selectAddress<4>">;
def addr64 : ComplexPattern<i32, 3, "selectAddress<8>">;
// The address with an index in a register, in units of the access.
def indexed16 : ComplexPattern<i32, 3, "selectIndexed<2>">;
def indexed32 : ComplexPattern<i32, 3, "selectIndexed<4>">;
def indexed64 : ComplexPattern<i32, 3, "selectIndexed<8>">;
def indexedWord : ComplexPattern<i32, 2, "selectIndexedWord">;

//===----------------------------------------------------------------------===//
// Pseudos
//===----------------------------------------------------------------------===//

let Defs = [M11], Uses = [M11], hasSideEffects = 1 in {
  def ADJCALLSTACKDOWN
      : Pseudo<(outs), (ins i32imm:$n, i32imm:$m),
               [(callseq_start timm:$n, timm:$m)]>;
  def ADJCALLSTACKUP
      : Pseudo<(outs), (ins i32imm:$n, i32imm:$m),
               [(callseq_end timm:$n, timm:$m)]>;
}

let isCall = 1, Defs = [M10], Uses = [M11] in {
  def CALL_direct : Pseudo<(outs), (ins target20:$target)>;
  // setzi $lr, next ; br $target ; next:
  let Size = 8 in
  def CALL_indirect
      : Pseudo<(outs), (ins MRCallee:$target), [(ipu_call MRCallee:$target)]>;
}
def : Pat<(ipu_call tglobaladdr:$f), (CALL_direct tglobaladdr:$f)>;
def : Pat<(ipu_call texternalsym:$f), (CALL_direct texternalsym:$f)>;

let isReturn = 1, isTerminator = 1, isBarrier = 1 in
def RET : Pseudo<(outs), (ins), [(ipu_ret)]>;

// A loop's counter, one less; what is known of the number of iterations is in
// IPUHardwareLoops.h. Becomes an addition, or part of a hardware loop.
let Constraints = "$s = $d" in
def LOOP_DEC : Pseudo<(outs MR:$d), (ins MR:$s, i32imm:$bound)>;

// Two main and four auxiliary registers to the stack and back, in two accesses
// each; the offset is in units of one of them. Expanded when the frame is known.
let Size = 8 in {
  let mayLoad = 1 in {
    def LOAD_WORDS
        : Pseudo<(outs MRPair:$d), (ins MR:$base, MR:$delta, z12:$imm)>;
    def LOAD_QUAD
        : Pseudo<(outs ARQuad:$d), (ins MR:$base, MR:$delta, z12:$imm)>;
  }
  let mayStore = 1 in {
    def STORE_WORDS
        : Pseudo<(outs), (ins MRPair:$s, MR:$base, MR:$delta, z12:$imm)>;
    def STORE_QUAD
        : Pseudo<(outs), (ins ARQuad:$s, MR:$base, MR:$delta, z12:$imm)>;
  }
}

let usesCustomInserter = 1 in {
  def SELECT_f32
      : Pseudo<(outs AR:$d), (ins MR:$c, AR:$t, AR:$f),
               [(set f32:$d, (select i32:$c, f32:$t, f32:$f))]>;
  def SELECT_f16
      : Pseudo<(outs AR:$d), (ins MR:$c, AR:$t, AR:$f),
               [(set f16:$d, (select i32:$c, f16:$t, f16:$f))]>;
  // The pseudo is one unit until it is expanded; then nothing may move in
  // between.
  let mayLoad = 1, mayStore = 1, Size = 16 in
  def MERGE32 : Pseudo<(outs), (ins MR:$value, MR:$mask, MR:$base, MR:$delta,
                                    z12:$imm),
                       [(ipu_merge i32:$value, i32:$mask,
                                   (addr32 MR:$base, MR:$delta, z12:$imm))]>;
  let mayLoad = 1, mayStore = 1, Size = 12 in
  def MERGE_LOW : Pseudo<(outs), (ins AR:$value, MR:$base, MR:$delta, z12:$imm),
                         [(ipu_mergelo f16:$value,
                              (addr32 MR:$base, MR:$delta, z12:$imm))]>;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

class BinaryPat<SDPatternOperator op, Instruction inst>
    : Pat<(op i32:$a, i32:$b), (inst $a, $b)>;
class BinaryImmPat<SDPatternOperator op, ImmLeaf immOp, Instruction inst>
    : Pat<(i32 (op i32:$a, immOp:$b)), (inst $a, immOp:$b)>;

def : BinaryPat<add, ADD_rr>;
def : BinaryPat<sub, SUB_rr>;
def : BinaryPat<mul, MUL_rr>;
def : BinaryPat<smax, MAX_rr>;
def : BinaryPat<smin, MIN_rr>;
def : BinaryPat<and, AND_m_rr>;
def : BinaryPat<or, OR_m_rr>;
def : BinaryPat<xor, XOR_rr>;
def : BinaryPat<shl, SHL_rr>;
def : BinaryPat<srl, SHR_rr>;
def : BinaryPat<sra, SHRS_rr>;
def : BinaryPat<ipu_packbytes, SHUF8X8LO>;
def : BinaryPat<ipu_packhalves, SORT4X16LO_m>;
def : BinaryPat<seteq, CMPEQ_rr>;
def : BinaryPat<setne, CMPNE_rr>;
def : BinaryPat<setlt, CMPSLT_rr>;
def : BinaryPat<setult, CMPULT_rr>;

let AddedComplexity = 1 in {
  def : BinaryImmPat<add, s16, ADD_rs>;
  def : BinaryImmPat<smax, s16, MAX_rs>;
  def : BinaryImmPat<smin, s16, MIN_rs>;
  def : BinaryImmPat<seteq, s16, CMPEQ_rs>;
}
def : BinaryImmPat<add, z16, ADD_rz>;
def : BinaryImmPat<smax, z16, MAX_rz>;
def : BinaryImmPat<smin, z16, MIN_rz>;
def : BinaryImmPat<seteq, z16, CMPEQ_rz>;
def : BinaryImmPat<mul, s16, MUL_rs>;
def : BinaryImmPat<setlt, s16, CMPSLT_rs>;
def : BinaryImmPat<setult, z16, CMPULT_rz>;
def : Pat<(i32 (sub s16:$a, i32:$b)), (SUB_sr s16:$a, $b)>;

// The other comparisons: operands swapped, result inverted.
def : Pat<(i32 (setgt i32:$a, i32:$b)), (CMPSLT_rr $b, $a)>;
def : Pat<(i32 (setugt i32:$a, i32:$b)), (CMPULT_rr $b, $a)>;
def : Pat<(i32 (setge i32:$a, i32:$b)), (CMPEQ_rs (CMPSLT_rr $a, $b), 0)>;
def : Pat<(i32 (setuge i32:$a, i32:$b)), (CMPEQ_rs (CMPULT_rr $a, $b), 0)>;
def : Pat<(i32 (setle i32:$a, i32:$b)), (CMPEQ_rs (CMPSLT_rr $b, $a), 0)>;
def : Pat<(i32 (setule i32:$a, i32:$b)), (CMPEQ_rs (CMPULT_rr $b, $a), 0)>;

def : BinaryImmPat<and, z12, AND_m_rz>;
def : BinaryImmPat<or, z12, OR_m_rz>;
def : BinaryImmPat<or, h12, OR_m_rh>;
def : BinaryImmPat<shl, z5, SHL_rz>;
def : BinaryImmPat<srl, z5, SHR_rz>;
def : BinaryImmPat<sra, z5, SHRS_rz>;

def invertImm : SDNodeXForm<imm, [{
  return CurDAG->getTargetConstant(~N->getSExtValue(), SDLoc(N), MVT::i32);
}]>;
def inv12 : ImmLeaf<i32, [{ return isUInt<12>(~Imm); }], invertImm>;
def : Pat<(i32 (and i32:$a, inv12:$b)), (ANDC_m_rz $a, (invertImm imm:$b))>;
def : Pat<(i32 (and i32:$a, 0xffff)), (SORT4X16LO_m $a, M15)>;

def : Pat<(i32 (not i32:$a)), (XNOR_rr $a, M15)>;
def : Pat<(i32 (not (xor i32:$a, i32:$b))), (XNOR_rr $a, $b)>;
def : Pat<(i32 (and i32:$a, (not i32:$b))), (ANDC_m_rr $a, $b)>;

def : Pat<(i32 (ctlz i32:$a)), (CLZ $a)>;
def : Pat<(i32 (ctpop i32:$a)), (POPC $a)>;
def : Pat<(i32 (bswap i32:$a)), (ROLL16_m (SWAP8 $a), (SWAP8 $a))>;
def : Pat<(i32 (bitreverse i32:$a)),
          (ROLL16_m (SWAP8 (BITREV8 $a)), (SWAP8 (BITREV8 $a)))>;

def : Pat<(i32 (select i32:$c, i32:$t, i32:$f)), (MOVNZ $f, $c, $t)>;
// All bits of a mask are equal, so it need not become 0 or 1.
def mask : PatLeaf<(i32 MR:$c), [{ return isMask(SDValue(N, 0)); }]>;
def : Pat<(i32 (select (i32 (and mask:$c, 1)), i32:$t, i32:$f)),
          (MOVNZ $f, $c, $t)>;
def : Pat<(i32 (select (i32 (seteq i32:$c, 0)), i32:$t, i32:$f)),
          (MOVZ $f, $c, $t)>;
def : Pat<(i32 (select (i32 (setne i32:$c, 0)), i32:$t, i32:$f)),
          (MOVNZ $f, $c, $t)>;

//===----------------------------------------------------------------------===//
// Addresses and control flow
//===----------------------------------------------------------------------===//

def : Pat<(ipu_wrapper tglobaladdr:$a), (SETZI_m tglobaladdr:$a)>;
def : Pat<(ipu_wrapper texternalsym:$a), (SETZI_m texternalsym:$a)>;
def : Pat<(ipu_wrapper tblockaddress:$a), (SETZI_m tblockaddress:$a)>;
def : Pat<(ipu_wrapper tjumptable:$a), (SETZI_m tjumptable:$a)>;
def : Pat<(ipu_wrapper tconstpool:$a), (SETZI_m tconstpool:$a)>;

def : Pat<(br bb:$t), (BRI bb:$t)>;
def : Pat<(brind i32:$t), (BR $t)>;
def : Pat<(ipu_brz i32:$c, bb:$t), (BRZ $c, bb:$t)>;
def : Pat<(ipu_brnz i32:$c, bb:$t), (BRNZ $c, bb:$t)>;
def : Pat<(ipu_brpos i32:$c, bb:$t), (BRPOS $c, bb:$t)>;
def : Pat<(ipu_brneg i32:$c, bb:$t), (BRNEG $c, bb:$t)>;
def : Pat<(ipu_exitz i32:$v), (EXITZ $v)>;
def : Pat<(ipu_exitnz i32:$v), (EXITNZ $v)>;
def : Pat<(trap), (TRAP 0)>;
def : Pat<(debugtrap), (TRAP 0)>;

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

class LoadPat<SDPatternOperator op, ValueType vt, ComplexPattern addr,
              Instruction inst>
    : Pat<(vt (op (addr MR:$base, MR:$delta, z12:$imm))),
          (inst $base, $delta, z12:$imm)>;
class StorePat<ValueType vt, ComplexPattern addr, Instruction inst>
    : Pat<(store vt:$v, (addr MR:$base, MR:$delta, z12:$imm)),
          (inst $v, $base, $delta, z12:$imm)>;

def : LoadPat<load, i32, addr32, LD32_m_bdi>;
def : LoadPat<zextloadi16, i32, addr16, LDZ16_bdi>;
def : LoadPat<extloadi16, i32, addr16, LDZ16_bdi>;
def : LoadPat<sextloadi16, i32, addr16, LDS16_bdi>;
def : LoadPat<zextloadi8, i32, addr8, LDZ8_bdi>;
def : LoadPat<extloadi8, i32, addr8, LDZ8_bdi>;
def : LoadPat<sextloadi8, i32, addr8, LDS8_bdi>;
def : LoadPat<load, f32, addr32, LD32_a_bdi>;
def : StorePat<i32, addr32, ST32_m_bdi>;
def : StorePat<f32, addr32, ST32_a_bdi>;

class IndexedLoadPat<SDPatternOperator op, ValueType vt, ComplexPattern addr,
                     Instruction inst>
    : Pat<(vt (op (addr MR:$base, MR:$delta, MR:$index))),
          (inst $base, $delta, $index)>;
class IndexedStorePat<ValueType vt, ComplexPattern addr, Instruction inst>
    : Pat<(store vt:$v, (addr MR:$base, MR:$delta, MR:$index)),
          (inst $v, $base, $delta, $index)>;

let AddedComplexity = 10 in {
  def : IndexedLoadPat<load, i32, indexed32, LD32_m_bdr>;
  def : IndexedLoadPat<zextloadi16, i32, indexed16, LDZ16_bdr>;
  def : IndexedLoadPat<extloadi16, i32, indexed16, LDZ16_bdr>;
  def : IndexedLoadPat<sextloadi16, i32, indexed16, LDS16_bdr>;
  def : IndexedLoadPat<load, f32, indexed32, LD32_a_bdr>;
  def : IndexedLoadPat<load, f16, indexed16, LDB16_bdr>;
  def : IndexedLoadPat<load, v2f16, indexed32, LD32_a_bdr>;
  def : IndexedLoadPat<load, v2f32, indexed64, LD64_bdr>;
  def : IndexedLoadPat<load, v4f16, indexed64, LD64_bdr>;
  def : IndexedStorePat<f32, indexed32, ST32_a_bdr>;
  def : IndexedStorePat<v2f16, indexed32, ST32_a_bdr>;
  def : IndexedStorePat<v2f32, indexed64, ST64_bdr>;
  def : IndexedStorePat<v4f16, indexed64, ST64_bdr>;
  // Integers have no delta beside the index.
  def : Pat<(store i32:$v, (indexedWord MR:$base, MR:$index)),
            (STM32 $v, $base, $index)>;
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

class FloatBinaryPat<SDPatternOperator op, Instruction inst>
    : Pat<(f32 (op f32:$a, f32:$b)), (inst $a, $b)>;
class FloatUnaryPat<SDPatternOperator op, Instruction inst>
    : Pat<(f32 (op f32:$a)), (inst $a)>;
class FloatRoundPat<SDPatternOperator op, int mode>
    : Pat<(f32 (op f32:$a)), (F32INT $a, mode)>;

def : FloatBinaryPat<fadd, F32ADD>;
def : FloatBinaryPat<fsub, F32SUB>;
def : FloatBinaryPat<fmul, F32MUL>;
def : FloatBinaryPat<fdiv, F32DIV>;
def : FloatBinaryPat<fminnum, F32MIN>;
def : FloatBinaryPat<fmaxnum, F32MAX>;
def : FloatUnaryPat<fsqrt, F32SQRT>;
def : FloatUnaryPat<ipu_fexp, F32EXP>;
def : FloatUnaryPat<fexp2, F32EXP2>;
def : FloatUnaryPat<ipu_flog, F32LN>;
def : FloatUnaryPat<flog2, F32LOG2>;
def : FloatUnaryPat<ftanh, F32TANH>;
def : FloatRoundPat<fnearbyint, 0>;
def : FloatRoundPat<frint, 0>;
def : FloatRoundPat<froundeven, 0>;
def : FloatRoundPat<fceil, 1>;
def : FloatRoundPat<ffloor, 2>;
def : FloatRoundPat<ftrunc, 3>;
def : FloatRoundPat<fround, 4>;

// There is no exclusive or: -x is -0 - x. The sign bit is bits 31:20 = 0x800.
defvar SignBit = -2147483648;
def : Pat<(f32 (fneg f32:$a)), (F32SUB (f32 (OR_a_rh (f32 A15), SignBit)), $a)>;
def : Pat<(f32 (fabs f32:$a)), (ANDC_a_rh $a, SignBit)>;
def : Pat<(f32 (fcopysign f32:$a, f32:$b)),
          (OR_a_rr (f32 (ANDC_a_rh $a, SignBit)),
                   (f32 (AND_a_rh $b, SignBit)))>;

def : FloatUnaryPat<ipu_f32fromi32, F32FROMI32>;
def : FloatUnaryPat<ipu_f32fromui32, F32FROMUI32>;
def : FloatUnaryPat<ipu_f32toi32, F32TOI32>;
def : FloatUnaryPat<ipu_f32toui32, F32TOUI32>;
def : Pat<(i32 (bitconvert f32:$a)), (ATOM $a)>;
