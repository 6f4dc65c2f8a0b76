// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sum of a vector of halves, in any order, as a float.

#include <poplar/Vertex.hpp>

using namespace poplar;

class HalfSumFastVertex : public Vertex {
public:
  Input<Vector<half, VectorLayout::SPAN, 8>> in;
  Output<float> out;

  bool compute() {
#pragma clang fp reassociate(on)
    float sum = 0;
    for (unsigned i = 0; i < in.size(); ++i)
      sum += in[i];
    *out = sum;
    return true;
  }
};
