// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects instructions for half and for the vectors that the auxiliary file
// holds: v2f16 in one register, v2f32 and v4f16 in a pair. The instructions of
// v2f16 compute a scalar half. The half is the lower half of its register, and
// the upper one repeats it (loads, conversions and constants ensure that), so
// that the unused lane raises no exception of its own.

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

def SDT_IPULanes1 : SDTypeProfile<1, 1, [SDTCisSameAs<0, 1>]>;
def SDT_IPULanes2 : SDTypeProfile<1, 2, [SDTCisSameAs<0, 1>, SDTCisSameAs<0, 2>]>;
def SDT_IPULanes3
    : SDTypeProfile<1, 3, [SDTCisSameAs<0, 1>, SDTCisSameAs<0, 2>,
                           SDTCisSameAs<0, 3>]>;
def SDT_IPUSplat : SDTypeProfile<1, 1, [SDTCisEltOfVec<1, 0>]>;

// Comparisons whose result is a mask in the type of the operands; logic on bits;
// (mask, value where set, value where clear).
def ipu_fcmpeq : SDNode<"IPUISD::FCMPEQ", SDT_IPULanes2, [SDNPCommutative]>;
def ipu_fcmpne : SDNode<"IPUISD::FCMPNE", SDT_IPULanes2, [SDNPCommutative]>;
def ipu_fcmplt : SDNode<"IPUISD::FCMPLT", SDT_IPULanes2>;
def ipu_fcmple : SDNode<"IPUISD::FCMPLE", SDT_IPULanes2>;
def ipu_fcmpgt : SDNode<"IPUISD::FCMPGT", SDT_IPULanes2>;
def ipu_fcmpge : SDNode<"IPUISD::FCMPGE", SDT_IPULanes2>;
def ipu_fand : SDNode<"IPUISD::FAND", SDT_IPULanes2, [SDNPCommutative]>;
def ipu_fandc : SDNode<"IPUISD::FANDC", SDT_IPULanes2>;
def ipu_for : SDNode<"IPUISD::FOR", SDT_IPULanes2, [SDNPCommutative]>;
def ipu_fnot : SDNode<"IPUISD::FNOT", SDT_IPULanes1>;
def ipu_fsel : SDNode<"IPUISD::FSEL", SDT_IPULanes3>;
// One value in all lanes.
def ipu_splat : SDNode<"IPUISD::SPLAT", SDT_IPUSplat>;
// Results for (a0, a1), (b0, b1): (a0, b0), (a1, b1), (a1, b0), (a0, b1).
def ipu_sortlo : SDNode<"IPUISD::SORTLO", SDT_IPULanes2>;
def ipu_sorthi : SDNode<"IPUISD::SORTHI", SDT_IPULanes2>;
def ipu_roll : SDNode<"IPUISD::ROLL", SDT_IPULanes2>;
def ipu_blend : SDNode<"IPUISD::BLEND", SDT_IPULanes2>;
// The bits of a half in the lower half of a word.
def ipu_f16bits
    : SDNode<"IPUISD::F16BITS",
             SDTypeProfile<1, 1, [SDTCisVT<0, i32>, SDTCisVT<1, f16>]>>;
// The lower half of a register, whatever the upper one is.
def ipu_asf16
    : SDNode<"IPUISD::ASF16", SDTypeProfile<1, 1, [SDTCisVT<0, f16>]>>;

def fpzero : PatLeaf<(fpimm), [{ return N->getValueAPF().isPosZero(); }]>;

//===----------------------------------------------------------------------===//
// Moves between types and lanes
//===----------------------------------------------------------------------===//

foreach VT = [v2f32, v4f16, v2f16] in {
  defvar RC = !if(!eq(VT, v2f16), AR, ARPair);
  let usesCustomInserter = 1 in
  def SELECT_#VT : Pseudo<(outs RC:$d), (ins MR:$c, RC:$t, RC:$f),
                          [(set VT:$d, (select i32:$c, VT:$t, VT:$f))]>;
}

def : Pat<(i32 (bitconvert v2f16:$a)), (ATOM $a)>;
def : Pat<(v2f16 (bitconvert f32:$a)), (v2f16 AR:$a)>;
def : Pat<(f32 (bitconvert v2f16:$a)), (f32 AR:$a)>;
def : Pat<(v4f16 (bitconvert v2f32:$a)), (v4f16 ARPair:$a)>;
def : Pat<(v2f32 (bitconvert v4f16:$a)), (v2f32 ARPair:$a)>;
def : Pat<(i32 (ipu_f16bits f16:$a)), (ATOM $a)>;
def : Pat<(f16 (ipu_asf16 f32:$a)), (f16 AR:$a)>;
def : Pat<(f16 (ipu_asf16 v2f16:$a)), (f16 AR:$a)>;

def : Pat<(v2f32 (build_vector f32:$a, f32:$b)),
          (v2f32 (REG_SEQUENCE ARPair, $a, sub_lo, $b, sub_hi))>;
def : Pat<(v4f16 (concat_vectors v2f16:$a, v2f16:$b)),
          (v4f16 (REG_SEQUENCE ARPair, $a, sub_lo, $b, sub_hi))>;
def : Pat<(v2f16 (build_vector f16:$a, f16:$b)), (SORT4X16LO_a $a, $b)>;
// Joined by the combiner after it was lowered.
def : Pat<(v4f16 (build_vector f16:$a, f16:$b, f16:$c, f16:$d)),
          (v4f16 (REG_SEQUENCE ARPair, (v2f16 (SORT4X16LO_a $a, $b)), sub_lo,
                               (v2f16 (SORT4X16LO_a $c, $d)), sub_hi))>;
def : Pat<(v2f32 (scalar_to_vector f32:$a)),
          (INSERT_SUBREG (v2f32 (IMPLICIT_DEF)), $a, sub_lo)>;
def : Pat<(v4f16 (scalar_to_vector f16:$a)),
          (INSERT_SUBREG (v4f16 (IMPLICIT_DEF)), $a, sub_lo)>;
def : Pat<(v2f16 (scalar_to_vector f16:$a)), (v2f16 AR:$a)>;

def : Pat<(v2f32 (ipu_splat f32:$a)),
          (v2f32 (REG_SEQUENCE ARPair, $a, sub_lo, $a, sub_hi))>;
def : Pat<(v2f16 (ipu_splat f16:$a)), (SORT4X16LO_a $a, $a)>;
def : Pat<(v4f16 (ipu_splat f16:$a)),
          (v4f16 (REG_SEQUENCE ARPair, (v2f16 (SORT4X16LO_a $a, $a)), sub_lo,
                               (v2f16 (SORT4X16LO_a $a, $a)), sub_hi))>;

def : Pat<(f32 (extractelt v2f32:$v, 0)), (f32 (EXTRACT_SUBREG $v, sub_lo))>;
def : Pat<(f32 (extractelt v2f32:$v, 1)), (f32 (EXTRACT_SUBREG $v, sub_hi))>;
def : Pat<(v2f16 (extract_subvector v4f16:$v, (i32 0))),
          (v2f16 (EXTRACT_SUBREG $v, sub_lo))>;
def : Pat<(v2f16 (extract_subvector v4f16:$v, (i32 2))),
          (v2f16 (EXTRACT_SUBREG $v, sub_hi))>;
def : Pat<(f16 (extractelt v2f16:$v, 0)), (SORT4X16LO_a $v, $v)>;
def : Pat<(f16 (extractelt v2f16:$v, 1)), (SORT4X16HI_a $v, $v)>;
def : Pat<(f32 (fpextend (f16 (extractelt v2f16:$v, 0)))), (F16TOF32 $v)>;

def : Pat<(v2f32 (insertelt v2f32:$v, f32:$x, 0)),
          (INSERT_SUBREG $v, $x, sub_lo)>;
def : Pat<(v2f32 (insertelt v2f32:$v, f32:$x, 1)),
          (INSERT_SUBREG $v, $x, sub_hi)>;
def : Pat<(v4f16 (insert_subvector v4f16:$v, v2f16:$x, (i32 0))),
          (INSERT_SUBREG $v, $x, sub_lo)>;
def : Pat<(v4f16 (insert_subvector v4f16:$v, v2f16:$x, (i32 2))),
          (INSERT_SUBREG $v, $x, sub_hi)>;
def : Pat<(v2f16 (insertelt v2f16:$v, f16:$x, 0)), (SORT4X16HI_a_bl $x, $v)>;
def : Pat<(v2f16 (insertelt v2f16:$v, f16:$x, 1)), (SORT4X16LO_a $v, $x)>;

def : Pat<(v2f16 (ipu_sortlo v2f16:$a, v2f16:$b)), (SORT4X16LO_a $a, $b)>;
def : Pat<(v2f16 (ipu_sorthi v2f16:$a, v2f16:$b)), (SORT4X16HI_a $a, $b)>;
def : Pat<(v2f16 (ipu_roll v2f16:$a, v2f16:$b)), (ROLL16_a $a, $b)>;
def : Pat<(v2f16 (ipu_blend v2f16:$a, v2f16:$b)), (SORT4X16HI_a_bl $a, $b)>;
def : Pat<(v2f32 (ipu_sortlo v2f32:$a, v2f32:$b)), (SORT4X32LO $a, $b)>;
def : Pat<(v2f32 (ipu_sorthi v2f32:$a, v2f32:$b)), (SORT4X32HI $a, $b)>;
def : Pat<(v2f32 (ipu_roll v2f32:$a, v2f32:$b)), (ROLL32 $a, $b)>;

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

def : LoadPat<load, f16, addr16, LDB16_bdi>;
def : LoadPat<load, v2f16, addr32, LD32_a_bdi>;
def : LoadPat<load, v2f32, addr64, LD64_bdi>;
def : LoadPat<load, v4f16, addr64, LD64_bdi>;
def : StorePat<v2f16, addr32, ST32_a_bdi>;
def : StorePat<v2f32, addr64, ST64_bdi>;
def : StorePat<v4f16, addr64, ST64_bdi>;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

// The instructions that compute the lanes of each type.
class Lanes<ValueType vt, string prefix> {
  ValueType VT = vt;
  string Prefix = prefix;
}
def F32Lanes : Lanes<f32, "F32">;
def F16Lanes : Lanes<f16, "F16V2">;
def V2F32Lanes : Lanes<v2f32, "F32V2">;
def V2F16Lanes : Lanes<v2f16, "F16V2">;
def V4F16Lanes : Lanes<v4f16, "F16V4">;

multiclass LaneBinary<SDPatternOperator op, string name,
                      list<Lanes> types = [F16Lanes, V2F32Lanes, V2F16Lanes,
                                           V4F16Lanes]> {
  foreach L = types in
    def : Pat<(L.VT (op L.VT:$a, L.VT:$b)),
              (!cast<Instruction>(L.Prefix#name) $a, $b)>;
}

// The first source in all lanes.
multiclass LaneBroadcast<SDPatternOperator op, string name> {
  def : Pat<(v2f32 (op (ipu_splat f32:$a), v2f32:$b)),
            (!cast<Instruction>("F32V2"#name#"_b") $a, $b)>;
  foreach L = [V2F16Lanes, V4F16Lanes] in {
    def : Pat<(L.VT (op (ipu_splat f16:$a), L.VT:$b)),
              (!cast<Instruction>(L.Prefix#name#"_bl") $a, $b)>;
    foreach Half = [0, 1] in
      def : Pat<(L.VT (op (ipu_splat (f16 (extractelt v2f16:$a, Half))),
                          L.VT:$b)),
                (!cast<Instruction>(L.Prefix#name#!if(Half, "_bu", "_bl"))
                   $a, $b)>;
  }
}

// The second source in all lanes: the operation with sources exchanged.
multiclass LaneBroadcastSecond<SDPatternOperator op, string name> {
  def : Pat<(v2f32 (op v2f32:$b, (ipu_splat f32:$a))),
            (!cast<Instruction>("F32V2"#name#"_b") $a, $b)>;
  foreach L = [V2F16Lanes, V4F16Lanes] in
    def : Pat<(L.VT (op L.VT:$b, (ipu_splat f16:$a))),
              (!cast<Instruction>(L.Prefix#name#"_bl") $a, $b)>;
}

foreach Op = ["add", "sub", "mul"] in {
  defm : LaneBinary<!cast<SDNode>("f"#Op), !toupper(Op)>;
  defm : LaneBroadcast<!cast<SDNode>("f"#Op), !toupper(Op)>;
}
defm : LaneBinary<fminnum, "MIN">;
defm : LaneBinary<fmaxnum, "MAX">;
foreach Op = ["eq", "ne", "lt", "le", "gt", "ge"] in {
  defm : LaneBinary<!cast<SDNode>("ipu_fcmp"#Op), "CMP"#!toupper(Op),
                    [F32Lanes, F16Lanes, V2F32Lanes, V2F16Lanes, V4F16Lanes]>;
  defm : LaneBroadcast<!cast<SDNode>("ipu_fcmp"#Op), "CMP"#!toupper(Op)>;
}
foreach Op = [["lt", "GT"], ["le", "GE"], ["gt", "LT"], ["ge", "LE"]] in
  defm : LaneBroadcastSecond<!cast<SDNode>("ipu_fcmp"#Op[0]), "CMP"#Op[1]>;

foreach F = [["exp", "EXP"], ["exp2", "EXP2"], ["log", "LN"],
             ["log2", "LOG2"], ["tanh", "TANH"]] in
  foreach VT = [f16, v2f16] in {
    defvar Node = !cond(!eq(F[0], "exp") : ipu_fexp,
                        !eq(F[0], "log") : ipu_flog,
                        true : !cast<SDNode>("f"#F[0]));
    def : Pat<(VT (Node VT:$a)), (!cast<Instruction>("F16V2"#F[1]) $a)>;
  }

def : Pat<(f32 (fpextend f16:$a)), (F16TOF32 $a)>;
def : Pat<(f16 (fpround f32:$a)), (F32TOF16 $a)>;
def : Pat<(v2f32 (fpextend v2f16:$a)), (F16V2TOF32 $a)>;
def : Pat<(v2f16 (fpround v2f32:$a)), (F32V2TOF16 $a)>;

//===----------------------------------------------------------------------===//
// Logic, signs, choice
//===----------------------------------------------------------------------===//

// All sign bits of a register or a pair.
defvar SignF32 = (f32 (OR_a_rh (f32 A15), SignBit));
class SignsOfHalves<ValueType vt> {
  dag result = (vt (OR_a_rh (vt (SETZI_a 0x8000)), SignBit));
}
class InBoth<ValueType vt, dag word> {
  dag result = (vt (REG_SEQUENCE ARPair, word, sub_lo, word, sub_hi));
}

multiclass LaneLogic<ValueType VT, PatLeaf zero, Instruction And,
                     Instruction Andc, Instruction Or, Instruction Not> {
  def : Pat<(VT (ipu_fand VT:$a, VT:$b)), (And $a, $b)>;
  def : Pat<(VT (ipu_fandc VT:$a, VT:$b)), (Andc $a, $b)>;
  def : Pat<(VT (ipu_for VT:$a, VT:$b)), (Or $a, $b)>;
  def : Pat<(VT (ipu_fnot VT:$a)), (Not $a)>;
  def : Pat<(VT (ipu_fand VT:$a, (ipu_fnot VT:$b))), (Andc $a, $b)>;
  def : Pat<(VT (ipu_fsel VT:$m, VT:$t, VT:$f)),
            (Or (VT (And $t, $m)), (VT (Andc $f, $m)))>;
  let AddedComplexity = 10 in {
    def : Pat<(VT (ipu_fsel VT:$m, VT:$t, zero)), (And $t, $m)>;
    def : Pat<(VT (ipu_fsel VT:$m, zero, VT:$f)), (Andc $f, $m)>;
  }
}
def zerovector : PatLeaf<(build_vector), [{
  return ISD::isBuildVectorAllZeros(N);
}]>;
foreach VT = [f32, f16] in
  defm : LaneLogic<VT, fpzero, AND_a_rr, ANDC_a_rr, OR_a_rr, NOT>;
defm : LaneLogic<v2f16, zerovector, AND_a_rr, ANDC_a_rr, OR_a_rr, NOT>;
foreach VT = [v2f32, v4f16] in
  defm : LaneLogic<VT, zerovector, AND64, ANDC64, OR64, NOT64>;

// There is no exclusive or: -x is -0 - x.
multiclass LaneSigns<ValueType VT, dag Signs, Instruction And,
                     Instruction Andc, Instruction Or> {
  def : Pat<(VT (fabs VT:$a)), (Andc $a, Signs)>;
  def : Pat<(VT (fcopysign VT:$a, VT:$b)),
            (Or (VT (Andc $a, Signs)), (VT (And $b, Signs)))>;
}
foreach VT = [f16, v2f16] in {
  defvar Signs = SignsOfHalves<VT>.result;
  defm : LaneSigns<VT, Signs, AND_a_rr, ANDC_a_rr, OR_a_rr>;
  def : Pat<(VT (fneg VT:$a)), (F16V2SUB Signs, $a)>;
}
defvar SignsV4F16 = InBoth<v4f16, SignsOfHalves<v2f16>.result>.result;
defm : LaneSigns<v4f16, SignsV4F16, AND64, ANDC64, OR64>;
def : Pat<(v4f16 (fneg v4f16:$a)),
          (F16V4SUB_bl (f16 (SETZI_a 0x8000)), $a)>;
defm : LaneSigns<v2f32, InBoth<v2f32, SignF32>.result, AND64, ANDC64, OR64>;
def : Pat<(v2f32 (fneg v2f32:$a)), (F32V2SUB_b SignF32, $a)>;

// A sign from the other scalar type, brought to where it is needed.
def : Pat<(f32 (fcopysign f32:$a, f16:$b)),
          (OR_a_rr (f32 (ANDC_a_rh $a, SignBit)),
                   (f32 (AND_a_rh (f32 (SORT4X16LO_a $b, $b)), SignBit)))>;
def : Pat<(f16 (fcopysign f16:$a, f32:$b)),
          (OR_a_rr (f16 (ANDC_a_rr $a, SignsOfHalves<f16>.result)),
                   (f16 (AND_a_rr (f16 (SORT4X16HI_a $b, $b)),
                                  SignsOfHalves<f16>.result)))>;
