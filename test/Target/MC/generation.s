# The first generation lacks the second set of accumulators and weights.
# RUN: not %{llvm-mc} -mcpu=ipu1 -filetype=null %s 2>&1 | FileCheck %s --implicit-check-not=error:
# RUN: %{llvm-mc} -mcpu=ipu2 -filetype=null %s
# RUN: %{llvm-mc} -mcpu=ipu21 -filetype=null %s

f16v4hihoamp $a0, $a2:3, $a4, 0
f32v2gina $a0:1, $a2:3, 1
# CHECK: [[#@LINE+1]]:1: error: ipu1 does not have f16v4hihov4amp
f16v4hihov4amp $a0:1, $a2:3, $a4:5, 0
# CHECK: [[#@LINE+1]]:1: error: ipu1 does not have f32sisov2amp
f32sisov2amp $a0:1, $a2, $a4:5, 0
# CHECK: [[#@LINE+1]]:9: error: ipu1 does not have f16v4hihov4slic
{ nop ; f16v4hihov4slic $a0:1, $a2:3, $a4:5, 0 }
# CHECK: [[#@LINE+1]]:1: error: ipu1 does not have a second set of accumulators
f32v2gina $a0:1, $a2:3, 2
# CHECK: [[#@LINE+1]]:1: error: ipu1 does not have a second set of accumulators
f16v2gina $a0, $a2, 3
.supervisor
ld64putcs 31
ld128putcs $CWEI_7_2
# CHECK: [[#@LINE+1]]:1: error: ipu1 does not have more than 32 weight registers
ld64putcs 32
# CHECK: [[#@LINE+1]]:1: error: ipu1 does not have more than 32 weight registers
ld128putcs 31
