// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A supervisor that calls functions which nobody has marked: of floats, halves
// and doubles, of 64 bits, recursive in the templates' way, and of the C
// library.

#include <cstring>
#include <ipudef.h>
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

/// In doubles: what floats and 64-bit integers become, and back.
__attribute__((noinline)) static double wide(float x, long long n) {
  double result = x * 1.1 - static_cast<double>(n) / 3;
  if (result > 1e9 || result != result)
    result = static_cast<double>(static_cast<unsigned long long>(n)) * 0.5;
  return static_cast<double>(static_cast<long long>(result)) +
         static_cast<float>(result) - static_cast<int>(x);
}

/// In halves, which are rounded after each operation.
__attribute__((noinline)) static half narrow(half x, half y) {
  half sum = x * y + static_cast<half>(0.3f);
  return sum > x ? sum - y / static_cast<half>(7) : sum + x;
}

template <typename T> static unsigned long long wordsOf(T value) {
  unsigned long long words = 0;
  std::memcpy(&words, &value, sizeof(value));
  return words;
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
      long long large = (in + i * 7919ll - 40000) * (1ll << i) * 1234567;
      float x = static_cast<float>(in + i) * 0.37f - 20;
      unsigned long long results[] = {
          wordsOf(wide(x, large)),
          wordsOf(wide(x, static_cast<long long>(i))),
          wordsOf(static_cast<float>(large)),
          wordsOf(static_cast<float>(static_cast<unsigned long long>(large))),
          wordsOf(static_cast<long long>(x * 1e10f)),
          wordsOf(static_cast<unsigned long long>(x > 0 ? x * 1e17f : 1)),
          wordsOf(narrow(static_cast<half>(x), static_cast<half>(i * 0.7f))),
          wordsOf(static_cast<half>(x * 1.0000001)),
          wordsOf(static_cast<double>(static_cast<half>(x)) / 3),
          wordsOf(static_cast<int>(static_cast<half>(x * 3)))};
      for (unsigned long long result : results) {
        out[count++] = static_cast<unsigned>(result);
        out[count++] = static_cast<unsigned>(result >> 32);
      }
    }
    out[3999] = count;
    return true;
  }
};
