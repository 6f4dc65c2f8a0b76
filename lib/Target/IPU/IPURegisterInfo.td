// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two register files. $m0..$m15 (MRF) hold integers and addresses in every
// context; $a0..$a7 (ARF) hold floats and vectors in worker contexts, alone, as
// aligned pairs or as aligned quads. HWEncoding is the 4-bit field of an
// instruction; a pair or quad is encoded as its first register. $a8..$a13 are
// names without storage: they read as zero, and what is written is lost, so that
// they serve where a result is not wanted.

class IPUReg<bits<16> enc, string n> : Register<n> {
  let Namespace = "IPU";
  let HWEncoding = enc;
}

class IPURegWithSubRegs<bits<16> enc, string n, list<Register> subs>
    : RegisterWithSubRegs<n, subs> {
  let Namespace = "IPU";
  let HWEncoding = enc;
  let CoveredBySubRegs = 1;
}

let Namespace = "IPU" in {
  def sub_lo : SubRegIndex<32, 0>;
  def sub_hi : SubRegIndex<32, 32>;
  def sub_pair_lo : SubRegIndex<64, 0>;
  def sub_pair_hi : SubRegIndex<64, 64>;
}

// DWARF numbers: 0..15 for $m, 32..47 for $a.
foreach i = 0...11 in
  def M#i : IPUReg<i, "$m"#i>, DwarfRegNum<[i]>;
// Worker stack base, vertex state, implementation-defined, zero: read only.
let isConstant = true in
  foreach i = 12...15 in
    def M#i : IPUReg<i, "$m"#i>, DwarfRegNum<[i]>;

foreach i = 0...7 in
  def A#i : IPUReg<i, "$a"#i>, DwarfRegNum<[!add(i, 32)]>;
let isConstant = true in
  foreach i = 8...15 in
    def A#i : IPUReg<i, "$a"#i>, DwarfRegNum<[!add(i, 32)]>;

let SubRegIndices = [sub_lo, sub_hi] in {
  foreach i = [0, 2, 4, 6, 8, 10, 12, 14] in
    def M#i#_#!add(i, 1)
        : IPURegWithSubRegs<i, "$m"#i#":"#!add(i, 1),
                            [!cast<Register>("M"#i),
                             !cast<Register>("M"#!add(i, 1))]>;
  foreach i = [0, 2, 4, 6] in
    def A#i#_#!add(i, 1)
        : IPURegWithSubRegs<i, "$a"#i#":"#!add(i, 1),
                            [!cast<Register>("A"#i),
                             !cast<Register>("A"#!add(i, 1))]>;
  let isConstant = true in
    foreach i = [8, 10, 12, 14] in
      def A#i#_#!add(i, 1)
          : IPURegWithSubRegs<i, "$a"#i#":"#!add(i, 1),
                              [!cast<Register>("A"#i),
                               !cast<Register>("A"#!add(i, 1))]>;
}

let SubRegIndices = [sub_pair_lo, sub_pair_hi] in {
  def A0_3 : IPURegWithSubRegs<0, "$a0:3", [A0_1, A2_3]>;
  def A4_7 : IPURegWithSubRegs<4, "$a4:7", [A4_5, A6_7]>;
  let isConstant = true in {
    def A8_11 : IPURegWithSubRegs<8, "$a8:11", [A8_9, A10_11]>;
    def A12_15 : IPURegWithSubRegs<12, "$a12:15", [A12_13, A14_15]>;
  }
}

// State of the auxiliary pipe that no operand names: the accumulators and $TAS.
def AACC : IPUReg<0, "<accumulators>">;
def TAS : IPUReg<0, "<scale>">;

// Allocation order: caller-saved registers first. $lr is an ordinary register
// between calls; $sp and the four read-only registers are reserved.
def MR : RegisterClass<"IPU", [i32], 32,
                       (add M0, M1, M2, M3, M4, M5, M6, M7, M8, M9, M10, M11,
                            M12, M13, M14, M15)> {
  let DiagnosticString = "a register $m0 to $m15 is needed here";
}
// Target of an indirect call: $lr is written before the branch reads it.
def MRCallee : RegisterClass<"IPU", [i32], 32, (sub MR, M10)>;
def AR : RegisterClass<"IPU", [f32, f16, v2f16], 32,
                       (add A0, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11,
                            A12, A13, A14, A15)> {
  let DiagnosticString = "a register $a0 to $a15 is needed here";
}

def ARPair : RegisterClass<"IPU", [v2f32, v4f16], 64,
                           (add A0_1, A2_3, A4_5, A6_7, A8_9, A10_11, A12_13,
                                A14_15)> {
  let DiagnosticString = "a pair of registers such as $a0:1 is needed here";
}
// No value of the program has these widths in registers but operands of inline
// assembly (IPUInlineAssembly.cpp).
def ARQuad : RegisterClass<"IPU", [untyped], 64, (add A0_3, A4_7, A8_11, A12_15)> {
  let Size = 128;
  let DiagnosticString = "four registers such as $a0:3 are needed here";
}
def MRPair : RegisterClass<"IPU", [untyped], 64,
                           (add M0_1, M2_3, M4_5, M6_7, M8_9, M10_11, M12_13,
                                M14_15)> {
  let Size = 64;
  let DiagnosticString = "a pair of registers such as $m0:1 is needed here";
}
def AuxState : RegisterClass<"IPU", [i32], 32, (add AACC, TAS)> {
  let isAllocatable = 0;
}
