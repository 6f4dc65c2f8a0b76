// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instruction table, auxiliary pipe: floating point, conversions, elementary
// functions, accumulators, matrix units, and bit operations on $a registers. The
// rows follow IPUInstrFormats.td; families that differ in lane type only are
// multiclasses.

//===----------------------------------------------------------------------===//
// Constants, logic, permutes
//===----------------------------------------------------------------------===//

let isReMaterializable = 1, isMoveImm = 1, isAsCheapAsAMove = 1 in
def SETZI_a : AuxInst<0x30, "setzi", (outs AR:$d), (ins z20:$imm), "$d, $imm"> {
  bits<4> d;
  bits<20> imm;
  let Inst{23-20} = d;
  let Inst{19-0} = imm;
}

let BitMoves = "Mixes" in {
  def AND_a_rr : ARRR<0x001, "and", AR, AR, AR> { let isCommutable = 1; }
  def ANDC_a_rr : ARRR<0x002, "andc", AR, AR, AR>;
  def OR_a_rr : ARRR<0x003, "or", AR, AR, AR> { let isCommutable = 1; }
  def AND64 : ARRR<0x004, "and64", ARPair, ARPair, ARPair> {
    let isCommutable = 1;
  }
  def ANDC64 : ARRR<0x005, "andc64", ARPair, ARPair, ARPair>;
}
let BitMoves = "CopiesIfZero" in
def OR64 : ARRR<0x006, "or64", ARPair, ARPair, ARPair> {
  let isCommutable = 1;
}
def NOT : ARR<0x007, "not", AR, AR>;
def NOT64 : ARR<0x008, "not64", ARPair, ARPair>;

let BitMoves = "CopiesIfZero" in
def OR_a_rz : ARRI12<0x4, "or", AR, z12>;
let BitMoves = "Mixes" in {
  def AND_a_rz : ARRI12<0x0, "and", AR, z12>;
  def AND_a_rh : ARRI12<0x1, "and", AR, h12>;
  def ANDC_a_rz : ARRI12<0x2, "andc", AR, z12>;
  def ANDC_a_rh : ARRI12<0x3, "andc", AR, h12>;
  let isReMaterializable = 1, isAsCheapAsAMove = 1 in
  def OR_a_rh : ARRI12<0x5, "or", AR, h12>;

  def ROLL16_a : ARRR<0x010, "roll16", AR, AR, AR>;
  def SORT4X16LO_a : ARRR<0x011, "sort4x16lo", AR, AR, AR>;
  def SORT4X16HI_a : ARRR<0x012, "sort4x16hi", AR, AR, AR>;
  def SORT4X16LO_a_bu : ARRR<0x811, "sort4x16lo", AR, AR, AR, ":BU">;
  def SORT4X16HI_a_bl : ARRR<0x412, "sort4x16hi", AR, AR, AR, ":BL">;
  def ROLL32 : ARRR<0x013, "roll32", ARPair, ARPair, ARPair>;
  def SORT4X32LO : ARRR<0x014, "sort4x32lo", ARPair, ARPair, ARPair>;
  def SORT4X32HI : ARRR<0x015, "sort4x32hi", ARPair, ARPair, ARPair>;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

// One operation on every lane type: f32 at func, f32v2 at func+1, f16v2 at func+2,
// f16v4 at func+3.
multiclass Arith<bits<12> func, string op> {
  def F32#NAME : ARRR<func, "f32"#op, AR, AR, AR>;
  def F32V2#NAME : ARRR<!add(func, 1), "f32v2"#op, ARPair, ARPair, ARPair>;
  def F16V2#NAME : ARRR<!add(func, 2), "f16v2"#op, AR, AR, AR>;
  def F16V4#NAME : ARRR<!add(func, 3), "f16v4"#op, ARPair, ARPair, ARPair>;
}

// The same, with the first source broadcast over the lanes too.
multiclass ArithBroadcast<bits<12> func, string op> {
  defm NAME : Arith<func, op>;
  defvar lower = !or(func, 0x400);
  defvar upper = !or(func, 0x800);
  def F32V2#NAME#_b
      : ARRR<!add(lower, 1), "f32v2"#op, ARPair, AR, ARPair, ":B">;
  def F16V2#NAME#_bl : ARRR<!add(lower, 2), "f16v2"#op, AR, AR, AR, ":BL">;
  def F16V2#NAME#_bu : ARRR<!add(upper, 2), "f16v2"#op, AR, AR, AR, ":BU">;
  def F16V4#NAME#_bl
      : ARRR<!add(lower, 3), "f16v4"#op, ARPair, AR, ARPair, ":BL">;
  def F16V4#NAME#_bu
      : ARRR<!add(upper, 3), "f16v4"#op, ARPair, AR, ARPair, ":BU">;
}

defm ADD : ArithBroadcast<0x020, "add">;
defm SUB : ArithBroadcast<0x024, "sub">;
defm MUL : ArithBroadcast<0x028, "mul">;
defm ABSADD : Arith<0x02c, "absadd">;
defm ABSMAX : Arith<0x030, "absmax">;
defm MIN : Arith<0x034, "min">;
defm MAX : Arith<0x038, "max">;
defm CMPEQ : ArithBroadcast<0x040, "cmpeq">;
defm CMPNE : ArithBroadcast<0x044, "cmpne">;
defm CMPLT : ArithBroadcast<0x048, "cmplt">;
defm CMPLE : ArithBroadcast<0x04c, "cmple">;
defm CMPGT : ArithBroadcast<0x050, "cmpgt">;
defm CMPGE : ArithBroadcast<0x054, "cmpge">;

let IssueSlots = 3 in
def F32DIV : ARRR<0x03c, "f32div", AR, AR, AR>;

def F32CLAMP : ARRR<0x058, "f32clamp", AR, AR, ARPair>;
def F32V2CLAMP : ARRR<0x059, "f32v2clamp", ARPair, ARPair, ARPair>;
def F16V2CLAMP : ARRR<0x05a, "f16v2clamp", AR, AR, AR>;
def F16V4CLAMP : ARRR<0x05b, "f16v4clamp", ARPair, ARPair, AR>;

//===----------------------------------------------------------------------===//
// Classification, conversions, elementary functions
//===----------------------------------------------------------------------===//

def F32CLASS : ARR<0x060, "f32class", AR, AR>;
def F32V2CLASS : ARR<0x061, "f32v2class", AR, ARPair>;
def F16V2CLASS : ARR<0x062, "f16v2class", AR, AR>;
def F16V4CLASS : ARR<0x063, "f16v4class", AR, ARPair>;

def F16TOF32 : ARR<0x070, "f16tof32", AR, AR>;
def F16V2TOF32 : ARR<0x071, "f16v2tof32", ARPair, AR>;
def F32TOF16 : ARR<0x072, "f32tof16", AR, AR>;
def F32V2TOF16 : ARR<0x073, "f32v2tof16", AR, ARPair>;
def F32V4TOF16 : ARR<0x074, "f32v4tof16", ARPair, ARQuad>;
def F32TOI32 : ARR<0x075, "f32toi32", AR, AR>;
def F32TOUI32 : ARR<0x076, "f32toui32", AR, AR>;
def F32FROMI32 : ARR<0x077, "f32fromi32", AR, AR>;
def F32FROMUI32 : ARR<0x078, "f32fromui32", AR, AR>;
def F32SUFROMUI : ARR<0x079, "f32sufromui", AR, AR>;
def F32V2SUFROMUI : ARR<0x07a, "f32v2sufromui", ARPair, ARPair>;
def F16V2SUFROMUI : ARR<0x07b, "f16v2sufromui", AR, AR>;
def F16V4SUFROMUI : ARR<0x07c, "f16v4sufromui", ARPair, ARPair>;

// imm: 0 nearest even, 1 up, 2 down, 3 towards zero, 4 nearest, ties away.
def F32INT : AMisc<0x2, "f32int", (outs AR:$d), (ins AR:$s, z3:$imm),
                   "$d, $s, $imm"> {
  bits<4> d;
  bits<4> s;
  bits<3> imm;
  let Inst{23-20} = d;
  let Inst{19-16} = s;
  let Inst{2-0} = imm;
}

class AUnary<bits<12> func, string mn, int slots> : ARR<func, mn, AR, AR> {
  let IssueSlots = slots;
}
def F32SQRT : AUnary<0x080, "f32sqrt", 5>;
def F32OOX : AUnary<0x081, "f32oox", 3>;
def F32OORX : AUnary<0x082, "f32oorx", 4>;
def F32EXP : AUnary<0x083, "f32exp", 3>;
def F32EXP2 : AUnary<0x084, "f32exp2", 3>;
def F32LN : AUnary<0x085, "f32ln", 6>;
def F32LOG2 : AUnary<0x086, "f32log2", 6>;
def F32TANH : AUnary<0x087, "f32tanh", 5>;
def F32SIGM : AUnary<0x088, "f32sigm", 5>;
def F16V2EXP : AUnary<0x08b, "f16v2exp", 2>;
def F16V2EXP2 : AUnary<0x08c, "f16v2exp2", 2>;
def F16V2LN : AUnary<0x08d, "f16v2ln", 2>;
def F16V2LOG2 : AUnary<0x08e, "f16v2log2", 2>;
def F16V2TANH : AUnary<0x08f, "f16v2tanh", 1>;
def F16V2SIGM : AUnary<0x090, "f16v2sigm", 2>;

def F16V2SUM : ARR<0x098, "f16v2sum", AR, AR>;
def F16V4SUM : ARR<0x099, "f16v4sum", ARPair, ARPair>;
def F16V2MAXC : ARR<0x09a, "f16v2maxc", AR, AR>;
def F16V4MAXC : ARR<0x09b, "f16v4maxc", AR, ARPair>;

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

def F32MAC : AAcc2<0x0a0, "f32mac", AR>;
def F32V2MAC : AAcc2<0x0a1, "f32v2mac", ARPair>;
def F16V2CMAC : AAcc2<0x0a2, "f16v2cmac", AR>;
def F16V4CMAC : AAcc2<0x0a3, "f16v4cmac", ARPair>;
def F32V4ACC : AAcc1<0x0a4, "f32v4acc", ARQuad>;
def F32V4ABSACC : AAcc1<0x0a5, "f32v4absacc", ARQuad>;
def F32V4SQACC : AAcc1<0x0a6, "f32v4sqacc", ARQuad>;
def F16V4ACC : AAcc1<0x0a7, "f16v4acc", ARPair>;
def F16V4ABSACC : AAcc1<0x0a8, "f16v4absacc", ARPair>;
def F16V8ACC : AAcc1<0x0a9, "f16v8acc", ARQuad>;
def F16V8ABSACC : AAcc1<0x0aa, "f16v8absacc", ARQuad>;
def F16V8SQACC : AAcc1<0x0ab, "f16v8sqacc", ARQuad>;

let Uses = [AACC, TAS], Defs = [AACC] in {
  def F32V2AXPY : ARRR<0x0b0, "f32v2axpy", ARPair, ARPair, ARPair>;
  def F16V4MIX : ARRR<0x0b1, "f16v4mix", ARPair, ARPair, ARPair>;
}
let Uses = [AACC], Defs = [AACC] in {
  def F32V2GINA : ARRI12<0x8, "f32v2gina", ARPair, z12>;
  def F16V2GINA : ARRI12<0x9, "f16v2gina", AR, z12>;
}
let Uses = [AACC] in
def F16V4GACC : ARD<0x0b2, "f16v4gacc", ARPair>;

def F32V2AOP : AFlags<0xe, "f32v2aop", (outs),
                      (ins ARPair:$s0, ARPair:$s1, z8:$imm),
                      "$s0, $s1, $imm"> {
  bits<4> s0;
  bits<4> s1;
  let Inst{19-16} = s0;
  let Inst{15-12} = s1;
  let Uses = [AACC];
  let Defs = [AACC];
}
def F16V4STACC : AFlags<0xf, "f16v4stacc", (outs ARPair:$d), (ins z8:$imm),
                        "$d, $imm"> {
  bits<4> d;
  let Inst{23-20} = d;
  let Uses = [AACC];
  let Defs = [AACC];
}
def F16V4ISTACC : AEngine<0xd, "f16v4istacc", ARPair, ARPair, ARPair>;

//===----------------------------------------------------------------------===//
// Matrix and slim-convolution units
//===----------------------------------------------------------------------===//

class AMatrix<bits<4> func, string mn, RegisterClass rd, RegisterClass r0,
              RegisterClass r1> : AEngine<func, mn, rd, r0, r1> {
  let EngineKind = "Matrix";
}
class ASlim<bits<4> func, string mn, RegisterClass rd, RegisterClass r0,
            RegisterClass r1> : AEngine<func, mn, rd, r0, r1> {
  let EngineKind = "Slim";
}

let TakesSingles = 1, GivesSingles = 1 in {
  def F32SISOAMP : AMatrix<0x0, "f32sisoamp", ARPair, AR, ARPair>;
  def F32SISOSLIC : ASlim<0x6, "f32sisoslic", ARPair, AR, ARPair>;
  let Predicates = [HasTwoSets], SetsTakeTurns = 1 in
  def F32SISOV2AMP : AMatrix<0x4, "f32sisov2amp", ARPair, AR, ARPair>;
}
let GivesSingles = 1 in {
  def F16V4SISOAMP : AMatrix<0x1, "f16v4sisoamp", ARPair, ARPair, ARPair>;
  def F16V4SISOSLIC : ASlim<0x7, "f16v4sisoslic", ARPair, ARPair, ARPair>;
}
def F16V4SIHOAMP : AMatrix<0x2, "f16v4sihoamp", AR, ARPair, ARPair>;
def F16V4HIHOAMP : AMatrix<0x3, "f16v4hihoamp", AR, ARPair, AR>;
def F16V4SIHOSLIC : ASlim<0x8, "f16v4sihoslic", AR, ARPair, ARPair>;
def F16V4HIHOSLIC : ASlim<0x9, "f16v4hihoslic", AR, ARPair, AR>;
let Predicates = [HasTwoSets] in {
  def F16V4HIHOV4AMP : AMatrix<0x5, "f16v4hihov4amp", ARPair, ARPair, ARPair>;
  def F16V4HIHOV4SLIC : ASlim<0xa, "f16v4hihov4slic", ARPair, ARPair, ARPair>;
}

//===----------------------------------------------------------------------===//
// Random numbers, control registers
//===----------------------------------------------------------------------===//

let hasSideEffects = 1 in {
  def URAND32 : ARD<0x0c0, "urand32", AR>;
  def URAND64 : ARD<0x0c1, "urand64", ARPair>;
  def F16V2GRAND : ARD<0x0c2, "f16v2grand", AR>;
  def F32V2GRAND : ARD<0x0c3, "f32v2grand", ARPair>;
  def F32V2RMASK : ARRR<0x0c4, "f32v2rmask", ARPair, ARPair, AR>;
  def F16V4RMASK : ARRR<0x0c5, "f16v4rmask", ARPair, ARPair, AR>;
}

let IsSystem = 1, hasSideEffects = 1, Flow = "System" in {
  let Uses = [TAS], Csr = "ReadsUpper" in
  def UGET : AMisc<0x0, "uget", (outs AR:$d), (ins csrup:$csr), "$d, $csr"> {
    bits<4> d;
    bits<8> csr;
    let Inst{23-20} = d;
    let Inst{7-0} = csr;
  }
  // $FP_CLR clears the accumulators.
  let Uses = [AACC, TAS], Defs = [AACC, TAS], Csr = "WritesUpper" in
  def UPUT : AMisc<0x1, "uput", (outs), (ins csrup:$csr, AR:$s), "$csr, $s"> {
    bits<8> csr;
    bits<4> s;
    let Inst{23-20} = s;
    let Inst{7-0} = csr;
  }
}
