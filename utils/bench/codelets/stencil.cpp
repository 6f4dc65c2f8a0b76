// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line of an image filtered by three by three weights.

#include <poplar/Vertex.hpp>

using namespace poplar;

class StencilVertex : public Vertex {
public:
  Output<Vector<float, VectorLayout::SPAN, 8>> out;
  Input<Vector<float, VectorLayout::SPAN, 8>> above;
  Input<Vector<float, VectorLayout::SPAN, 8>> line;
  Input<Vector<float, VectorLayout::SPAN, 8>> below;
  Input<Vector<float>> weights;

  bool compute() {
    float *__restrict to = &out[0];
    const float *rows[3] = {&above[0], &line[0], &below[0]};
    for (unsigned i = 0; i < out.size(); ++i) {
      float sum = 0;
      for (unsigned y = 0; y < 3; ++y)
        for (unsigned x = 0; x < 3; ++x)
          sum += weights[3 * y + x] * rows[y][i + x];
      to[i] = sum;
    }
    return true;
  }
};
