# Limits of leniency.
# RUN: not %{llvm-mc} -filetype=null %s 2>&1 | FileCheck %s --implicit-check-not=error:

# A difference has an order.
# CHECK: [[#@LINE+1]]:{{[0-9]+}}: error:
f32v2sub $a0:1, $a4:5, $a2:B
# CHECK: [[#@LINE+1]]:{{[0-9]+}}: error:
f16v2cmplt $a0, $a4, $a2:BL
# $azero is no main register to write.
# CHECK: [[#@LINE+1]]:5: error: a register $m0 to $m15 is needed here
add $azero, $m0, $m1
# CHECK: [[#@LINE+1]]:5: error: a register $m0 to $m15 is needed here
add $azero, $m0, $azero
# Both halves write, if only to lose it.
# CHECK: error: both instructions of this bundle write the same register
{ ld64 $azeros, $m0, 0 ; f32v2add $azeros, $a0:1, $a2:3 }
# CHECK: error: both instructions of this bundle write the same register
{ ld64 $a8:9, $m0, 0 ; f32add $a9, $a0, $a2 }
# Six digits at most.
# CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: an unsigned constant of 2 bits is needed here
st64pace $a0:1, $m0:1+=, $m2, 64
