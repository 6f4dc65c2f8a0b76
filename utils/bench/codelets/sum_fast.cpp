// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sum of a vector, in any order.

#include <poplar/Vertex.hpp>

using namespace poplar;

class SumFastVertex : public Vertex {
public:
  Input<Vector<float, VectorLayout::SPAN, 8>> in;
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
