// clang-format off
// 8-bit floats are not supported: an error that says so, also for the names of builtins
// and types that no header declares.
// RUN: not popc %s --target=ipu2 -o %t.gp 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not popc %s -DDECLARED --target=cpu,ipu2 -o %t.gp 2>&1 | FileCheck %s --check-prefix=DECLARED --implicit-check-not=error:
// RUN: popc %s -DOWN --target=cpu,ipu2 -o %t.gp

#include <ipudef.h>
#ifdef DECLARED
#include <poplar/QuarterFloat.hpp>

// DECLARED: :[[@LINE+1]]:{{[0-9]+}}: error: 'operator float' is unavailable: 8-bit floats are not supported; use half, or keep the values as signed char with a scale
float widened(quarter x) { return x; }
// DECLARED: :[[@LINE+1]]:{{[0-9]+}}: error: 'quarter' is unavailable: 8-bit floats are not supported
quarter made(float x) { return x; }
#elif defined(OWN)
typedef signed char quarter;
static int __builtin_ipu_f8v2tof16(quarter x) { return x; }
int own(quarter x) { return __builtin_ipu_f8v2tof16(x); }
#else
// CHECK: :[[@LINE+1]]:31: error: '__builtin_ipu_f8v2tof16' is unavailable: 8-bit floats are not supported; use half, or keep the values as signed char with a scale
half2 builtin(int x) { return __builtin_ipu_f8v2tof16(x); }
// CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: '__builtin_ipu_f16v2tof8' is unavailable
int back(half2 x) { return __builtin_ipu_f16v2tof8(x); }
// CHECK: :[[@LINE+1]]:11: error: 'quarter' is unavailable: 8-bit floats are not supported
void take(quarter x);
// CHECK: :[[@LINE+1]]:11: error: 'quarter_metadata' is unavailable: 8-bit floats are not supported
void take(quarter_metadata x);
#endif
