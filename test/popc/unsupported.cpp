// clang-format off
// What the code generator does not support is said at the function that asks for it.
// RUN: rm -f %t.gp
// RUN: not popc %s --target=cpu,ipu2 -o %t.gp 2>&1 | FileCheck %s
// RUN: not test -e %t.gp

#include <poplar/Vertex.hpp>

void use(float *values);

class Aligned : public poplar::Vertex {
public:
  poplar::Output<float> out;
  // CHECK: unsupported.cpp:[[@LINE+1]]:8: error: stack objects with more than 8-byte alignment are not supported
  bool compute() {
    alignas(16) float values[4];
    use(values);
    *out = values[0];
    return true;
  }
};
