// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product of two vectors, added up in any order.

#include <poplar/Vertex.hpp>

using namespace poplar;

class DotFastVertex : public Vertex {
public:
  Input<Vector<float, VectorLayout::SPAN, 8>> a;
  Input<Vector<float, VectorLayout::SPAN, 8>> b;
  Output<float> out;

  bool compute() {
#pragma clang fp reassociate(on)
    float sum = 0;
    for (unsigned i = 0; i < a.size(); ++i)
      sum += a[i] * b[i];
    *out = sum;
    return true;
  }
};
