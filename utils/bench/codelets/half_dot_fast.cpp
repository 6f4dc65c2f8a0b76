// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product of two vectors of halves, added up as floats in any order.

#include <poplar/Vertex.hpp>

using namespace poplar;

class HalfDotFastVertex : public Vertex {
public:
  Input<Vector<half, VectorLayout::SPAN, 8>> a;
  Input<Vector<half, VectorLayout::SPAN, 8>> b;
  Output<float> out;

  bool compute() {
#pragma clang fp reassociate(on)
    float sum = 0;
    for (unsigned i = 0; i < a.size(); ++i)
      sum += float(a[i]) * float(b[i]);
    *out = sum;
    return true;
  }
};
