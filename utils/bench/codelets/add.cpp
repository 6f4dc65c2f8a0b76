// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sums of the elements of two vectors.

#include <poplar/Vertex.hpp>

using namespace poplar;

class AddVertex : public Vertex {
public:
  Output<Vector<float, VectorLayout::SPAN, 8>> out;
  Input<Vector<float, VectorLayout::SPAN, 8>> a;
  Input<Vector<float, VectorLayout::SPAN, 8>> b;

  bool compute() {
    float *__restrict to = &out[0];
    const float *__restrict x = &a[0];
    const float *__restrict y = &b[0];
    for (unsigned i = 0; i < out.size(); ++i)
      to[i] = x[i] + y[i];
    return true;
  }
};
