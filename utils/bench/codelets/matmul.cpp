// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Four columns of a matrix product, with vectors of two floats.

#include <ipudef.h>
#include <poplar/Vertex.hpp>

using namespace poplar;

class MatMulVertex : public Vertex {
public:
  // Four columns, by as many rows as a row of a has elements.
  Input<Vector<float, VectorLayout::SPAN, 8>> b;
  Input<Vector<float>> a;
  Output<Vector<float, VectorLayout::SPAN, 8>> out;

  bool compute() {
    const float2 *row = reinterpret_cast<const float2 *>(&b[0]);
    float2 sums[2] = {};
    for (unsigned i = 0; i < a.size(); ++i) {
      float x = a[i];
      float2 both = {x, x};
      for (unsigned j = 0; j < 2; ++j)
        sums[j] += both * row[j];
      row += 2;
    }
    float2 *to = reinterpret_cast<float2 *>(&out[0]);
    for (unsigned j = 0; j < 2; ++j)
      to[j] = sums[j];
    return true;
  }
};
