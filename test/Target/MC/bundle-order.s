# The instructions of a bundle may stand in either order after .allow_optimizations, in
# assembly and in inline assembly (test/popc/bundle-order.cpp); before it they may not.
# RUN: %{llvm-mc} %s | FileCheck %s
# RUN: not %{llvm-mc} --defsym=EARLY=1 %s 2>&1 | FileCheck %s --check-prefix=ERROR

.ifdef EARLY
# ERROR: bundle-order.s:[[#@LINE + 1]]:{{.*}} error: the first instruction of a bundle must be of the main pipe
{ f32add $a0, $a1, $a2 ; ld32 $m0, $m1, $m15, 0 }
.endif

.allow_optimizations
# CHECK: { ld32 $m0, $m1, $m15, 0 ; f32add $a0, $a1, $a2 }
{ f32add $a0, $a1, $a2 ; ld32 $m0, $m1, $m15, 0 }
# CHECK: { ld64 $a0:1, $m1, $m15, 0 ; f32add $a2, $a2, $a1 }
{
  f32add $a2, $a2, $a1
  ld64 $a0:1, $m1, $m15, 0
}
# CHECK: { nop ; fnop }
{ nop ; fnop }
