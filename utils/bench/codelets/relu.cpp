// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Negative numbers replaced by zero, in place.

#include <poplar/Vertex.hpp>

using namespace poplar;

class ReluVertex : public Vertex {
public:
  InOut<Vector<float, VectorLayout::SPAN, 8>> x;

  bool compute() {
    for (unsigned i = 0; i < x.size(); ++i)
      x[i] = x[i] > 0 ? x[i] : 0;
    return true;
  }
};
