// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The codelet that patterns.cpp takes from a file: 2 relu(x) + OFFSET.
#include <poplar/Vertex.hpp>

class Twice : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<poplar::Vector<float>> out;

  void compute() {
    for (unsigned i = 0; i != in.size(); ++i)
      out[i] = (in[i] > 0 ? 2 * in[i] : 0) + OFFSET;
  }
};
