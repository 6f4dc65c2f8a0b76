# Forms in kernels that the assembler accepts: discards, $azero for zero, spellings of
# broadcasts, digits of st64pace, sizes of symbols that are elsewhere.
# RUN: %{llvm-mc} --show-encoding %s | FileCheck %s
# RUN: %{llvm-mc} -filetype=obj %s -o %t.o
# RUN: %{llvm-objdump} -d %t.o | FileCheck %s --check-prefix=OBJ
# RUN: llvm-readelf -s %t.o | FileCheck %s --check-prefix=SYMBOLS --implicit-check-not=" UND {{.*}}out"

# fnop writes nothing, so that its bundle may discard into $azeros.
# CHECK: { ld64 $a14:15, $m0, $m15, 0 ; fnop }
{ ld64 $azeros, $m0, $mzero, 0 ; fnop }
# CHECK: { ld32 $a15, $m0, $m15, 0 ; fnop }
{ ld32 $azero, $m0, 0 ; fnop }

# $a8 to $a15 are no storage.
# OBJ: ld64step $a14:15, $m0, $m1+=, 0x1 ; f16v4sisoamp $a8:9, $a0:1, $a2:3, 0x0
{ ld64step $a14:15, $m0, $m1+=, 1 ; f16v4sisoamp $a8:9, $a0:1, $a2:3, 0 }
# OBJ: ld64 $a10:11, $m0, $m15, 0x0 ; f32v2add $a12:13, $a0:1, $a2:3
{ ld64 $a10:11, $m0, $mzero, 0 ; f32v2add $a12:13, $a0:1, $a2:3 }
# OBJ: ld32 $a8, $m0, $m15, 0x0 ; f32add $a9, $a0, $a1
{ ld32 $a8, $m0, 0 ; f32add $a9, $a0, $a1 }
# OBJ: ld128 $a8:11, $m0, $m15, 0x0
ld128 $a8:11, $m0, 0
# OBJ: ld128 $a12:15, $m0, $m15, 0x0
ld128 $a12:15, $m0, 0

# $azero where a main register is read.
# CHECK: ld32 $a0, $m0, $m15, 0
ld32 $a0, $m0, $azero, 0
# CHECK: ld32 $m0, $m15, $m1, 0
ld32 $m0, $azero, $m1, 0
# CHECK: add $m0, $m1, $m15
add $m0, $m1, $azero
# CHECK: exitz $m15
exitz $azero
# CHECK: st32 $a15, $m1, $m15, 0
st32 $azero, $m1, $azero, 0

# One selector, whatever stands above it.
# CHECK: st64pace $a0:1, $m0:1+=, $m2, 3
st64pace $a0:1, $m0:1+=, $m2, 0b11
# CHECK: st64pace $a0:1, $m0:1+=, $m15, 1
st64pace $a0:1, $m0:1+=, $mzero, 0b0101
# CHECK: st64pace $a0:1, $m0:1+=, $m2, 0
st64pace $a0:1, $m0:1+=, $m2, 0b111100

# Broadcasts of the first source; where the order is all the same, of the second.
# CHECK: f32v2mul $a0:1, $a2:B, $a4:5
f32v2mul $a0:1, $a2:B, $a4:5
# CHECK: f32v2mul $a0:1, $a2:B, $a4:5
f32v2mul $a0:1, $a2:BL, $a4:5
# CHECK: f32v2mul $a0:1, $a2:B, $a4:5
f32v2mul $a0:1, $a4:5, $a2:B
# CHECK: f16v2mul $a0, $a2:BL, $a4
f16v2mul $a0, $a2:B, $a4
# CHECK: f16v4sub $a0:1, $a2:BL, $a4:5
f16v4sub $a0:1, $a2:B, $a4:5
# CHECK: f16v4add $a0:1, $a2:BU, $a4:5
f16v4add $a0:1, $a4:5, $a2:BU

# SYMBOLS: {{ }}8 {{.*}} here
here:
.int 0, 0
.size here, . - here
.size out, . - out
.size out2, . - out2

# Branches and calls take a symbol that is spelled as a register is.
# CHECK: bri target
bri $target
# CHECK: brnz $m0, target
brnz $m0, $target
# CHECK: call $m10, target
call $lr, $target
target:
