// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The places of arguments and results of C functions, and the registers that a
// callee keeps. Integers take $m0..$m3, floats of worker code $a0..$a5, the
// rest four-byte stack slots from $sp upward; variadic arguments are always on
// the stack. docs/isa.md describes the whole ABI.

def CC_IPU_Stack : CallingConv<[
  CCIfType<[i1, i8, i16], CCPromoteToType<i32>>,
  CCIfType<[i32, f32, f16, v2f16], CCAssignToStack<4, 4>>,
  CCIfType<[v2f32, v4f16], CCAssignToStack<8, 8>>
]>;

def CC_IPU : CallingConv<[
  CCIfType<[i1, i8, i16], CCPromoteToType<i32>>,
  CCIfType<[i32], CCAssignToReg<[M0, M1, M2, M3]>>,
  CCIfType<[f32, f16, v2f16], CCAssignToReg<[A0, A1, A2, A3, A4, A5]>>,
  CCIfType<[v2f32, v4f16], CCAssignToReg<[A0_1, A2_3, A4_5]>>,
  CCDelegateTo<CC_IPU_Stack>
]>;

def RetCC_IPU : CallingConv<[
  CCIfType<[i1, i8, i16], CCPromoteToType<i32>>,
  CCIfType<[i32], CCAssignToReg<[M0, M1, M2, M3]>>,
  CCIfType<[f32, f16, v2f16], CCAssignToReg<[A0, A1, A2, A3, A4, A5]>>,
  CCIfType<[v2f32, v4f16], CCAssignToReg<[A0_1, A2_3, A4_5]>>
]>;

def CSR_Worker : CalleeSavedRegs<(add M10, M9, M8, M7, A6, A7)>;
def CSR_Supervisor : CalleeSavedRegs<(add M10, M9, M8, M7)>;
// A worker's entry point has no caller.
def CSR_Entry : CalleeSavedRegs<(add)>;
