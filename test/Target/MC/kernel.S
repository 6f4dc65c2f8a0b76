// RUN: popc --target=ipu2 -c %s -o %t.o
// RUN: %{llvm-objdump} --triple=ipu-unknown-unknown-elf -d -s -j .text.__runCodelet_ns__V___float -j .data.x %t.o | FileCheck %s
// RUN: popc --target=ipu2 -S %s -o %t.S
// RUN: popc --target=ipu2 -c %t.S -o %t.2.o
// RUN: cmp %t.o %t.2.o

// A kernel in the style of public sources: preprocessor, macros with defaults and
// several parameters, conditions and comments within bundles, padding before rpt.
// CHECK:      ld32 $m0, $m13, $m15, 0x0
// CHECK-NEXT: get $m1, 0x1
// CHECK-NEXT: and $m1, $m1, 0x7
// CHECK-NEXT: add $m1, $m1, 0x4
// CHECK-NEXT: { rpt $m2, 0x1 ; fnop }
// CHECK-NEXT: ld64step $a4:5, $m15, $m0+=, 0x1 ; f32v2add $a0:1, $a0:1, $a2:3
// CHECK-NEXT: nop ; f16v4add $a0:1, $a0:1, $a2:3
// CHECK-NEXT: setzi $a0, 0x3c00
// CHECK-NEXT: bri
// CHECK-NEXT: exitz $m15

#include <poplar/TileConstants.hpp>
#include <poplar/StackSizeDefs.hpp>
#include "poplar/AvailableVTypes.h"
#define BASE m0
#define pair a0:1
#define OUT $m1
.macro LOOP REG, TYPE, COUNT=4
  .ifc \TYPE, float
  { rpt $\REG, (2f-1f)/8-1
    fnop }
1:
  {
    ld64step $a4:5, $mzero, $BASE+=, 1
    // comment inside
    .ifc "\TYPE","float"
      f32v2add $a0:1, $a0:1, $a2:3
    .else
      .error "no"
    .endif
  }
  { nop
#if 1
    STEPA add
#endif
  }
2:
  .else
    .error "type"
  .endif
.endm
.macro STEPA OP
  f16v4\OP $a0:1, $a0:1, $a2:3
.endm
.equ X, 3
.equ X, 4
DEF_STACK_USAGE 0 __runCodelet_ns__V___float
.section .text.__runCodelet_ns__V___float, FUNCTION_IS_WORKER
.globl __runCodelet_ns__V___float
.type __runCodelet_ns__V___float, @function
.align 8
.worker
__runCodelet_ns__V___float:
7:
  ld32 $m0, $mvertex_base, $mzero, 0/4
  get $m1, $WSR ; and $m1, $m1, CSR_W_WSR__CTXTID_M1__MASK
  add $m1, $m1, X
.if (. - 7b) & 0x7
  nop
.endif
  LOOP m2 float
  setzi $a0, 1.0h
  bri .Lend
.Lend:
  exitz $mzero
.size __runCodelet_ns__V___float, . - __runCodelet_ns__V___float
.section .data.x, "a", @progbits
.half 1.0h, 3, -infh
.align 4
.int __runCodelet_ns__V___float, .Lfoo
.Lfoo:
