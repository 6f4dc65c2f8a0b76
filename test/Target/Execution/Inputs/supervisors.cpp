// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A supervisor that calls functions which nobody has marked: of floats, of 64
// bits, recursive in the templates' way, and of the C library.

#include <cstring>
#include <poplar/Vertex.hpp>

using namespace poplar;

__attribute__((noinline)) static float scale(float x, unsigned n) {
  if (x > 90 && x != 92)
    return static_cast<float>(static_cast<int>(x * -2.25f)) + 0.1f;
  return n % 2 ? x / 3 : x * 1.5f;
}

__attribute__((noinline)) static unsigned bitsOf(float x) {
  unsigned bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}

template <unsigned N> unsigned long long mix(unsigned long long x) {
  return mix<N - 1>(x * 6364136223846793005ull + N);
}
template <> unsigned long long mix<0>(unsigned long long x) { return x / 7; }

class Diff : public SupervisorVertex {
public:
  Output<Vector<unsigned>> out;
  Input<unsigned> in;

  bool compute() {
    unsigned count = 0;
    for (unsigned i = 0; i != 20; ++i) {
      out[count++] = bitsOf(scale(static_cast<float>(in + i), i));
      out[count++] = static_cast<unsigned>(mix<3>(in + i) >> 20);
    }
    out[3999] = count;
    return true;
  }
};
