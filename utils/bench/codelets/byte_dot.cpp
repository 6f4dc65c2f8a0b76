// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product of two vectors of bytes.

#include <poplar/Vertex.hpp>

using namespace poplar;

class ByteDotVertex : public Vertex {
public:
  Input<Vector<signed char>> a;
  Input<Vector<signed char>> b;
  Output<int> out;

  bool compute() {
    int sum = 0;
    for (unsigned i = 0; i < a.size(); ++i)
      sum += a[i] * b[i];
    *out = sum;
    return true;
  }
};
