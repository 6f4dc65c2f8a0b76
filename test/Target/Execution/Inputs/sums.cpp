// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums that may be done in any order, of numbers so small that the order does
// not matter: with every count up to some vectors and what is left over, and
// alignments. Sums of halves stay below 2048. Prints what they compute. With
// OWN_SUMS, one function has sums of its own in the accumulators meanwhile.

#include <stdio.h>

#ifdef __IPU__
#include <ipu_builtins.h>
#include <ipudef.h>
#else
using half = _Float16;
#endif

#define KERNEL __attribute__((noinline)) static

constexpr unsigned Size = 72;

/// The sums, of arrays that are said to be aligned for vectors, or not.
template <bool Aligned> struct Sums {
  template <typename T> static const T *place(const T *a) {
    return Aligned ? static_cast<const T *>(__builtin_assume_aligned(a, 8)) : a;
  }

  template <typename T> KERNEL T dot(const T *a, const T *b, unsigned n, T x) {
    a = place(a);
    b = place(b);
    for (unsigned i = 0; i < n; ++i)
      x += a[i] * b[i];
    return x;
  }

  template <typename T> KERNEL T sum(const T *a, const T *, unsigned n, T x) {
    a = place(a);
    for (unsigned i = 0; i < n; ++i)
      x += a[i];
    return x;
  }

  template <typename T>
  KERNEL T magnitudes(const T *a, const T *, unsigned n, T x) {
    a = place(a);
    for (unsigned i = 0; i < n; ++i)
      x += a[i] < 0 ? -a[i] : a[i];
    return x;
  }

  template <typename T> KERNEL T norm(const T *a, const T *, unsigned n, T x) {
    a = place(a);
    for (unsigned i = 0; i < n; ++i)
      x += a[i] * a[i];
    return x;
  }

  template <typename T>
  KERNEL T squares(const T *a, const T *, unsigned n, T x) {
    a = place(a);
    for (unsigned i = 0; i < n; ++i)
      x += (a[i] - 1) * (a[i] - 1);
    return x;
  }

  template <typename T>
  KERNEL T difference(const T *a, const T *b, unsigned n, T x) {
    a = place(a);
    b = place(b);
    for (unsigned i = 0; i < n; ++i)
      x -= a[i] * b[i];
    return x;
  }

  // Two sums in one loop.
  template <typename T> KERNEL T both(const T *a, const T *b, unsigned n, T x) {
    a = place(a);
    b = place(b);
    T y = 0;
    for (unsigned i = 0; i < n; ++i) {
      x += a[i] * b[i];
      y += a[i] * a[i];
    }
    return x - 2 * y;
  }

  template <typename T>
  KERNEL T twice(const T *a, const T *b, unsigned n, T x) {
    a = place(a);
    b = place(b);
    for (unsigned i = 0; i < n; ++i)
      x += a[i] * b[i] + b[i] * b[i];
    return x;
  }

  // One loop after the other, and one inside of another.
  template <typename T> KERNEL T rows(const T *a, const T *b, unsigned n, T x) {
    a = place(a);
    b = place(b);
    T y = 0;
    for (unsigned i = 0; i < n; ++i)
      y += a[i] * b[i];
    for (unsigned j = 0; j < 3; ++j) {
      T row = 0;
      for (unsigned i = 0; i < n; ++i)
        row += a[i];
      x += row * T(j);
    }
    return x + y;
  }

  KERNEL float wideDot(const half *a, const half *b, unsigned n, half x) {
    a = place(a);
    b = place(b);
    float sum = x;
    for (unsigned i = 0; i < n; ++i)
      sum += float(a[i]) * float(b[i]);
    return sum;
  }

  KERNEL float wideSum(const half *a, const half *, unsigned n, half x) {
    a = place(a);
    float sum = x;
    for (unsigned i = 0; i < n; ++i)
      sum += float(a[i]);
    return sum;
  }

  KERNEL float wideMagnitudes(const half *a, const half *, unsigned n, half x) {
    a = place(a);
    float sum = x;
    for (unsigned i = 0; i < n; ++i)
      sum += __builtin_fabsf(float(a[i]));
    return sum;
  }

  KERNEL float wideNorm(const half *a, const half *, unsigned n, half x) {
    a = place(a);
    float sum = x;
    for (unsigned i = 0; i < n; ++i)
      sum += float(a[i]) * float(a[i]);
    return sum;
  }

  KERNEL float wideSquares(const half *a, const half *b, unsigned n, half x) {
    a = place(a);
    b = place(b);
    float sum = x;
    for (unsigned i = 0; i < n; ++i)
      sum += (float(a[i]) - float(b[i])) * (float(a[i]) - float(b[i]));
    return sum;
  }

  KERNEL float mixed(const half *a, const half *b, unsigned n, half x) {
    a = place(a);
    b = place(b);
    static float weights[Size];
    for (unsigned i = 0; i < Size; ++i)
      weights[i] = i % 3;
    float sum = x;
    for (unsigned i = 0; i < n; ++i)
      sum += float(a[i]) * weights[i] + float(b[i]);
    return sum;
  }
};

#ifdef OWN_SUMS
#ifdef __IPU__
KERNEL float interleaved(const float *a, const float *b, unsigned n, float x) {
  __builtin_ipu_uput(8, 1);
  __builtin_ipu_f32v2mac(float2{1, 2}, float2{3, x});
  float sum = Sums<true>::dot(a, b, n, 0.0f);
  float2 own = __builtin_ipu_f32v2gina(float2{0, 0}, 0);
  return sum + own[0] + own[1];
}
#else
KERNEL float interleaved(const float *a, const float *b, unsigned n, float x) {
  return Sums<true>::dot(a, b, n, 0.0f) + 3 + 2 * x;
}
#endif
#endif

alignas(8) static float floats[2][Size];
alignas(8) static half halves[2][Size];

template <typename T> static void fill(T (&arrays)[2][Size]) {
  for (unsigned i = 0; i < Size; ++i) {
    arrays[0][i] = int(i * 7 % 9) - 4;
    arrays[1][i] = int(i * 5 % 7) - 3;
  }
}

template <typename T, typename F>
static void run(const char *name, unsigned step, F kernel,
                T (&arrays)[2][Size]) {
  printf("%s", name);
  for (unsigned n = 0; n <= 17; ++n)
    printf(" %d", int(kernel(arrays[0], arrays[1], n, T(n % 3))));
  for (unsigned offset = 0; offset < 4 * step; offset += step)
    for (unsigned n = 1; n < 60; n += 25)
      printf(" %d", int(kernel(arrays[0] + offset, arrays[1] + offset / 8 * 4,
                               n, T(0))));
  printf("\n");
}

template <bool Aligned, typename T> static void runAll(T (&arrays)[2][Size]) {
  using S = Sums<Aligned>;
  constexpr unsigned Step = Aligned ? 4 : 1;
  run("dot", Step, S::template dot<T>, arrays);
  run("sum", Step, S::template sum<T>, arrays);
  run("magnitudes", Step, S::template magnitudes<T>, arrays);
  run("norm", Step, S::template norm<T>, arrays);
  run("squares", Step, S::template squares<T>, arrays);
  run("difference", Step, S::template difference<T>, arrays);
  run("both", Step, S::template both<T>, arrays);
  run("twice", Step, S::template twice<T>, arrays);
  run("rows", Step, S::template rows<T>, arrays);
}

template <bool Aligned> static void runMixed() {
  using S = Sums<Aligned>;
  constexpr unsigned Step = Aligned ? 4 : 1;
  run("wideDot", Step, S::wideDot, halves);
  run("wideSum", Step, S::wideSum, halves);
  run("wideMagnitudes", Step, S::wideMagnitudes, halves);
  run("wideNorm", Step, S::wideNorm, halves);
  run("wideSquares", Step, S::wideSquares, halves);
  run("mixed", Step, S::mixed, halves);
}

/// True if sums of products of inexact numbers differ from those in double by
/// no more than their number of roundings allows.
template <typename T, typename F>
static bool isNear(F kernel, T (&arrays)[2][Size], double epsilon) {
  for (unsigned i = 0; i < Size; ++i) {
    arrays[0][i] = T(float(int(i * 7 % 9) - 4) / 7);
    arrays[1][i] = T(float(int(i * 5 % 11) + 3) / 13);
  }
  double exact = 0, size = 0;
  for (unsigned n = 0; n <= Size; ++n) {
    double difference = kernel(arrays[0], arrays[1], n, T(0)) - exact;
    if (difference > n * epsilon * size || -difference > n * epsilon * size)
      return false;
    if (n == Size)
      break;
    double product = double(arrays[0][n]) * double(arrays[1][n]);
    exact += product;
    size += product < 0 ? -product : product;
  }
  return true;
}

int main() {
  fill(floats);
  fill(halves);
  runAll<false>(floats);
  runAll<false>(halves);
  runMixed<false>();
  runAll<true>(floats);
  runAll<true>(halves);
  runMixed<true>();
#ifdef OWN_SUMS
  run("interleaved", 4, interleaved, floats);
#endif
  using S = Sums<true>;
  printf("near %d %d %d\n", isNear(S::dot<float>, floats, 0x1p-23),
         isNear(S::dot<half>, halves, 0x1p-10),
         isNear(S::wideDot, halves, 0x1p-23));
}
