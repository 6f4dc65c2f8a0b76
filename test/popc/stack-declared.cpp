// A codelet that declares its stack may have arrays of a size that is known when it
// runs; the symbol stands with or without quotes, and the number may be a macro.
// RUN: popc %s --target=cpu,ipu2 -o %t.gp
// RUN: popc %s --target=ipu2 -c -o %t.o
// RUN: llvm-readelf -x .stack_sizes %t.o | FileCheck %s
// CHECK: 400
// RUN: not popc %s --target=ipu2 -DUNDECLARED -o %t.no.gp 2>&1 | FileCheck %s --check-prefix=UNDECLARED

#include <poplar/Vertex.hpp>

#define STACK 512

DEF_STACK_USAGE(STACK, __runCodelet_Declared)
DEF_STACK_USAGE(64, "__runCodelet_Quoted")

__attribute__((noinline)) static float reversedSum(const float *in,
                                                   unsigned count) {
  float copy[count];
  for (unsigned i = 0; i != count; ++i)
    copy[count - 1 - i] = in[i];
  float sum = 0;
  for (unsigned i = 0; i != count; ++i)
    sum += copy[i] * (i + 1);
  return sum;
}

class Declared : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<float> out;
  bool compute() {
    *out = reversedSum(&in[0], in.size());
    return true;
  }
};

class Quoted : public poplar::Vertex {
public:
  poplar::InOut<float> x;
  bool compute() {
    *x += 1;
    return true;
  }
};

#ifdef UNDECLARED
class Undeclared : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<float> out;
  bool compute() {
    *out = reversedSum(&in[0], in.size());
    return true;
  }
};
// UNDECLARED: error: 'reversedSum' has an array on the stack whose size is known only when it runs
// UNDECLARED-SAME: DEF_STACK_USAGE(bytes, symbol)
#endif
