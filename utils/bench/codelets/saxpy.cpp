// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A multiple of one vector added to another, in place.

#include <poplar/Vertex.hpp>

using namespace poplar;

class SaxpyVertex : public Vertex {
public:
  InOut<Vector<float, VectorLayout::SPAN, 8>> y;
  Input<Vector<float, VectorLayout::SPAN, 8>> x;
  float a;

  bool compute() {
    float *__restrict to = &y[0];
    const float *__restrict from = &x[0];
    for (unsigned i = 0; i < y.size(); ++i)
      to[i] += a * from[i];
    return true;
  }
};
