#ifdef __IPU__
#include "poplar/StackSizeDefs.hpp"
#include "poplar/TileConstants.hpp"

#define OUT m0
#define FILL __runCodelet_ns__Fill___float

DEF_STACK_USAGE 0 FILL
.section .text.__runCodelet_ns__Fill___float, FUNCTION_IS_WORKER
.globl FILL
.type FILL, @function
.align 8
.worker
FILL:
  ld32 $OUT, $mvertex_base, $mzero, 0
  ld32 $a0, $mvertex_base, $mzero, 1
  ld32 $m1, $mvertex_base, $mzero, 2
  brz $m1, 2f
  add $m1, $m1, -1
1:
  st32step $a0, $mzero, $OUT+=, 1
  brnzdec $m1, 1b
2:
  exitz $mzero
#ifdef BROKEN
  nonsense $m0
#endif
.size FILL, . - FILL
#endif
