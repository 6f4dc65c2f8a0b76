// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The codelet of Tutorial 3: where it starts.

#include <poplar/Vertex.hpp>

class SumVertex : public poplar::Vertex {
public:
  // Fields

  // Compute function
  bool compute() { return true; }
};
