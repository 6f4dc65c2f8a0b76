// clang-format off
// 8-bit floats are a type of the targets cpu and ipu21; elsewhere, and for builtins that
// there are none of, an error says so, also where no header declares the name.
// RUN: not popc %s --target=ipu2 -o %t.gp 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not popc %s -DDECLARED --target=cpu -o %t.gp 2>&1 | FileCheck %s --check-prefix=DECLARED --implicit-check-not=error:
// RUN: not popc %s -DFIELDS --target=ipu2 -o %t.gp 2>&1 | FileCheck %s --check-prefix=IPU2
// RUN: not popc %s -DFIELDS --target=ipu21 -o %t.gp 2>&1 | FileCheck %s --check-prefix=FIELDS --implicit-check-not=error:
// RUN: popc %s -DOWN --target=cpu,ipu2 -o %t.gp

#include <ipudef.h>
#ifdef DECLARED
#include <poplar/QuarterFloat.hpp>

quarter ofBits() { return 0x41; }
float widened(quarter x) { return poplar::toFloat(x, {quarter_metadata::f152, 3}); }
// DECLARED: :[[@LINE+1]]:{{[0-9]+}}: error: no viable conversion from returned value of type 'quarter' to function return type 'float'
float number(quarter x) { return x; }
// DECLARED: :[[@LINE+1]]:{{[0-9]+}}: error: conversion function from 'float' to 'quarter' invokes a deleted function
quarter made(float x) { return x; }
#elif defined(FIELDS)
#include <poplar/Vertex.hpp>

using namespace poplar;

class Fields : public Vertex {
public:
  // IPU2: :[[@LINE+1]]:16: error: 'quarter' is unavailable: 8-bit floats are for the targets cpu and ipu21, and need <poplar/QuarterFloat.hpp>; compile with --target=cpu,ipu21
  Input<Vector<quarter>> good;
  // FIELDS: :[[@LINE+1]]:{{[0-9]+}}: error: Field 'Fields.list' has unsupported field type 'Vector<Input<Vector<quarter>>>'; only Input<>, Output<> and InOut<> of one quarter or one Vector<quarter> have a place for metadata
  Vector<Input<Vector<quarter>>> list;
  // FIELDS: :[[@LINE+1]]:{{[0-9]+}}: error: Field 'Fields.state' has unsupported field type 'quarter'; only
  quarter state;
  bool compute() { return true; }
};
#elif defined(OWN)
typedef signed char quarter;
static int __builtin_ipu_f8v2tof16(quarter x) { return x; }
int own(quarter x) { return __builtin_ipu_f8v2tof16(x); }
#else
// CHECK: :[[@LINE+1]]:31: error: '__builtin_ipu_f8v2tof16' is unavailable: instructions of 8-bit floats have no builtins; use toHalf and toQuarter of <poplar/QuarterFloat.hpp>
half2 builtin(int x) { return __builtin_ipu_f8v2tof16(x); }
// CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: '__builtin_ipu_f16v2tof8' is unavailable
int back(half2 x) { return __builtin_ipu_f16v2tof8(x); }
// CHECK: :[[@LINE+1]]:11: error: 'quarter' is unavailable: 8-bit floats are for the targets cpu and ipu21
void take(quarter x);
// CHECK: :[[@LINE+1]]:11: error: 'quarter_metadata' is unavailable: 8-bit floats are for the targets cpu and ipu21
void take(quarter_metadata x);
#endif
