// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product and a sum of halves.

#include <poplar/Vertex.hpp>

using namespace poplar;

class HalfMultiplyAddVertex : public Vertex {
public:
  Output<Vector<half, VectorLayout::SPAN, 8>> out;
  Input<Vector<half, VectorLayout::SPAN, 8>> a;
  Input<Vector<half, VectorLayout::SPAN, 8>> b;

  bool compute() {
    half *__restrict to = &out[0];
    const half *__restrict x = &a[0];
    const half *__restrict y = &b[0];
    for (unsigned i = 0; i < out.size(); ++i)
      to[i] = x[i] * y[i] + x[i];
    return true;
  }
};
