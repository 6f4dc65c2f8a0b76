// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sum of a vector: SumVertex of the user guide's tutorials.

#include <poplar/Vertex.hpp>

using namespace poplar;

class SumVertex : public Vertex {
public:
  Input<Vector<float>> in;
  Output<float> out;

  bool compute() {
    *out = 0;
    for (const auto &v : in)
      *out += v;
    return true;
  }
};
