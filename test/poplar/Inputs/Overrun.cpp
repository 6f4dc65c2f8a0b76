// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A codelet that stores to a misaligned address in its output, on line 16.

#include <poplar/Vertex.hpp>

using namespace poplar;

class Overrun : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;

  void compute() {
    char *bytes = reinterpret_cast<char *>(&out[0]);
    *reinterpret_cast<volatile int *>(bytes + 2) = static_cast<int>(in[0]);
  }
};
