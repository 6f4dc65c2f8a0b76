// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Multiples of one vector added to another, for every count up to some
// iterations: numbers so small that no rounding matters, in place and not, with
// other work in the loop, one loop after the other and inside of another; and
// numbers that have to be rounded, which come near enough.

#include <stdio.h>

#define KERNEL __attribute__((noinline)) static

#ifdef __IPU__
#include <ipu_builtins.h>
#include <ipudef.h>
#endif

constexpr unsigned Size = 72;

static float *aligned(float *a) {
  return static_cast<float *>(__builtin_assume_aligned(a, 8));
}

struct Arrays {
  float *__restrict to;
  float *__restrict x;
  float *__restrict y;
};

KERNEL void inPlace(Arrays a, float s, unsigned n) {
  float *to = aligned(a.to), *x = aligned(a.x);
  for (unsigned i = 0; i < n; ++i)
    to[i] += s * x[i];
}

KERNEL void three(Arrays a, float s, unsigned n) {
  float *to = aligned(a.to), *x = aligned(a.x), *y = aligned(a.y);
  for (unsigned i = 0; i < n; ++i)
    to[i] = s * x[i] + y[i];
}

KERNEL void difference(Arrays a, float s, unsigned n) {
  float *to = aligned(a.to), *x = aligned(a.x), *y = aligned(a.y);
  for (unsigned i = 0; i < n; ++i)
    to[i] = y[i] - s * x[i];
}

KERNEL void constant(Arrays a, float, unsigned n) {
  float *to = aligned(a.to), *x = aligned(a.x);
  for (unsigned i = 0; i < n; ++i)
    to[i] = 3 * x[i] - 7;
}

KERNEL void more(Arrays a, float s, unsigned n) {
  float *to = aligned(a.to), *x = aligned(a.x), *y = aligned(a.y);
  for (unsigned i = 0; i < n; ++i) {
    float z = y[i] + s * x[i];
    to[i] = z * z - x[i];
    y[i] = z;
  }
}

// Two sums, and one that the next iteration waits for.
KERNEL void both(Arrays a, float s, unsigned n) {
  float *to = aligned(a.to), *x = aligned(a.x), *y = aligned(a.y);
  for (unsigned i = 0; i < n; ++i) {
    to[i] = y[i] + s * x[i];
    y[i] = x[i] + s * y[i];
  }
}

KERNEL void horner(Arrays a, float s, unsigned n) {
  typedef float Pair __attribute__((vector_size(8)));
  Pair *to = reinterpret_cast<Pair *>(a.to), *x = reinterpret_cast<Pair *>(a.x);
  Pair sum = {0, 1};
  for (unsigned i = 0; i < n / 2; ++i)
    sum = x[i] - s * 0.5f * sum;
  to[0] = sum;
}

KERNEL void rows(Arrays a, float s, unsigned n) {
  float *to = aligned(a.to), *x = aligned(a.x), *y = aligned(a.y);
  for (unsigned j = 0; j < 3; ++j) {
    for (unsigned i = 0; i < n; ++i)
      to[i] += (s + j) * x[i];
    for (unsigned i = 0; i < n; ++i)
      to[i] = y[i] - s * to[i];
  }
}

#ifdef OWN_SUMS
#ifdef __IPU__
KERNEL void interleaved(Arrays a, float s, unsigned n) {
  __builtin_ipu_uput(8, 1);
  __builtin_ipu_f32v2mac(float2{1, 2}, float2{3, s});
  inPlace(a, s, n);
  float2 own = __builtin_ipu_f32v2gina(float2{0, 0}, 0);
  a.to[0] += own[0] + own[1];
}
#else
KERNEL void interleaved(Arrays a, float s, unsigned n) {
  inPlace(a, s, n);
  a.to[0] += 3 + 2 * s;
}
#endif
#endif

alignas(8) static float To[Size], X[Size], Y[Size];

static void fill(float scale) {
  for (unsigned i = 0; i < Size; ++i) {
    To[i] = (int(i * 7 % 9) - 4) * scale;
    X[i] = (int(i * 5 % 7) - 3) * scale;
    Y[i] = (int(i * 3 % 11) - 5) * scale;
  }
}

static void run(const char *name, void (*kernel)(Arrays, float, unsigned)) {
  printf("%s", name);
  for (unsigned offset = 0; offset < 4; offset += 2)
    for (unsigned n = 0; n <= 17; ++n) {
      fill(1);
      kernel({To + offset, X, Y + 2 * offset}, 2 - int(n % 5), n);
      unsigned digest = 0;
      for (unsigned i = 0; i < Size; ++i)
        digest = (digest * 31 + int(To[i])) * 31 + int(Y[i]);
      printf(" %x", digest);
    }
  printf("\n");
}

/// True if each element differs from the exact one by at most the rounding of a
/// product and of a sum.
static bool isNear(float s) {
  fill(1.0f / 7);
  three({To, X, Y}, s, Size);
  for (unsigned i = 0; i < Size; ++i) {
    double product = double(s) * X[i], exact = product + Y[i];
    double error = To[i] - exact;
    double most = 0x1p-24 * ((product < 0 ? -product : product) +
                             (exact < 0 ? -exact : exact));
    if (error > most || -error > most)
      return false;
  }
  return true;
}

int main() {
  run("inPlace", inPlace);
  run("three", three);
  run("difference", difference);
  run("constant", constant);
  run("more", more);
  run("both", both);
  run("horner", horner);
  run("rows", rows);
#ifdef OWN_SUMS
  run("interleaved", interleaved);
#endif
  printf("near %d %d\n", isNear(1.0f / 3), isNear(-1.1f));
}
