// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A codelet with a header of its own.

#include "factor.h"
#include <poplar/Vertex.hpp>

class Scale : public poplar::Vertex {
public:
  poplar::InOut<poplar::Vector<float>> data;
  bool compute() {
    for (float &value : data)
      value *= FACTOR;
    return true;
  }
};
