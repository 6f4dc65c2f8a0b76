// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vertex that counts.

#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popops {

class Iota : public Vertex {
public:
  Output<Vector<unsigned>> out;
  unsigned start;

  bool compute() {
    unsigned value = start;
    const unsigned count = out.size();
    for (unsigned i = 0; i != count; ++i)
      out[i] = value++;
    return true;
  }
};

} // namespace popops
