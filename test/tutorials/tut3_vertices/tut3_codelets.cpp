// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The codelet of Tutorial 3: the sum of a set of numbers.

#include <poplar/Vertex.hpp>

class SumVertex : public poplar::Vertex {
public:
  // Fields
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<float> out;

  // Compute function
  bool compute() {
    *out = 0;
    for (const auto &v : in) {
      *out += v;
    }
    return true;
  }
};
