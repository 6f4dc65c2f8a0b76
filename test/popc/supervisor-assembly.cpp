// Supervisor code has the main register file only: floats in inline assembly
// are there too, and instructions of the auxiliary file are errors.
// RUN: popc --target=ipu2 -O2 -S %s -o - | FileCheck %s
// RUN: not popc --target=ipu2 -O2 -DWRONG %s -o %t.gp 2>%t.errors
// RUN: FileCheck %s --check-prefix=ERROR < %t.errors

#include <poplar/Vertex.hpp>

using namespace poplar;

// CHECK-LABEL: __runCodelet_Negate:
// CHECK-NOT: $a
// CHECK: xor $m
// CHECK-NOT: $a
// CHECK: br $m10
class Negate : public SupervisorVertex {
public:
  InOut<float> x;
  __attribute__((target("supervisor"))) bool compute() {
    float value = *x + 1;
    unsigned sign = 0x80000000;
    __asm__("xor %0, %1, %2" : "=r"(value) : "r"(value), "r"(sign));
#ifdef WRONG
    // ERROR: [[#@LINE+1]]:13: error:
    __asm__("f32add %0, %1, %1" : "=r"(value) : "r"(value));
    // ERROR: [[#@LINE+1]]:22: error: this instruction needs worker mode
    __asm__ volatile("setzi $a0, 3" ::: "$a0");
#endif
    *x = value;
    return true;
  }
};
