// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vector of logits made probabilities, in place.

#include <algorithm>
#include <cmath>
#include <poplar/Vertex.hpp>

using namespace poplar;

class SoftmaxVertex : public Vertex {
public:
  InOut<Vector<float, VectorLayout::SPAN, 8>> x;

  bool compute() {
    float most = x[0];
    for (unsigned i = 1; i < x.size(); ++i)
      most = std::fmax(most, x[i]);
    float sum = 0;
    for (unsigned i = 0; i < x.size(); ++i) {
      x[i] = std::exp(x[i] - most);
      sum += x[i];
    }
    float scale = 1 / sum;
    for (unsigned i = 0; i < x.size(); ++i)
      x[i] *= scale;
    return true;
  }
};
