# Each mistake gets one message at the place of the mistake.
# RUN: not %{llvm-mc} -filetype=null %s 2>&1 | FileCheck %s --implicit-check-not=error:

# CHECK: [[#@LINE+1]]:15: error: a signed constant of 16 bits is needed here
mul $m0, $m1, 40000
# CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: an unsigned constant of 20 bits is needed here
setzi $m0, 0x100000
# CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: an unsigned constant of 12 bits is needed here
and $m0, $m1, 4096
# CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: a register $m0 to $m15 is needed here
add $m0, $a1, 1
# CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: a register $a0 to $a15 is needed here
f32add $a0, $m1, $a2
# CHECK: [[#@LINE+1]]:{{[0-9]+}}: error: this operand does not fit any form of f32v2add
f32v2add $a0:1, $a2, $a4:5
# CHECK: [[#@LINE+1]]:6: error: no such register range
ld64 $a1:2, $m0, 0
# CHECK: [[#@LINE+1]]:8: error: unknown register $a16
f32add $a16, $a0, $a0
# CHECK: [[#@LINE+1]]:1: error: unknown instruction f32ad, did you mean: f32add?
f32ad $a0, $a0, $a0
# CHECK: [[#@LINE+1]]:1: error: too few operands for sub
sub $m0
# CHECK: [[#@LINE+1]]:10: error: unknown control register $NOSUCH
get $m0, $NOSUCH
# CHECK: [[#@LINE+1]]:5: error: control register $CCCSLOAD does not exist in worker mode
put $CCCSLOAD, $m0
# CHECK: [[#@LINE+1]]:1: error: this instruction needs supervisor mode
sync 2
.supervisor
# CHECK: [[#@LINE+1]]:11: error: an unsigned constant of 6 bits is needed here
ld64putcs 64
# CHECK: [[#@LINE+1]]:1: error: this instruction needs worker mode
f32add $a0, $a0, $a0
.worker

# CHECK: [[#@LINE+1]]:1: error: too few instructions in this bundle
{ nop }
# CHECK: [[#@LINE+1]]:1: error: too many instructions in this bundle
{ nop ; fnop ; fnop }
# CHECK: [[#@LINE+1]]:3: error: the first instruction of a bundle must be of the main pipe
{ fnop ; nop }
# CHECK: [[#@LINE+1]]:9: error: the second instruction of a bundle must be of the auxiliary pipe
{ nop ; nop }
# CHECK: [[#@LINE+1]]:3: error: this instruction cannot be in a bundle
{ exitz $m0 ; fnop }
# CHECK: [[#@LINE+1]]:32: error: both instructions of this bundle write the same register
{ ld64 $a0:1, $m0, $mzero, 0 ; f32add $a1, $a2, $a3 }
# CHECK: [[#@LINE+1]]:3: error: ldconst may be two instructions
{ ldconst $m0, 5 ; fnop }
# CHECK: [[#@LINE+1]]:3: error: labels and directives cannot be in a bundle
{ .align 8 ; nop ; fnop }
# CHECK: [[#@LINE+1]]:1: error: this bundle is empty, two instructions needed
{ }
# CHECK: [[#@LINE+1]]:9: error: labels and directives cannot be in a bundle
{ nop ; 1: fnop }
# CHECK: [[#@LINE+1]]:9: error: labels and directives cannot be in a bundle
{ nop ; .int 5 }
# CHECK: [[#@LINE+1]]:9: error: unknown instruction fnob, did you mean: fnop
{ nop ; fnob }
# CHECK: [[#@LINE+1]]:13: error: unknown register $a16
{ nop ; mov $a16, $a0 }
# CHECK: [[#@LINE+1]]:29: error: a register $a0 to $a15 is needed here
{ nop ; f32add $a0, $azero, $m0 }
# CHECK: [[#@LINE+1]]:1: error: .allow_invalid_operands is not supported; only .allow_invalid_repeat is
.allow_invalid_operands
# CHECK: [[#@LINE+1]]:1: error: .warn_on_invalid_bundles is not supported; only .allow_invalid_repeat is
.warn_on_invalid_bundles
# CHECK: [[#@LINE+1]]:1: error: there is no bundle to close here
}
# CHECK: [[#@LINE+1]]:1: error: this bundle is not closed
{ nop ; fnop
{ nop ; fnop }
# CHECK: [[#@LINE+1]]:1: error: this bundle is not closed
{ nop
