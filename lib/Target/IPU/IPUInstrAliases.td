// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembly spellings that are no instructions of their own: moves, zeroing, no
// operations, the three-operand forms of memory accesses, forced immediate
// extensions, uget/uput under the names get/put. `ldconst` can be two instructions
// and is expanded by the assembly parser.

// Aliases are for reading assembly; nothing is printed by them except those with
// a priority above 0.
class Spelling<string asm, dag result, int print = 0>
    : InstAlias<asm, result, print>;

def : Spelling<"nop", (OR_m_rz M15, M15, 0), 2>;
def : Spelling<"fnop", (OR_a_rz A15, A15, 0), 2>;

def : Spelling<"mov $d, $s", (OR_m_rz MR:$d, MR:$s, 0), 1>;
def : Spelling<"mov $d, $s", (OR_a_rz AR:$d, AR:$s, 0), 1>;
def : Spelling<"mov $d, $s", (OR64 ARPair:$d, ARPair:$s, A14_15)>;
def : Spelling<"mov $d, $s", (ATOM MR:$d, AR:$s)>;
def : Spelling<"zero $d", (OR_m_rz MR:$d, M15, 0)>;
def : Spelling<"zero $d", (OR_a_rz AR:$d, A15, 0)>;
def : Spelling<"zero $d", (OR64 ARPair:$d, A14_15, A14_15)>;
def : Spelling<"swap16 $d, $s", (ROLL16_m MR:$d, MR:$s, MR:$s)>;
def : Spelling<"swap16 $d, $s", (ROLL16_a AR:$d, AR:$s, AR:$s)>;

def : Spelling<"get $d, $csr", (UGET AR:$d, csrup:$csr)>;
def : Spelling<"put $csr, $s", (UPUT csrup:$csr, AR:$s)>;

// Plain mnemonics take every 16-bit value; a suffix forces the form.
multiclass Extensions<string mn, Instruction zext, Instruction sext> {
  def : Spelling<mn#" $d, $s0, $imm", (zext MR:$d, MR:$s0, z16high:$imm)>;
  def : Spelling<mn#"s $d, $s0, $imm", (sext MR:$d, MR:$s0, s16:$imm)>;
}
defm : Extensions<"add", ADD_rz, ADD_rs>;
defm : Extensions<"max", MAX_rz, MAX_rs>;
defm : Extensions<"min", MIN_rz, MIN_rs>;
defm : Extensions<"cmpeq", CMPEQ_rz, CMPEQ_rs>;
def : Spelling<"sub $d, $imm, $s1", (SUB_zr MR:$d, z16high:$imm, MR:$s1)>;
def : Spelling<"subs $d, $imm, $s1", (SUB_sr MR:$d, s16:$imm, MR:$s1)>;

// `sub d, s, imm` is an addition of the negated value.
def NegSImm16AsmOperand
    : ImmAsmOperand<"NegSImm16",
                          "a constant whose negative has 16 bits"> {
  let RenderMethod = "addNegatedImmOperands";
}
def negs16 : Operand<i32> { let ParserMatchClass = NegSImm16AsmOperand; }
def : Spelling<"sub $d, $s0, $imm", (ADD_rs MR:$d, MR:$s0, negs16:$imm)>;

// Memory accesses without a delta register.
multiclass NoDelta<string mn, RegisterClass rc, Instruction bdi> {
  def : Spelling<mn#" $r, $base, $imm", (bdi rc:$r, MR:$base, M15, z12:$imm)>;
}
multiclass NoDeltaReg<string mn, RegisterClass rc, Instruction bdr> {
  def : Spelling<mn#" $r, $base, $off", (bdr rc:$r, MR:$base, M15, MR:$off)>;
}
defm : NoDelta<"ld32", MR, LD32_m_bdi>, NoDeltaReg<"ld32", MR, LD32_m_bdr>;
defm : NoDelta<"ld32", AR, LD32_a_bdi>, NoDeltaReg<"ld32", AR, LD32_a_bdr>;
defm : NoDelta<"ld64", ARPair, LD64_bdi>, NoDeltaReg<"ld64", ARPair, LD64_bdr>;
defm : NoDelta<"ld128", ARQuad, LD128_bdi>,
       NoDeltaReg<"ld128", ARQuad, LD128_bdr>;
defm : NoDelta<"ldb16", AR, LDB16_bdi>, NoDeltaReg<"ldb16", AR, LDB16_bdr>;
defm : NoDelta<"ldz16", MR, LDZ16_bdi>, NoDeltaReg<"ldz16", MR, LDZ16_bdr>;
defm : NoDelta<"lds16", MR, LDS16_bdi>, NoDeltaReg<"lds16", MR, LDS16_bdr>;
defm : NoDelta<"ldz8", MR, LDZ8_bdi>, NoDeltaReg<"ldz8", MR, LDZ8_bdr>;
defm : NoDelta<"lds8", MR, LDS8_bdi>, NoDeltaReg<"lds8", MR, LDS8_bdr>;
defm : NoDelta<"st32", MR, ST32_m_bdi>;
defm : NoDelta<"st32", AR, ST32_a_bdi>, NoDeltaReg<"st32", AR, ST32_a_bdr>;
defm : NoDelta<"st64", ARPair, ST64_bdi>, NoDeltaReg<"st64", ARPair, ST64_bdr>;

// The word broadcast of f32 vectors may be written like that of halves, and that
// of the lower half like that of words. Where the order of the sources is all the
// same, the second one may be the one that is broadcast.
foreach op = ["ADD", "SUB", "MUL", "CMPEQ", "CMPNE", "CMPLT", "CMPLE", "CMPGT",
              "CMPGE"] in
  def : Spelling<"f32v2"#!tolower(op)#" $d, ${s0}:BL, $s1",
                 (!cast<Instruction>("F32V2"#op#"_b") ARPair:$d, AR:$s0,
                                                      ARPair:$s1)>;

foreach op = ["ADD", "SUB", "MUL", "CMPEQ", "CMPNE", "CMPLT", "CMPLE", "CMPGT",
              "CMPGE"] in {
  def : Spelling<"f16v2"#!tolower(op)#" $d, ${s0}:B, $s1",
                 (!cast<Instruction>("F16V2"#op#"_bl") AR:$d, AR:$s0, AR:$s1)>;
  def : Spelling<"f16v4"#!tolower(op)#" $d, ${s0}:B, $s1",
                 (!cast<Instruction>("F16V4"#op#"_bl") ARPair:$d, AR:$s0,
                                                       ARPair:$s1)>;
}
foreach op = ["ADD", "MUL", "CMPEQ", "CMPNE"] in {
  foreach suffix = [":B", ":BL"] in {
    def : Spelling<"f32v2"#!tolower(op)#" $d, $s1, ${s0}"#suffix,
                   (!cast<Instruction>("F32V2"#op#"_b") ARPair:$d, AR:$s0,
                                                        ARPair:$s1)>;
    def : Spelling<"f16v2"#!tolower(op)#" $d, $s1, ${s0}"#suffix,
                   (!cast<Instruction>("F16V2"#op#"_bl") AR:$d, AR:$s0,
                                                         AR:$s1)>;
    def : Spelling<"f16v4"#!tolower(op)#" $d, $s1, ${s0}"#suffix,
                   (!cast<Instruction>("F16V4"#op#"_bl") ARPair:$d, AR:$s0,
                                                         ARPair:$s1)>;
  }
  def : Spelling<"f16v2"#!tolower(op)#" $d, $s1, ${s0}:BU",
                 (!cast<Instruction>("F16V2"#op#"_bu") AR:$d, AR:$s0, AR:$s1)>;
  def : Spelling<"f16v4"#!tolower(op)#" $d, $s1, ${s0}:BU",
                 (!cast<Instruction>("F16V4"#op#"_bu") ARPair:$d, AR:$s0,
                                                       ARPair:$s1)>;
}
