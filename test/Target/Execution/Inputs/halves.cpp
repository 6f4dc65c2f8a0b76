// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Halves and vectors from pseudo-random bits, also such that overflow: host
// code and IPU code must compute the same words. A NaN is stored as one
// pattern.

#include <ipu_vector_math>
#include <poplar/Vertex.hpp>

namespace {

struct Numbers {
  unsigned state;

  unsigned next() {
    state = state * 1664525u + 1013904223u;
    return (state >> 7) ^ (state << 11);
  }
  // Finite ones of all sizes.
  half nextHalf() {
    unsigned short bits = (unsigned short)next();
    if ((bits & 0x7c00) == 0x7c00)
      bits &= 0xbfff;
    return __builtin_bit_cast(half, bits);
  }
  float nextFloat() { return (float)(int)next() * 0x1p-14f; }
  half4 nextHalf4() {
    half4 v;
    for (int i = 0; i != 4; ++i)
      v[i] = nextHalf();
    return v;
  }
  float2 nextFloat2() {
    float x = nextFloat();
    return float2{x, nextFloat()};
  }
};

struct Words {
  unsigned *out;
  unsigned count = 0;

  void put(half x) {
    out[count++] = x != x ? 0x7e00 : __builtin_bit_cast(unsigned short, x);
  }
  void put(float x) {
    out[count++] = x != x ? 0x7fc00000 : __builtin_bit_cast(unsigned, x);
  }
  template <typename V> void putLanes(V v) {
    for (unsigned i = 0; i != sizeof(V) / sizeof(v[0]); ++i)
      put(v[i]);
  }
};

__attribute__((noinline)) void scalars(half a, half b, float f, Words &words) {
  words.put(half(a + b));
  words.put(half(a - b));
  words.put(half(a * b)); // often too large
  words.put(half(a / b));
  words.put(half(f));
  words.put(half(a < b ? a : b));
  words.put(half(-a));
  words.put(ipu::sqrt(ipu::fabs(a)));
  words.put(float(a) * f);
  words.put(half((int)(signed char)(int)f));
  words.put(ipu::copysign(a, b));
}

__attribute__((noinline)) void vectors(half4 a, half4 b, float2 f, float2 g,
                                       Words &words) {
  words.putLanes(half4(a * b - a));
  words.putLanes(half4(a < b ? a : half4(b + b)));
  words.putLanes(half2(__builtin_shufflevector(a, a, 1, 2) *
                       __builtin_shufflevector(b, b, 0, 3)));
  words.putLanes(half4(__builtin_shufflevector(a, a, 3, 0, 1, 2) + b[2]));
  words.putLanes(float2(f * g + __builtin_shufflevector(f, f, 1, 0)));
  words.putLanes(f > g ? f : float2(g * 0.5f));
  words.putLanes(__builtin_convertvector(f, half2));
  words.putLanes(__builtin_convertvector(a, float4) *
                 __builtin_shufflevector(f, f, 0, 1, 0, 1));
  words.putLanes(ipu::floor(f));
  words.putLanes(ipu::andc(f, g));
}

__attribute__((noinline)) void arrays(half *x, const half *y, half s, int n) {
  for (int i = 0; i != n; ++i)
    x[i] = s * y[i] + x[i];
}

} // namespace

class Diff : public poplar::Vertex {
public:
  poplar::Output<poplar::Vector<unsigned>> out;
  poplar::Input<unsigned> in;

  bool compute() {
    Numbers numbers = {in};
    Words words = {&out[0]};
    for (int i = 0; i != 40; ++i) {
      half a = numbers.nextHalf(), b = numbers.nextHalf();
      scalars(a, b, numbers.nextFloat(), words);
      half4 p = numbers.nextHalf4(), q = numbers.nextHalf4();
      float2 f = numbers.nextFloat2();
      vectors(p, q, f, numbers.nextFloat2(), words);
    }
    alignas(8) half x[37], y[37];
    for (int i = 0; i != 37; ++i) {
      x[i] = numbers.nextHalf();
      y[i] = numbers.nextHalf();
    }
    arrays(x, y, numbers.nextHalf(), 37);
    arrays(x + 1, y, half(0.5f), 36);
    for (half h : x)
      words.put(h);
    out[3999] = words.count;
    return true;
  }
};
