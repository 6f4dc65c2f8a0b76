// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instruction table, main pipe: one row for each operand form. The auxiliary
// pipe, assembler aliases and the code generator's patterns are in the files
// included at the end. Encodings are stored in objects: append rows, never
// renumber.

include "IPUInstrFormats.td"

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

let isReMaterializable = 1, isMoveImm = 1, isAsCheapAsAMove = 1 in
def SETZI_m : MainInst<0x30, "setzi", (outs MR:$d), (ins z20:$imm), "$d, $imm"> {
  bits<4> d;
  bits<20> imm;
  let Inst{23-20} = d;
  let Inst{19-0} = imm;
}

let Contexts = 1, BitMoves = "Copies" in
def ATOM : MainInst<0x00, "atom", (outs MR:$d), (ins AR:$s), "$d, $s"> {
  bits<4> d;
  bits<4> s;
  let Inst{23-20} = d;
  let Inst{19-16} = s;
  let Inst{11-0} = 0x040;
}

//===----------------------------------------------------------------------===//
// Integer arithmetic, logic, shifts, compares
//===----------------------------------------------------------------------===//

let isCommutable = 1 in {
  let LowestBits = "Adds" in
  def ADD_rr : MRRR<0x001, "add">;
  def MUL_rr : MRRR<0x003, "mul">;
  def MAX_rr : MRRR<0x004, "max">;
  def MIN_rr : MRRR<0x005, "min">;
  let BitMoves = "Mixes" in
  def AND_m_rr : MRRR<0x008, "and">;
  let BitMoves = "Mixes", LowestBits = "Joins" in {
    def OR_m_rr : MRRR<0x00a, "or">;
    def XOR_rr : MRRR<0x00b, "xor">;
  }
  def XNOR_rr : MRRR<0x00c, "xnor">;
  def CMPEQ_rr : MRRR<0x014, "cmpeq">;
  def CMPNE_rr : MRRR<0x015, "cmpne">;
}
def SUB_rr : MRRR<0x002, "sub">;
let BitMoves = "Mixes" in {
  def ANDC_m_rr : MRRR<0x009, "andc">;
  def SHL_rr : MRRR<0x010, "shl">;
  def SHR_rr : MRRR<0x011, "shr">;
  def SHRS_rr : MRRR<0x012, "shrs">;
}
def CMPSLT_rr : MRRR<0x016, "cmpslt">;
def CMPULT_rr : MRRR<0x017, "cmpult">;
def MOVZ : MCondMove<0x018, "movz">;
def MOVNZ : MCondMove<0x019, "movnz">;

// If both extensions exist, the plain mnemonic is the sign-extended form, and
// the zero-extended form has a z; the assembler takes the plain mnemonic for
// both.
let isReMaterializable = 1, isAsCheapAsAMove = 1 in
def ADD_rs : MRRI16<0x11, "add", s16>;
def ADD_rz : MRRI16<0x10, "addz", z16>;
def SUB_zr : MRIR16<0x12, "subz", z16>;
def SUB_sr : MRIR16<0x13, "sub", s16>;
def MUL_rs : MRRI16<0x14, "mul", s16>;
def MAX_rz : MRRI16<0x15, "maxz", z16>;
def MAX_rs : MRRI16<0x16, "max", s16>;
def MIN_rz : MRRI16<0x17, "minz", z16>;
def MIN_rs : MRRI16<0x18, "min", s16>;
def CMPEQ_rz : MRRI16<0x19, "cmpeqz", z16>;
def CMPEQ_rs : MRRI16<0x1a, "cmpeq", s16>;
def CMPSLT_rs : MRRI16<0x1b, "cmpslt", s16>;
def CMPULT_rz : MRRI16<0x1c, "cmpult", z16>;

let BitMoves = "CopiesIfZero" in
def OR_m_rz : MRRI12<0x2, "or", z12>;
let BitMoves = "Mixes" in {
  let LowestBits = "Takes" in
  def AND_m_rz : MRRI12<0x0, "and", z12>;
  def ANDC_m_rz : MRRI12<0x1, "andc", z12>;
  let isReMaterializable = 1, isAsCheapAsAMove = 1 in
  def OR_m_rh : MRRI12<0x3, "or", h12>;
  def SHL_rz : MRRI12<0x4, "shl", z12>;
  def SHR_rz : MRRI12<0x5, "shr", z12>;
  def SHRS_rz : MRRI12<0x6, "shrs", z12>;
}

def ABS : MRR<0x020, "abs">;
def CLZ : MRR<0x021, "clz">;
def CMS : MRR<0x022, "cms">;
def POPC : MRR<0x023, "popc">;
def BITREV8 : MRR<0x024, "bitrev8">;
let BitMoves = "Mixes" in {
  def SWAP8 : MRR<0x025, "swap8">;
  def SORT8 : MRR<0x026, "sort8">;
}

//===----------------------------------------------------------------------===//
// Permutes
//===----------------------------------------------------------------------===//

let BitMoves = "Mixes" in {
  def ROLL8L : MRRR<0x030, "roll8l">;
  def ROLL8R : MRRR<0x031, "roll8r">;
  def ROLL16_m : MRRR<0x032, "roll16">;
  def SHUF8X8LO : MRRR<0x033, "shuf8x8lo">;
  def SHUF8X8HI : MRRR<0x034, "shuf8x8hi">;
  def SORT8X8LO : MRRR<0x035, "sort8x8lo">;
  def SORT8X8HI : MRRR<0x036, "sort8x8hi">;
  def SORT4X16LO_m : MRRR<0x037, "sort4x16lo">;
  def SORT4X16HI_m : MRRR<0x038, "sort4x16hi">;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

let IsControl = 1 in {
  let isBranch = 1, isTerminator = 1, isBarrier = 1 in {
    let isIndirectBranch = 1, Flow = "Jump" in
    def BR : MMiscReg<0x0, "br">;
    let Flow = "Goto" in
    def BRI : MainInst<0x32, "bri", (outs), (ins target19:$target), "$target"> {
      bits<19> target;
      let Inst{18-0} = target;
    }
  }
  let isCall = 1, Flow = "Call" in
  def CALL : MainInst<0x31, "call", (outs MR:$d), (ins target20:$target),
                      "$d, $target"> {
    bits<4> d;
    bits<20> target;
    let Inst{23-20} = d;
    let Inst{19-0} = target;
  }

  let isReturn = 1, isTerminator = 1, isBarrier = 1, Contexts = 1,
      NoBundle = 1, Flow = "Exit" in {
    def EXITZ : MMiscReg<0x1, "exitz">;
    def EXITNZ : MMiscReg<0x2, "exitnz">;
    def EXITPOS : MMiscReg<0x3, "exitpos">;
    def EXITNEG : MMiscReg<0x4, "exitneg">;
  }
}

def BRZ : MCondBranch<0x33, "brz">;
def BRNZ : MCondBranch<0x34, "brnz">;
def BRPOS : MCondBranch<0x35, "brpos">;
def BRNEG : MCondBranch<0x36, "brneg">;

let IsControl = 1, isBranch = 1, isTerminator = 1, Flow = "Branch" in
def BRNZDEC : MainInst<0x37, "brnzdec", (outs MR:$sOut),
                       (ins MR:$s, target19:$target), "$s, $target"> {
  bits<4> s;
  bits<19> target;
  let Inst{23-20} = s;
  let Inst{18-0} = target;
  let Constraints = "$s = $sOut";
}

// The body is imm2 + 1 bundles.
let IsControl = 1, Contexts = 1, hasSideEffects = 1, Flow = "Repeat" in {
  def RPT_r : MMisc<0x5, "rpt", (outs), (ins MR:$s, z8:$imm2), "$s, $imm2"> {
    bits<4> s;
    bits<8> imm2;
    let Inst{23-20} = s;
    let Inst{7-0} = imm2;
  }
  def RPT_i : MainInst<0x03, "rpt", (outs), (ins z12:$imm, z8:$imm2),
                       "$imm, $imm2"> {
    bits<12> imm;
    bits<8> imm2;
    let Inst{19-8} = imm;
    let Inst{7-0} = imm2;
  }
}

//===----------------------------------------------------------------------===//
// System
//===----------------------------------------------------------------------===//

let IsSystem = 1, hasSideEffects = 1, Flow = "System" in {
  let Csr = "ReadsLower" in
  def GET : MMisc<0x6, "get", (outs MR:$d), (ins csrlow:$csr), "$d, $csr"> {
    bits<4> d;
    bits<8> csr;
    let Inst{23-20} = d;
    let Inst{7-0} = csr;
  }
  let NoBundle = 1 in {
    let Csr = "WritesLower" in
    def PUT : MMisc<0x7, "put", (outs), (ins csrlow:$csr, MR:$s), "$csr, $s"> {
      bits<8> csr;
      bits<4> s;
      let Inst{23-20} = s;
      let Inst{7-0} = csr;
    }
    def TRAP : MMisc<0x8, "trap", (outs), (ins z4:$imm), "$imm"> {
      bits<4> imm;
      let Inst{3-0} = imm;
    }
    let Contexts = 2 in {
      let Workers = "Awaits" in
      def SYNC : MMisc<0x9, "sync", (outs), (ins z8:$imm), "$imm"> {
        bits<8> imm;
        let Inst{7-0} = imm;
      }
      // The immediate is the number of a weight register.
      class MLoadWeight<bits<4> func, string mn, int bytes>
          : MMisc<func, mn, (outs), (ins z6:$imm), "$imm"> {
        let Workers = "LoadsWeights";
        let AccessKind = "Load";
        let Addressing = "Other";
        let AccessBytes = bytes;
        bits<6> imm;
        let Inst{5-0} = imm;
      }
      def LD64PUTCS : MLoadWeight<0xa, "ld64putcs", 8>;
      def LD128PUTCS : MLoadWeight<0xb, "ld128putcs", 16>;

      class MRun<bits<6> op, string mn>
          : MainInst<op, mn, (outs), (ins MR:$s0, MR:$s1, zrun16:$imm),
                     "$s0, $s1, $imm"> {
        bits<4> s0;
        bits<4> s1;
        bits<16> imm;
        let Inst{23-20} = s0;
        let Inst{19-16} = s1;
        let Inst{15-0} = imm;
      }
      let Workers = "StartsOne" in
      def RUN : MRun<0x1e, "run">;
      let Workers = "StartsAll" in
      def RUNALL : MRun<0x1f, "runall">;
    }
  }
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

def LD32_m_bdi : LoadBDI<0x20, "ld32", MR>;
let AccessBytes = 2 in
def LDZ16_bdi : LoadBDI<0x21, "ldz16", MR>;
let AccessBytes = 2 in
def LDS16_bdi : LoadBDI<0x22, "lds16", MR>;
let AccessBytes = 1 in
def LDZ8_bdi : LoadBDI<0x23, "ldz8", MR>;
let AccessBytes = 1 in
def LDS8_bdi : LoadBDI<0x24, "lds8", MR>;
def ST32_m_bdi : StoreBDI<0x25, "st32", MR>;
let Contexts = 1 in {
  def LD32_a_bdi : LoadBDI<0x26, "ld32", AR>;
  def LD64_bdi : LoadBDI<0x27, "ld64", ARPair>;
  def LD128_bdi : LoadBDI<0x28, "ld128", ARQuad>;
  let AccessBytes = 2, LoadsWords = 0 in
  def LDB16_bdi : LoadBDI<0x29, "ldb16", AR>;
  def ST32_a_bdi : StoreBDI<0x2a, "st32", AR>;
  def ST64_bdi : StoreBDI<0x2b, "st64", ARPair>;
}

def LD32_m_bdr : LoadBDR<0x01, "ld32", MR>;
let AccessBytes = 2 in
def LDZ16_bdr : LoadBDR<0x02, "ldz16", MR>;
let AccessBytes = 2 in
def LDS16_bdr : LoadBDR<0x03, "lds16", MR>;
let AccessBytes = 1 in
def LDZ8_bdr : LoadBDR<0x04, "ldz8", MR>;
let AccessBytes = 1 in
def LDS8_bdr : LoadBDR<0x05, "lds8", MR>;
let Contexts = 1 in {
  def LD32_a_bdr : LoadBDR<0x06, "ld32", AR>;
  def LD64_bdr : LoadBDR<0x07, "ld64", ARPair>;
  def LD128_bdr : LoadBDR<0x08, "ld128", ARQuad>;
  let AccessBytes = 2, LoadsWords = 0 in
  def LDB16_bdr : LoadBDR<0x09, "ldb16", AR>;
  def ST32_a_bdr : StoreBDR<0x0a, "st32", AR>;
  def ST64_bdr : StoreBDR<0x0b, "st64", ARPair>;
}

// The register-offset stores of the main file have no delta.
def STM32 : MainInst<0x05, "stm32", (outs), (ins MR:$s, MR:$base, MR:$off),
                     "$s, $base, $off"> {
  bits<4> s;
  bits<4> base;
  bits<4> off;
  let Inst{23-20} = s;
  let Inst{19-16} = base;
  let Inst{11-8} = off;
  let Inst{7-0} = 0x0c;
  let mayStore = 1;
  let AccessKind = "Store";
  let Addressing = "Other";
  let AccessBytes = 4;
}
def STM32STEP : MainInst<0x05, "stm32step", (outs MR:$baseOut),
                         (ins MR:$s, MR:$base, MR:$stride),
                         "$s, ${base}+=, $stride"> {
  bits<4> s;
  bits<4> base;
  bits<4> stride;
  let Inst{23-20} = s;
  let Inst{19-16} = base;
  let Inst{11-8} = stride;
  let Inst{7-0} = 0x0d;
  let Constraints = "$base = $baseOut";
  let mayStore = 1;
  let AccessKind = "Store";
  let Addressing = "Other";
  let AccessBytes = 4;
}

def LD32STEP_m_i : LoadStepImm<0x0, "ld32step", MR>;
let AccessBytes = 2 in
def LDZ16STEP_i : LoadStepImm<0x1, "ldz16step", MR>;
let AccessBytes = 2 in
def LDS16STEP_i : LoadStepImm<0x2, "lds16step", MR>;
let AccessBytes = 1 in
def LDZ8STEP_i : LoadStepImm<0x3, "ldz8step", MR>;
let AccessBytes = 1 in
def LDS8STEP_i : LoadStepImm<0x4, "lds8step", MR>;
def ST32STEP_m_i : StoreStepImm<0x5, "st32step", MR>;
let Contexts = 1 in {
  def LD32STEP_a_i : LoadStepImm<0x6, "ld32step", AR>;
  def LD64STEP_i : LoadStepImm<0x7, "ld64step", ARPair>;
  def LD128STEP_i : LoadStepImm<0x8, "ld128step", ARQuad>;
  let AccessBytes = 2, LoadsWords = 0 in
  def LDB16STEP_i : LoadStepImm<0x9, "ldb16step", AR>;
  def ST32STEP_a_i : StoreStepImm<0xa, "st32step", AR>;
  def ST64STEP_i : StoreStepImm<0xb, "st64step", ARPair>;
}

def LD32STEP_m_r : LoadStepReg<0x10, "ld32step", MR>;
let AccessBytes = 2 in
def LDZ16STEP_r : LoadStepReg<0x11, "ldz16step", MR>;
let AccessBytes = 2 in
def LDS16STEP_r : LoadStepReg<0x12, "lds16step", MR>;
let AccessBytes = 1 in
def LDZ8STEP_r : LoadStepReg<0x13, "ldz8step", MR>;
let AccessBytes = 1 in
def LDS8STEP_r : LoadStepReg<0x14, "lds8step", MR>;
let Contexts = 1 in {
  def LD32STEP_a_r : LoadStepReg<0x16, "ld32step", AR>;
  def LD64STEP_r : LoadStepReg<0x17, "ld64step", ARPair>;
  def LD128STEP_r : LoadStepReg<0x18, "ld128step", ARQuad>;
  let AccessBytes = 2, LoadsWords = 0 in
  def LDB16STEP_r : LoadStepReg<0x19, "ldb16step", AR>;
  def ST32STEP_a_r : StoreStepReg<0x1a, "st32step", AR>;
  def ST64STEP_r : StoreStepReg<0x1b, "st64step", ARPair>;
}

//===----------------------------------------------------------------------===//
// Sparse and packed-address accesses
//===----------------------------------------------------------------------===//

class MSparseReplace<bits<8> func, string mn, RegisterClass rc>
    : MSparse<func, mn, (outs rc:$d, MR:$addrOut, MR:$deltaOut),
              (ins MR:$addr, MR:$base, MR:$delta),
              "$d, ${addr}++, $base, ${delta}@"> {
  bits<4> d;
  bits<4> addr;
  bits<4> base;
  bits<4> delta;
  let Inst{23-20} = d;
  let Inst{19-16} = addr;
  let Inst{15-12} = base;
  let Inst{11-8} = delta;
  let Constraints = "$addr = $addrOut, $delta = $deltaOut";
}
def LDD16B16 : MSparseReplace<0x20, "ldd16b16", AR>;
def LDD16A32 : MSparseReplace<0x21, "ldd16a32", AR>;
def LDD16A64 : MSparseReplace<0x22, "ldd16a64", ARPair>;
def LDD16V2A32 : MSparseReplace<0x23, "ldd16v2a32", AR>;

// The first word of the quad is kept.
def LD64A32 : MSparse<0x24, "ld64a32", (outs ARQuad:$dOut, MR:$addrOut),
                      (ins ARQuad:$d, MR:$addr, MR:$base, MR:$delta),
                      "$d, ${addr}++, $base, $delta"> {
  bits<4> d;
  bits<4> addr;
  bits<4> base;
  bits<4> delta;
  let Inst{23-20} = d;
  let Inst{19-16} = addr;
  let Inst{15-12} = base;
  let Inst{11-8} = delta;
  let Constraints = "$d = $dOut, $addr = $addrOut";
}

def LDB16B16 : MSparse<0x25, "ldb16b16",
                       (outs ARPair:$d, MR:$deltaOut, MR:$miniOut),
                       (ins MR:$base, MR:$delta, MR:$mini),
                       "$d, $base, ${delta}++, ${mini}>>"> {
  bits<4> d;
  bits<4> base;
  bits<4> delta;
  bits<4> mini;
  let Inst{23-20} = d;
  let Inst{19-16} = base;
  let Inst{15-12} = delta;
  let Inst{11-8} = mini;
  let Constraints = "$delta = $deltaOut, $mini = $miniOut";
}

let Contexts = 1 in
def TAPACK : MainInst<0x05, "tapack", (outs MRPair:$d),
                      (ins MR:$a0, MR:$a1, MR:$a2), "$d, ${a0}, ${a1}, ${a2}"> {
  bits<4> d;
  bits<4> a0;
  bits<4> a1;
  bits<4> a2;
  let Inst{23-20} = d;
  let Inst{19-16} = a0;
  let Inst{15-12} = a1;
  let Inst{11-8} = a2;
  let Inst{7-0} = 0x30;
}

let mayLoad = 1, AccessKind = "Load" in
class MPaceLoad2<bits<2> func, string mn, RegisterClass rc2>
    : MPace<func, mn, (outs ARPair:$d, rc2:$d2, MRPair:$pairOut),
            (ins MRPair:$pair, MR:$stride, z4:$imm),
            "$d, $d2, ${pair}+=, $stride, $imm"> {
  bits<4> d;
  bits<4> d2;
  bits<4> imm;
  let Inst{23-20} = d;
  let Inst{19-16} = d2;
  let Inst{3-0} = imm;
}
let TripleBytes = [8, 8, 0], LoadsWords = 1 in
def LD2X64PACE : MPaceLoad2<0, "ld2x64pace", ARPair>;
let TripleBytes = [8, 4, 0] in
def LD64A32PACE : MPaceLoad2<1, "ld64a32pace", AR>;
let TripleBytes = [8, 2, 0] in
def LD64B16PACE : MPaceLoad2<2, "ld64b16pace", AR>;

let mayLoad = 1, mayStore = 1, AccessKind = "LoadStore", LoadsWords = 1 in {
  let TripleBytes = [8, 0, 8] in
  def LDST64PACE : MPace<3, "ldst64pace", (outs ARPair:$d, MRPair:$pairOut),
                         (ins ARPair:$s, MRPair:$pair, MR:$stride, z4:$imm),
                         "$d, $s, ${pair}+=, $stride, $imm"> {
    bits<4> d;
    bits<4> s;
    bits<4> imm;
    let Inst{23-20} = d;
    let Inst{19-16} = s;
    let Inst{3-0} = imm;
  }
  let TripleBytes = [8, 8, 8] in
  def LD2XST64PACE : MPace<0, "ld2xst64pace", (outs ARQuad:$d, MRPair:$pairOut),
                           (ins ARPair:$s, MRPair:$pair, MR:$stride, z6:$imm),
                           "$d, $s, ${pair}+=, $stride, $imm"> {
    bits<4> d;
    bits<4> s;
    bits<6> imm;
    let Inst{29-24} = 0x07;
    let Inst{23-20} = d;
    let Inst{19-16} = s;
    let Inst{5-0} = imm;
  }
}
let mayStore = 1, AccessKind = "Store", TripleBytes = [0, 0, 8] in
def ST64PACE : MPace<1, "st64pace", (outs MRPair:$pairOut),
                     (ins ARPair:$s, MRPair:$pair, MR:$stride, z2:$imm),
                     "$s, ${pair}+=, $stride, $imm"> {
  bits<4> s;
  bits<2> imm;
  let Inst{29-24} = 0x07;
  let Inst{19-16} = s;
  let Inst{1-0} = imm;
}

include "IPUInstrInfoAux.td"
include "IPUInstrAliases.td"
include "IPUPatterns.td"
include "IPUVectorPatterns.td"
include "IPUIntrinsicPatterns.td"
