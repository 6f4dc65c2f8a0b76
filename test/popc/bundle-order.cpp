// Inline assembly may have the instructions of a bundle in either order after
// .allow_optimizations, which holds for the one statement.
// RUN: popc --target=ipu2 -O2 -S %s -o - | FileCheck %s
// RUN: not popc --target=ipu2 -DLATER -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=LATER
// LATER: error: the first instruction of a bundle must be of the main pipe

// CHECK: ld64 $a0:1, $m{{[0-9]+}}, $m15, 0 ; f32add $a{{[0-9]+}}, $a{{[0-9]+}}, $a{{[0-9]+}}
extern "C" float sum(const float *p, float x) {
  asm(R"(
    .allow_optimizations
    {
      f32add %0, %0, %0
      ld64 $a0:1, %1, $mzero, 0
    }
  )"
      : "+r"(x)
      : "r"(p)
      : "$a0:1", "memory");
#ifdef LATER
  asm("{ f32add %0, %0, %0 ; nop }" : "+r"(x));
#endif
  return x;
}
