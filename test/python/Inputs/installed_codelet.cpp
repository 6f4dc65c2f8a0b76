// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A codelet, for the compiler of an installed tree.
#include <poplar/Vertex.hpp>

class One : public poplar::Vertex {
public:
  poplar::Output<float> out;
  bool compute() {
    *out = 1.0f;
    return true;
  }
};
