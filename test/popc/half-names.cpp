// Symbols name a half `Dh`, as C++ does for the type of this name, so that assembly
// can define and call instances. A half that becomes a float is no news to
// -Wdouble-promotion, where warnings are errors, too.
// RUN: popc %s --target=ipu2 -Wdouble-promotion -Werror -S -o - | FileCheck %s
// RUN: popc %s --target=cpu,ipu2 -Wdouble-promotion -Werror -o %t.gp
// RUN: not popc %s --target=cpu,ipu2 -Wdouble-promotion -Werror -DDOUBLE -o %t.no.gp 2>&1 | FileCheck %s --check-prefix=DOUBLE
// RUN: popc %s --target=ipu2 -Wdouble-promotion -DDOUBLE -o %t.2.gp 2>&1 | FileCheck %s --check-prefix=WARNING

#include <poplar/Vertex.hpp>

// CHECK: _Z5scaleIDhET_S0_S0_:
template <typename T> T scale(T x, T y) { return x * y; }
template half scale(half, half);

// CHECK: _Z5widenDhDv4_Dh:
float widen(half x, half4 v) {
  float sum = x;
  sum += v[0];
  return sum * x;
}

#ifdef DOUBLE
// DOUBLE: half-names.cpp:[[#@LINE+2]]:{{[0-9]+}}: error: implicit conversion increases floating-point precision: 'float' to 'double'
// WARNING: half-names.cpp:[[#@LINE+1]]:{{[0-9]+}}: warning: implicit conversion increases floating-point precision: 'float' to 'double'
double wide(float x) { return x; }
#endif
