// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The codelet of the examples adder and adder_popc: the sum of two numbers.

#include <poplar/Vertex.hpp>

class AdderVertex : public poplar::Vertex {
public:
  poplar::Input<float> x;
  poplar::Input<float> y;
  poplar::Output<float> sum;

  bool compute() {
    *sum = *x + *y;
    return true;
  }
};
