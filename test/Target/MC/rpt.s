# The rules for bodies of rpt, checked when an object is written.
# RUN: not %{llvm-mc} -filetype=obj %s -o %t.o 2>&1 | FileCheck %s
# RUN: not %{llvm-mc} -filetype=obj %s -o %t.o 2>&1 | FileCheck %s --check-prefix=VALUE
# RUN: not %{llvm-mc} -filetype=obj %s -o %t.o 2>&1 | grep -c error: | FileCheck %s --check-prefix=COUNT
# COUNT: {{^}}9{{$}}
# RUN: not test -s %t.o

.section .text.good, "ax"
.align 8
good:
  nop
  rpt $m1, (2f - 1f) / 8 - 1
1:
  { nop ; fnop }
  { ld32 $a0, $m0, 0 ; f32add $a1, $a2, $a3 }
2:
  { rpt 4095, 0 ; mov $a0, $a1 }
  { nop ; fnop }
  exitz $mzero

.section .text.bad, "ax"
.align 8
# CHECK: :[[#@LINE+1]]:1: error: the body of this rpt does not begin at a multiple of 8 bytes; put a nop before the rpt
rpt $m1, 0
{ nop ; fnop }

.align 8
nop
rpt $m1, (2f - 1f) / 8 - 1
1:
{ nop ; fnop }
# CHECK: :[[#@LINE+1]]:1: error: the body of a rpt has bundles only; put this instruction into one
add $m0, $m0, 1
{ nop ; fnop }
2:
.align 8
{ rpt $m1, 1 ; fnop }
# CHECK: :[[#@LINE+1]]:1: error: a control instruction cannot be in the body of a rpt
{ bri 3f ; fnop }
3:
{ nop ; fnop }
{ rpt $m1, 0 ; fnop }
# CHECK: :[[#@LINE+1]]:1: error: a control instruction cannot be in the body of a rpt
{ rpt $m1, 0 ; fnop }
{ nop ; fnop }
{ rpt $m1, 0 ; fnop }
# CHECK: :[[#@LINE+1]]:1: error: a system instruction cannot be in the body of a rpt
{ get $m0, $WSR ; fnop }
# VALUE: :[[#@LINE+1]]:3: error: value 256 does not fit in 8 bits; the body of a rpt has 1 to 256 bundles
{ rpt $m1, (5f - 4f) / 8 - 1 ; fnop }
4:
.rept 257
{ nop ; fnop }
.endr
5:
# VALUE: :[[#@LINE+1]]:3: error: value -1 does not fit in 8 bits; the body of a rpt has 1 to 256 bundles
{ rpt $m1, (5b - 5b) / 8 - 1 ; fnop }
# CHECK: :[[#@LINE+1]]:3: error: the body of this rpt goes on for 4 bundles, but only 1 follow
{ rpt $m1, 3 ; fnop }
{ nop ; fnop }

.section .text.unaligned, "ax"
# CHECK: :[[#@LINE+1]]:3: error: the body of this rpt does not begin at a multiple of 8 bytes; put .align 8 before the function
{ rpt $m1, 0 ; fnop }
{ nop ; fnop }
