// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instructions of builtins whose whole effect is in their results.
// IPUIntrinsicSelect.cpp selects the builtins that change the state of the
// auxiliary pipe, or name a constant.

def : Pat<(i32 (int_ipu_get_worker_id)), (AND_m_rz (GET 1), 7)>;

// ---- Elementary functions

foreach F = ["sqrt", "oox", "oorx", "exp", "exp2", "ln", "log2", "tanh",
             "sigm"] in {
  defvar inst = !cast<Instruction>("F32"#!toupper(F));
  def : FloatUnaryPat<!cast<Intrinsic>("int_ipu_"#F), inst>;
  def : FloatUnaryPat<!cast<Intrinsic>("int_ipu_f32"#F), inst>;
}
foreach F = ["exp", "exp2", "ln", "log2", "tanh", "sigm"] in
  def : Pat<(v2f16 (!cast<Intrinsic>("int_ipu_f16v2"#F) v2f16:$a)),
            (!cast<Instruction>("F16V2"#!toupper(F)) $a)>;

// ---- Lanes

// A type, its name in builtins, and its 64- or 32-bit logic.
class IntrinsicLanes<ValueType vt, string name, string words, string suffix> {
  ValueType VT = vt;
  string Name = name;
  string Bits = words;
  Instruction And = !cast<Instruction>("AND"#suffix);
  Instruction Andc = !cast<Instruction>("ANDC"#suffix);
  Instruction Or = !cast<Instruction>("OR"#suffix);
  Instruction Not = !cast<Instruction>("NOT"#!if(!eq(suffix, "64"), "64", ""));
}
foreach L = [IntrinsicLanes<f32, "f32", "f32", "_a_rr">,
             IntrinsicLanes<v2f32, "f32v2", "v2f32", "64">,
             IntrinsicLanes<v2f16, "f16v2", "v2f16", "_a_rr">,
             IntrinsicLanes<v4f16, "f16v4", "v4f16", "64">] in {
  foreach F = ["absadd", "absmax", "min", "max", "cmpeq", "cmpne", "cmplt",
               "cmple", "cmpgt", "cmpge"] in
    def : Pat<(L.VT (!cast<Intrinsic>("int_ipu_"#L.Name#F) L.VT:$a, L.VT:$b)),
              (!cast<Instruction>(!toupper(L.Name#F)) $a, $b)>;
  def : Pat<(i32 (!cast<Intrinsic>("int_ipu_"#L.Name#"class") L.VT:$a)),
            (ATOM (f32 (!cast<Instruction>(!toupper(L.Name)#"CLASS") $a)))>;
  def : Pat<(L.VT (!cast<Intrinsic>("int_ipu_and_"#L.Bits) L.VT:$a, L.VT:$b)),
            (L.And $a, $b)>;
  def : Pat<(L.VT (!cast<Intrinsic>("int_ipu_andc_"#L.Bits) L.VT:$a, L.VT:$b)),
            (L.Andc $a, $b)>;
  def : Pat<(L.VT (!cast<Intrinsic>("int_ipu_or_"#L.Bits) L.VT:$a, L.VT:$b)),
            (L.Or $a, $b)>;
  def : Pat<(L.VT (!cast<Intrinsic>("int_ipu_not_"#L.Bits) L.VT:$a)),
            (L.Not $a)>;
}
def : Pat<(f32 (int_ipu_f32clamp f32:$a, v2f32:$b)), (F32CLAMP $a, $b)>;
def : Pat<(v2f32 (int_ipu_f32v2clamp v2f32:$a, v2f32:$b)), (F32V2CLAMP $a, $b)>;
def : Pat<(v2f16 (int_ipu_f16v2clamp v2f16:$a, v2f16:$b)), (F16V2CLAMP $a, $b)>;
def : Pat<(v4f16 (int_ipu_f16v4clamp v4f16:$a, v2f16:$b)), (F16V4CLAMP $a, $b)>;

foreach F = ["roll32", "sort4x32lo", "sort4x32hi"] in
  def : Pat<(v2f32 (!cast<Intrinsic>("int_ipu_"#F) v2f32:$a, v2f32:$b)),
            (!cast<Instruction>(!toupper(F)) $a, $b)>;

// ---- Conversions, neighbours

def : Pat<(f32 (int_ipu_f16tof32 f16:$a)), (F16TOF32 $a)>;
def : Pat<(v2f32 (int_ipu_f16v2tof32 v2f16:$a)), (F16V2TOF32 $a)>;
def : Pat<(f16 (int_ipu_f32tof16 f32:$a)), (F32TOF16 $a)>;
def : Pat<(v2f16 (int_ipu_f32v2tof16 v2f32:$a)), (F32V2TOF16 $a)>;
def : Pat<(f32 (int_ipu_f16v2sum v2f16:$a)), (F16V2SUM $a)>;
def : Pat<(v2f32 (int_ipu_f16v4sum v4f16:$a)), (F16V4SUM $a)>;
def : Pat<(f16 (int_ipu_f16v2maxc v2f16:$a)), (F16V2MAXC $a)>;
def : Pat<(v2f16 (int_ipu_f16v4maxc v4f16:$a)), (F16V4MAXC $a)>;

// ---- Integers

foreach F = ["roll8l", "roll8r", "shuf8x8lo", "shuf8x8hi", "sort8x8lo",
             "sort8x8hi"] in
  def : BinaryPat<!cast<Intrinsic>("int_ipu_"#F),
                  !cast<Instruction>(!toupper(F))>;
foreach F = ["sort8", "swap8", "bitrev8", "cms"] in
  def : Pat<(i32 (!cast<Intrinsic>("int_ipu_"#F) i32:$a)),
            (!cast<Instruction>(!toupper(F)) $a)>;

// ---- Random numbers

def : Pat<(i32 (int_ipu_urand32)), (ATOM (f32 (URAND32)))>;
def : Pat<(f32 (int_ipu_urand_f32)), (F32SUFROMUI (f32 (URAND32)))>;
def : Pat<(v2f16 (int_ipu_urand_f16)), (F16V2SUFROMUI (v2f16 (URAND32)))>;
def : Pat<(v2f32 (int_ipu_f32v2grand)), (F32V2GRAND)>;
def : Pat<(v2f16 (int_ipu_f16v2grand)), (F16V2GRAND)>;
def : Pat<(v2f32 (int_ipu_f32v2rmask v2f32:$a, f32:$b)), (F32V2RMASK $a, $b)>;
def : Pat<(v4f16 (int_ipu_f16v4rmask v4f16:$a, f32:$b)), (F16V4RMASK $a, $b)>;
