// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A codelet with a mistake: a store to a misaligned address in its output, on
// line 21, or, with -DPEEK, a load behind the end of its input, on line 18.

#include <poplar/Vertex.hpp>

using namespace poplar;

class Overrun : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;

  void compute() {
#ifdef PEEK
    for (unsigned i = 0; i != out.size(); ++i)
      out[i] = in[i + 1];
#else
    char *bytes = reinterpret_cast<char *>(&out[0]);
    *reinterpret_cast<volatile int *>(bytes + 2) = static_cast<int>(in[0]);
#endif
  }
};
