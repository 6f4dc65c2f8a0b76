# Spellings that are not in the table: aliases, bundles, literals, names, expressions.
# RUN: %{llvm-mc} --show-encoding %s | FileCheck %s
# RUN: %{llvm-mc} -filetype=obj %s -o %t.o
# RUN: llvm-readelf -r -h %t.o | FileCheck %s --check-prefix=ELF

# CHECK: nop {{.*}} encoding: [0x00,0x20,0xff,0x01]
nop
# CHECK: fnop {{.*}} encoding: [0x00,0x40,0xff,0x41]
fnop
# CHECK: mov $m1, $m2 {{.*}} encoding: [0x00,0x20,0x12,0x01]
mov $m1, $m2
# CHECK: mov $a1, $a2 {{.*}} encoding: [0x00,0x40,0x12,0x41]
mov $a1, $a2
# CHECK: or64 $a0:1, $a2:3, $a14:15
mov $a0:1, $a2:3
# CHECK: atom $m1, $a2
mov $m1, $a2
# CHECK: mov $m3, $m15
zero $m3
# CHECK: or64 $a0:1, $a14:15, $a14:15
zero $a0:1
# CHECK: roll16 $m1, $m2, $m2
swap16 $m1, $m2

# The plain mnemonic picks the form that holds the value.
# CHECK: add $m0, $m1, -1
add $m0, $m1, -1
# CHECK: addz $m0, $m1, 40000
add $m0, $m1, 40000
# CHECK: addz $m0, $m1, 1
addz $m0, $m1, 1
# CHECK: add $m0, $m1, -24
sub $m0, $m1, 24
# CHECK: sub $m0, 24, $m1
sub $m0, 24, $m1
# CHECK: or $m0, $m1, 0x80000000
or $m0, $m1, 1<<31
# CHECK: or $m0, $m1, 5
or $m0, $m1, 5

# CHECK: setzi $m0, 284280
# CHECK-NEXT: or $m0, $m0, 0x12300000
ldconst $m0, 0x12345678
# CHECK: setzi $a0, 7
# CHECK-NOT: or
ldconst $a0, 7

# CHECK: setzi $a0, 15360
setzi $a0, 1.0h
# CHECK: setzi $a0, 49408
setzi $a0, -2.5h
# CHECK: setzi $a0, 31744
setzi $a0, infh
# CHECK: setzi $a0, 64512
setzi $a0, -infh

# Registers by their roles; memory operands without a delta.
# CHECK: ld32 $m0, $m13, $m15, 3
ld32 $m0, $mvertex_base, 3
# CHECK: ld32 $a0, $m11, $m15, $m2
ld32 $a0, $sp, $m2
# CHECK: st32 $m10, $m11, $m15, 5
st32 $lr, $sp, $mzero, 5
# CHECK: ld64step $a14:15, $m15, $m1+=, -2
ld64step $azeros, $mzero, $m1+=, -2
# CHECK: ld2x64pace $a0:1, $a2:3, $m0:1+=, $m15, 3
ld2x64pace $a0:1, $a2:3, $m0:1 += , $mzero, 0b0011
# CHECK: ldd16a32 $a0, $m1++, $m2, $m3@
ldd16a32 $a0, $m1++, $m2, $m3@
# CHECK: ldb16b16 $a0:1, $m1, $m2++, $m3>>
ldb16b16 $a0:1, $m1, $m2++, $m3>>
# CHECK: f32v2mul $a0:1, $a2:B, $a4:5
f32v2mul $a0:1, $a2:BL, $a4:5
# CHECK: f16v8acc $a4:7
f16v8acc $aq1

# CHECK: get $m0, 1
get $m0, $WSR
# CHECK: uput $FP_CLR, $a0
put $FP_CLR, $a0
# CHECK: uget $a0, $PRNG_0_1
get $a0, $PRNG_0_1
.supervisor
# CHECK: put 80, $m0
put $CCCSLOAD, $m0
# CHECK: ld64putcs 9
ld64putcs $CWEI_2_1
# CHECK: sync 2
sync 2
.worker

# CHECK: { add $m0, $m0, 1 ; f32add $a0, $a1, $a2 } {{.*}} encoding: [0x01,0x00,0x00,0x91,0x20,0x20,0x01,0x40]
{ add $m0, $m0, 1 ; f32add $a0, $a1, $a2 }
# CHECK: { ld32 $a1, $m0, $m15, 0 ; mov $a2, $a1 }
{
  ld32 $a1, $m0, 0   // comment

  mov $a2, $a1
}

# A loop body's size is a difference of labels.
.align 8
nop
rpt $m1, (2f - 1f) / 8 - 1
1: { nop ; fnop }
   { nop ; fnop }
2:

# CHECK: bri 5
bri 5
setzi $m4, far + 8
call $lr, far
brz $m0, far
{ setzi $m4, far ; fnop }
.supervisor
run $m0, $m1, far
.worker
.int far
.short 3
.word far + 4
# Directives that are the default, and a permission that is not used.
.error_on_invalid_bundles
.error_on_invalid_operands
.error_on_invalid_execution_mode
.allow_optimizations

# Padding after data that is no whole word.
.align 4

# ELF: Machine:{{.*}}1b70
# ELF: Flags:{{ +}}0x2{{$}}
# ELF: 00000104 {{.*}} far + 8
# ELF-NEXT: 00000106 {{.*}} far + 0
# ELF-NEXT: 00000105 {{.*}} far + 0
# ELF-NEXT: 00000104 {{.*}} far + 0
# ELF-NEXT: 00000108 {{.*}} far + 0
# ELF-NEXT: 00000101 {{.*}} far + 0
# ELF-NEXT: 00000101 {{.*}} far + 4
