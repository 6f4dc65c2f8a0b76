// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words copied one by one.

#include <poplar/Vertex.hpp>

using namespace poplar;

class CopyVertex : public Vertex {
public:
  Output<Vector<int, VectorLayout::SPAN, 8>> to;
  Input<Vector<int, VectorLayout::SPAN, 8>> from;

  bool compute() {
    int *__restrict out = &to[0];
    const int *__restrict in = &from[0];
    for (unsigned i = 0; i < to.size(); ++i)
      out[i] = in[i];
    return true;
  }
};
