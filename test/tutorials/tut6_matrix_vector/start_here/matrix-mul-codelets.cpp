// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The codelet of Tutorial 6: where it starts.

#include <poplar/Vertex.hpp>

using namespace poplar;

class DotProductVertex : public Vertex {
public:
  // Fields

  // Compute function
  bool compute() { return true; }
};
