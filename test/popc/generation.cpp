// clang-format off
// Instructions that the first generation lacks are errors at the function's location,
// before anything is written.
// RUN: rm -f %t.o
// RUN: not popc --target=ipu1 -c %s -o %t.o 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not test -e %t.o
// RUN: popc --target=ipu2 -c %s -o %t.o
#include <ipu_builtins.h>

// CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}ipu1 does not have a second set of accumulators
extern "C" float2 two(float2 a) { return __builtin_ipu_f32sisov2amp(1.0f, a, 0); }
// CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}ipu1 does not have a second set of accumulators
extern "C" float2 gina(float2 a) { return __builtin_ipu_f32v2gina(a, 2); }
extern "C" float2 first(float2 a) { return __builtin_ipu_f32v2gina(a, 1); }
// CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}ipu1 does not have more than 32 weight registers
extern "C" __attribute__((target("supervisor"))) void weight() { __builtin_ipu_ld64putcs(32); }
