// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instruction formats. Everything that decodes or describes instructions outside
// LLVM (the runtime's decoder, the ISA page, random program generators) reads the
// records of class IPUInst from `llvm-tblgen --dump-json`, by these conventions:
//
//  - One record is one operand form. Its name is the mnemonic in capitals and a
//    suffix for the form: _m / _a  the register file, where both have the
//    mnemonic; then _rr registers, _rz / _rs zero- / sign-extended immediate, _rh
//    12-bit immediate for bits 31:20, _zr / _sr immediate first; memory: _bdi base
//    + delta + scaled immediate, _bdr ... + scaled register, _i / _r stride of a
//    post-increment; _b / _bl / _bu broadcast of the first source (whole word,
//    lower half, upper half).
//  - Inst is the instruction word. Bit 31 is the bundle bit, always 0 here: it is
//    set in the first word of a bundle, and then the auxiliary instruction's word
//    follows. Bit 30 is 1 for the auxiliary pipe. Bits 29:24 are the opcode. Bits
//    that are 0 in Inst must be 0. No legal word is zero.
//  - Fields of Inst have the operands' names: d, d2 destinations; s, s0, s1
//    sources; c condition; base, delta, off, stride, pair, addr, mini address
//    registers; imm, imm2 immediates; target code addresses as word index; csr
//    register indices; a0, a1, a2 the addresses that tapack packs. A register
//    field holds the number of the (first) register; files and widths are the
//    register class of the operand of that name in OutOperandList and
//    InOperandList (MR, AR, ARPair, ARQuad, MRPair). An operand of
//    OutOperandList whose name ends in "Out" is the same field as the input
//    operand without that ending: the register is read and written.
//  - An immediate's operand class tells how its bits are read: z* zero-extended,
//    s* sign-extended, h12 is the value shifted left by 20.
//  - Predicates holds HasTwoSets where a processor needs two sets of accumulators.
//  - Mnemonic, IsAux, Contexts, IsControl, IsSystem, NoBundle, IssueSlots and the
//    facts for emulators are below. Names serve for printing, nothing is derived
//    from them. Assembly-only spellings and code generator pseudos are not
//    IPUInst.

class IPUInst<string mnemonic, dag outs, dag ins, string args> : Instruction {
  let Namespace = "IPU";
  let Size = 4;
  let DecoderNamespace = "IPU";
  let OutOperandList = outs;
  let InOperandList = ins;
  let AsmString = mnemonic # !if(!empty(args), "", " " # args);

  bits<32> Inst = 0;
  bits<32> SoftFail = 0;
  let hasSideEffects = 0;
  let mayLoad = 0;
  let mayStore = 0;

  string Mnemonic = mnemonic;
  bit IsAux = 0;
  // 0 every context, 1 workers only, 2 the supervisor only.
  int Contexts = 0;
  // Changes the flow of control: branches, calls, rpt, exits.
  bit IsControl = 0;
  // Touches control registers, other contexts or the debugger.
  bit IsSystem = 0;
  // Cannot be one half of a bundle.
  bit NoBundle = 0;
  // Turns of its context that the instruction takes.
  int IssueSlots = 1;

  // Facts for emulators and translators; runtime/Emulator/Code/DecodeTable.h has these
  // words as enumerations.
  //
  // Control flow: Next; System (the same, but the instruction depends on its
  // own address); Repeat (after a hardware loop); Branch (to a target or not),
  // Goto and Call (to a target), Jump (to a register), Exit.
  string Flow = "Next";
  // Effect of a supervisor's instruction on workers: None, StartsOne,
  // StartsAll, Awaits, LoadsWeights.
  string Workers = "None";
  // The control register that the instruction reads or writes, in the lower or
  // upper space: None, ReadsLower, WritesLower, ReadsUpper, WritesUpper.
  string Csr = "None";
  // Memory: None, Load, Store, LoadStore; how the address is made: None,
  // Immediate (base + delta + scaled immediate), Offset (base + delta + scaled
  // register), Step and StepBy (base + delta, which moves on by an immediate, by a
  // register), Paced (a packed triple), Other; bytes of an access, and of a triple
  // those at each of its three addresses, 0 where there is none.
  string AccessKind = "None";
  string Addressing = "None";
  int AccessBytes = 0;
  list<int> TripleBytes = [0, 0, 0];
  // A load whose registers hold what was in memory.
  bit LoadsWords = 0;
  // Results have the bits of the sources in other places, or some of them: None,
  // Mixes; Copies (they are the source); CopiesIfZero (they are the first source
  // where the last one is zero, and else Mixes).
  string BitMoves = "None";
  // Relation of the result's lowest bits to those of the sources: None, Takes
  // (an `and` with a constant), Joins (of both), Adds.
  string LowestBits = "None";
  // Matrix unit or slim convolutions: None, Matrix, Slim. It takes one single or
  // four halves, gives singles or halves, and its two sets take turns.
  string EngineKind = "None";
  bit TakesSingles = 0;
  bit GivesSingles = 0;
  bit SetsTakeTurns = 0;

  // Read through the enumeration IPUII in MCTargetDesc/IPUBaseInfo.h.
  bits<4> IssueSlotsBits = IssueSlots;
  bits<2> ContextsBits = Contexts;
  let TSFlags{0} = IsAux;
  let TSFlags{2-1} = ContextsBits;
  let TSFlags{3} = IsControl;
  let TSFlags{4} = IsSystem;
  let TSFlags{5} = NoBundle;
  let TSFlags{9-6} = IssueSlotsBits;
}

// The two pipes; op is the opcode in bits 29:24.
class MainInst<bits<6> op, string mn, dag outs, dag ins, string args>
    : IPUInst<mn, outs, ins, args> {
  let SchedRW = [WriteMain];
  let Inst{30} = 0;
  let Inst{29-24} = op;
}

class AuxInst<bits<6> op, string mn, dag outs, dag ins, string args>
    : IPUInst<mn, outs, ins, args> {
  let IsAux = 1;
  let Contexts = 1;
  let SchedRW = [WriteAux];
  let Inst{30} = 1;
  let Inst{29-24} = op;
}

//===----------------------------------------------------------------------===//
// Immediate operands
//===----------------------------------------------------------------------===//

class ImmAsmOperand<string name, string needed> : AsmOperandClass {
  let Name = name;
  let RenderMethod = "addImmOperands";
  let DiagnosticType = "Invalid" # name;
  let DiagnosticString = needed # " is needed here";
}

// Zero-extended field of n bits.
class ZImm<int n> : Operand<i32>, ImmLeaf<i32, "return isUInt<"#n#">(Imm);"> {
  let ParserMatchClass
      = ImmAsmOperand<"ZImm"#n, "an unsigned constant of "#n#" bits">;
  let OperandType = "OPERAND_IMMEDIATE";
}
def z2 : ZImm<2>;
def z3 : ZImm<3>;
def z4 : ZImm<4>;
def z5 : ZImm<5>;
def z6 : ZImm<6>;
def z8 : ZImm<8> { let EncoderMethod = "encodeZ8"; }
def z12 : ZImm<12>;
def z16 : ZImm<16> { let EncoderMethod = "encodeZ16"; }
def z20 : ZImm<20> { let EncoderMethod = "encodeZ20"; }

// Operand of plain `add` and its like in the zero-extended form: the values
// that the sign-extended form cannot have.
def ZImm16HighAsmOperand : ImmAsmOperand<"ZImm16High", "a constant of 16 bits">;
def z16high : Operand<i32> { let ParserMatchClass = ZImm16HighAsmOperand; }

// Sign-extended field of n bits.
class SImm<int n> : Operand<i32>, ImmLeaf<i32, "return isInt<"#n#">(Imm);"> {
  let ParserMatchClass
      = ImmAsmOperand<"SImm"#n, "a signed constant of "#n#" bits">;
  let EncoderMethod = "encodeSImm<"#n#">";
  let DecoderMethod = "decodeSImm<"#n#">";
  let OperandType = "OPERAND_IMMEDIATE";
}
def s8 : SImm<8>;
def s16 : SImm<16>;

// Twelve bits for 31:20; the operand is the whole 32-bit value.
def h12 : Operand<i32>,
          ImmLeaf<i32, "return Imm != 0 && (Imm & 0xfffff) == 0;"> {
  let ParserMatchClass
      = ImmAsmOperand<"HImm12",
                      "a constant of 12 bits, or one whose low 20 bits are 0,">;
  let EncoderMethod = "encodeHImm12";
  let DecoderMethod = "decodeHImm12";
  let PrintMethod = "printHImm12";
  let OperandType = "OPERAND_IMMEDIATE";
}

// Word-scaled vertex address of run and runall.
def zrun16 : Operand<i32> {
  let ParserMatchClass = z16.ParserMatchClass;
  let EncoderMethod = "encodeRun16";
}

// Control registers: $NAME or a number.
class CsrOperand<string space> : Operand<i32> {
  let ParserMatchClass = ImmAsmOperand<"Csr", "a control register">;
  let PrintMethod = "print" # space # "Csr";
}
def csrlow : CsrOperand<"Lower">;
def csrup : CsrOperand<"Upper">;

// Code addresses: words in the instruction, byte addresses in the source.
class CodeTarget<int n> : Operand<OtherVT> {
  let ParserMatchClass = ImmAsmOperand<"Target"#n, "a code address">;
  let EncoderMethod = "encodeTarget" # n;
}
def target19 : CodeTarget<19>;
def target20 : Operand<i32> {
  let ParserMatchClass = ImmAsmOperand<"Target20", "a code address">;
  let EncoderMethod = "encodeTarget20";
}

//===----------------------------------------------------------------------===//
// Main pipe formats
//===----------------------------------------------------------------------===//

// op | d | s0 | s1 | function
class MRRR<bits<12> func, string mn>
    : MainInst<0x00, mn, (outs MR:$d), (ins MR:$s0, MR:$s1),
               "$d, $s0, $s1"> {
  bits<4> d;
  bits<4> s0;
  bits<4> s1;
  let Inst{23-20} = d;
  let Inst{19-16} = s0;
  let Inst{15-12} = s1;
  let Inst{11-0} = func;
}

// op | d | s | 0 | function
class MRR<bits<12> func, string mn>
    : MainInst<0x00, mn, (outs MR:$d), (ins MR:$s), "$d, $s"> {
  bits<4> d;
  bits<4> s;
  let Inst{23-20} = d;
  let Inst{19-16} = s;
  let Inst{11-0} = func;
}

// d = s if the condition c holds, else d is kept.
class MCondMove<bits<12> func, string mn>
    : MainInst<0x00, mn, (outs MR:$dOut), (ins MR:$d, MR:$c, MR:$s),
               "$d, $c, $s"> {
  bits<4> d;
  bits<4> c;
  bits<4> s;
  let Inst{23-20} = d;
  let Inst{19-16} = c;
  let Inst{15-12} = s;
  let Inst{11-0} = func;
  let BitMoves = "Mixes";
  let Constraints = "$d = $dOut";
}

// op | d | s0 | function | 12-bit immediate
class MRRI12<bits<4> func, string mn, Operand immOp>
    : MainInst<0x01, mn, (outs MR:$d), (ins MR:$s0, immOp:$imm),
               "$d, $s0, $imm"> {
  bits<4> d;
  bits<4> s0;
  bits<12> imm;
  let Inst{23-20} = d;
  let Inst{19-16} = s0;
  let Inst{15-12} = func;
  let Inst{11-0} = imm;
}

// op | d | s0 | 16-bit immediate
class MRRI16<bits<6> op, string mn, Operand immOp>
    : MainInst<op, mn, (outs MR:$d), (ins MR:$s0, immOp:$imm),
               "$d, $s0, $imm"> {
  bits<4> d;
  bits<4> s0;
  bits<16> imm;
  let Inst{23-20} = d;
  let Inst{19-16} = s0;
  let Inst{15-0} = imm;
}

// The same with the immediate as first source.
class MRIR16<bits<6> op, string mn, Operand immOp>
    : MainInst<op, mn, (outs MR:$d), (ins immOp:$imm, MR:$s1),
               "$d, $imm, $s1"> {
  bits<4> d;
  bits<4> s1;
  bits<16> imm;
  let Inst{23-20} = d;
  let Inst{19-16} = s1;
  let Inst{15-0} = imm;
}

// Miscellaneous: op | register | function | 0 | 8-bit immediate
class MMisc<bits<4> func, string mn, dag outs, dag ins, string args>
    : MainInst<0x02, mn, outs, ins, args> {
  let Inst{19-16} = func;
}

class MMiscReg<bits<4> func, string mn>
    : MMisc<func, mn, (outs), (ins MR:$s), "$s"> {
  bits<4> s;
  let Inst{23-20} = s;
}

// Conditional branch: op | s | 0 | word address
class MCondBranch<bits<6> op, string mn>
    : MainInst<op, mn, (outs), (ins MR:$s, target19:$target), "$s, $target"> {
  bits<4> s;
  bits<19> target;
  let Inst{23-20} = s;
  let Inst{18-0} = target;
  let IsControl = 1;
  let Flow = "Branch";
  let isBranch = 1;
  let isTerminator = 1;
}

// The number of bytes in a register of a class.
class RegisterBytes<RegisterClass rc> {
  int Bytes = !cond(!eq(rc, ARQuad) : 16,
                    !or(!eq(rc, ARPair), !eq(rc, MRPair)) : 8,
                    true : 4);
}

// Memory, base + delta + scaled immediate: op | r | base | delta | offset
class MemBDI<bits<6> op, string mn, dag outs, dag ins, string reg>
    : MainInst<op, mn, outs, ins, reg # ", $base, $delta, $imm"> {
  let Addressing = "Immediate";
  bits<4> base;
  bits<4> delta;
  bits<12> imm;
  let Inst{19-16} = base;
  let Inst{15-12} = delta;
  let Inst{11-0} = imm;
}
class LoadBDI<bits<6> op, string mn, RegisterClass rc>
    : MemBDI<op, mn, (outs rc:$d), (ins MR:$base, MR:$delta, z12:$imm), "$d"> {
  bits<4> d;
  let Inst{23-20} = d;
  let mayLoad = 1;
  let AccessKind = "Load";
  let AccessBytes = RegisterBytes<rc>.Bytes;
  let LoadsWords = 1;
}
class StoreBDI<bits<6> op, string mn, RegisterClass rc>
    : MemBDI<op, mn, (outs), (ins rc:$s, MR:$base, MR:$delta, z12:$imm), "$s"> {
  bits<4> s;
  let Inst{23-20} = s;
  let mayStore = 1;
  let AccessKind = "Store";
  let AccessBytes = RegisterBytes<rc>.Bytes;
}

// Memory, base + delta + scaled register: op | r | base | delta | off | function
class MemBDR<bits<8> func, string mn, dag outs, dag ins, string reg>
    : MainInst<0x05, mn, outs, ins, reg # ", $base, $delta, $off"> {
  let Addressing = "Offset";
  bits<4> base;
  bits<4> delta;
  bits<4> off;
  let Inst{19-16} = base;
  let Inst{15-12} = delta;
  let Inst{11-8} = off;
  let Inst{7-0} = func;
}
class LoadBDR<bits<8> func, string mn, RegisterClass rc>
    : MemBDR<func, mn, (outs rc:$d), (ins MR:$base, MR:$delta, MR:$off), "$d"> {
  bits<4> d;
  let Inst{23-20} = d;
  let mayLoad = 1;
  let AccessKind = "Load";
  let AccessBytes = RegisterBytes<rc>.Bytes;
  let LoadsWords = 1;
}
class StoreBDR<bits<8> func, string mn, RegisterClass rc>
    : MemBDR<func, mn, (outs), (ins rc:$s, MR:$base, MR:$delta, MR:$off),
             "$s"> {
  bits<4> s;
  let Inst{23-20} = s;
  let mayStore = 1;
  let AccessKind = "Store";
  let AccessBytes = RegisterBytes<rc>.Bytes;
}

// Post-increment by an immediate: op | r | base | delta | function | stride
class StepImm<bits<4> func, string mn, dag outs, dag ins, string reg>
    : MainInst<0x04, mn, outs, ins, reg # ", $base, ${delta}+=, $imm"> {
  let Addressing = "Step";
  bits<4> base;
  bits<4> delta;
  bits<8> imm;
  let Inst{19-16} = base;
  let Inst{15-12} = delta;
  let Inst{11-8} = func;
  let Inst{7-0} = imm;
  let Constraints = "$delta = $deltaOut";
}
class LoadStepImm<bits<4> func, string mn, RegisterClass rc>
    : StepImm<func, mn, (outs rc:$d, MR:$deltaOut),
              (ins MR:$base, MR:$delta, s8:$imm), "$d"> {
  bits<4> d;
  let Inst{23-20} = d;
  let mayLoad = 1;
  let AccessKind = "Load";
  let AccessBytes = RegisterBytes<rc>.Bytes;
  let LoadsWords = 1;
}
class StoreStepImm<bits<4> func, string mn, RegisterClass rc>
    : StepImm<func, mn, (outs MR:$deltaOut),
              (ins rc:$s, MR:$base, MR:$delta, s8:$imm), "$s"> {
  bits<4> s;
  let Inst{23-20} = s;
  let mayStore = 1;
  let AccessKind = "Store";
  let AccessBytes = RegisterBytes<rc>.Bytes;
}

// Post-increment by a register: op | r | base | delta | stride | function
class StepReg<bits<8> func, string mn, dag outs, dag ins, string reg>
    : MainInst<0x05, mn, outs, ins, reg # ", $base, ${delta}+=, $stride"> {
  let Addressing = "StepBy";
  bits<4> base;
  bits<4> delta;
  bits<4> stride;
  let Inst{19-16} = base;
  let Inst{15-12} = delta;
  let Inst{11-8} = stride;
  let Inst{7-0} = func;
  let Constraints = "$delta = $deltaOut";
}
class LoadStepReg<bits<8> func, string mn, RegisterClass rc>
    : StepReg<func, mn, (outs rc:$d, MR:$deltaOut),
              (ins MR:$base, MR:$delta, MR:$stride), "$d"> {
  bits<4> d;
  let Inst{23-20} = d;
  let mayLoad = 1;
  let AccessKind = "Load";
  let AccessBytes = RegisterBytes<rc>.Bytes;
  let LoadsWords = 1;
}
class StoreStepReg<bits<8> func, string mn, RegisterClass rc>
    : StepReg<func, mn, (outs MR:$deltaOut),
              (ins rc:$s, MR:$base, MR:$delta, MR:$stride), "$s"> {
  bits<4> s;
  let Inst{23-20} = s;
  let mayStore = 1;
  let AccessKind = "Store";
  let AccessBytes = RegisterBytes<rc>.Bytes;
}

// Sparse loads: op | d | addr | base | delta | function. The Out twin of an
// operand marks a register that the load increments or replaces.
class MSparse<bits<8> func, string mn, dag outs, dag ins, string args>
    : MainInst<0x05, mn, outs, ins, args> {
  let Inst{7-0} = func;
  let Contexts = 1;
  let mayLoad = 1;
  let AccessKind = "Load";
  let Addressing = "Other";
}

// Packed-address loads and stores: op | d | d2 or s | pair | stride | fn | imm
class MPace<bits<2> func, string mn, dag outs, dag ins, string args>
    : MainInst<0x06, mn, outs, ins, args> {
  bits<4> pair;
  bits<4> stride;
  let Inst{15-12} = pair;
  let Inst{11-8} = stride;
  let Inst{7-6} = func;
  let Constraints = "$pair = $pairOut";
  let Contexts = 1;
  let Addressing = "Paced";
}

//===----------------------------------------------------------------------===//
// Auxiliary pipe formats
//===----------------------------------------------------------------------===//

// op | d | s0 | s1 | function; the upper two bits of the function say how s0 is
// broadcast: 0 not, 1 word or lower half, 2 upper half.
class ARegs<bits<12> func, string mn, dag outs, dag ins, string args>
    : AuxInst<0x00, mn, outs, ins, args> {
  let Inst{11-0} = func;
}

class ARRR<bits<12> func, string mn, RegisterClass rd, RegisterClass r0,
           RegisterClass r1, string suffix = "">
    : ARegs<func, mn, (outs rd:$d), (ins r0:$s0, r1:$s1),
            "$d, ${s0}" # suffix # ", $s1"> {
  bits<4> d;
  bits<4> s0;
  bits<4> s1;
  let Inst{23-20} = d;
  let Inst{19-16} = s0;
  let Inst{15-12} = s1;
}

class ARR<bits<12> func, string mn, RegisterClass rd, RegisterClass r>
    : ARegs<func, mn, (outs rd:$d), (ins r:$s), "$d, $s"> {
  bits<4> d;
  bits<4> s;
  let Inst{23-20} = d;
  let Inst{19-16} = s;
}

// No source: random numbers and accumulators read out.
class ARD<bits<12> func, string mn, RegisterClass rd>
    : ARegs<func, mn, (outs rd:$d), (ins), "$d"> {
  bits<4> d;
  let Inst{23-20} = d;
}

// No destination: the accumulators change.
class AAcc2<bits<12> func, string mn, RegisterClass r>
    : ARegs<func, mn, (outs), (ins r:$s0, r:$s1), "$s0, $s1"> {
  bits<4> s0;
  bits<4> s1;
  let Inst{19-16} = s0;
  let Inst{15-12} = s1;
  let Uses = [AACC];
  let Defs = [AACC];
}
class AAcc1<bits<12> func, string mn, RegisterClass r>
    : ARegs<func, mn, (outs), (ins r:$s), "$s"> {
  bits<4> s;
  let Inst{19-16} = s;
  let Uses = [AACC];
  let Defs = [AACC];
}

// op | d | s0 | function | 12-bit immediate
class ARRI12<bits<4> func, string mn, RegisterClass rc, Operand immOp>
    : AuxInst<0x01, mn, (outs rc:$d), (ins rc:$s0, immOp:$imm),
              "$d, $s0, $imm"> {
  bits<4> d;
  bits<4> s0;
  bits<12> imm;
  let Inst{23-20} = d;
  let Inst{19-16} = s0;
  let Inst{15-12} = func;
  let Inst{11-0} = imm;
}

// Matrix units and accumulators with flags: op | d | s0 | s1 | function | flags
class AFlags<bits<4> func, string mn, dag outs, dag ins, string args>
    : AuxInst<0x02, mn, outs, ins, args> {
  bits<8> imm;
  let Inst{11-8} = func;
  let Inst{7-0} = imm;
}
class AEngine<bits<4> func, string mn, RegisterClass rd, RegisterClass r0,
              RegisterClass r1>
    : AFlags<func, mn, (outs rd:$d), (ins r0:$s0, r1:$s1, z8:$imm),
             "$d, $s0, $s1, $imm"> {
  bits<4> d;
  bits<4> s0;
  bits<4> s1;
  let Inst{23-20} = d;
  let Inst{19-16} = s0;
  let Inst{15-12} = s1;
  let Uses = [AACC];
  let Defs = [AACC];
}

// Miscellaneous: op | register | function | 0 | 8-bit immediate
class AMisc<bits<4> func, string mn, dag outs, dag ins, string args>
    : AuxInst<0x03, mn, outs, ins, args> {
  let Inst{15-12} = func;
}

//===----------------------------------------------------------------------===//
// Code generator pseudos
//===----------------------------------------------------------------------===//

class Pseudo<dag outs, dag ins, list<dag> pattern = []> : Instruction {
  let Namespace = "IPU";
  let OutOperandList = outs;
  let InOperandList = ins;
  let Pattern = pattern;
  let isPseudo = 1;
  let isCodeGenOnly = 1;
  let Size = 4;
  let hasSideEffects = 0;
  let mayLoad = 0;
  let mayStore = 0;
}
