// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Codelets of plans.cpp.

#include <poplar/Vertex.hpp>

using namespace poplar;

class Polynomial : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;

  bool compute() {
    for (unsigned i = 0; i != in.size(); ++i)
      out[i] = ((in[i] * 2 + 3) * in[i] + 4) * in[i] + 5;
    return true;
  }
};

/// Sums up 24 columns at once: more than there are registers.
class ManySums : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;

  bool compute() {
    constexpr unsigned Sums = 24;
    float sums[Sums];
#pragma unroll
    for (unsigned s = 0; s != Sums; ++s)
      sums[s] = static_cast<float>(s);
    for (unsigned i = 0; i != in.size(); ++i) {
      const float value = in[i];
#pragma unroll
      for (unsigned s = 0; s != Sums; ++s)
        sums[s] = sums[s] * value + sums[(s + 7) % Sums];
    }
    float all = 0;
#pragma unroll
    for (unsigned s = 0; s != Sums; ++s)
      all += sums[s];
    out[0] = all;
    return true;
  }
};
