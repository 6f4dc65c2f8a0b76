// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over pairs of floats whose loads and stores can be done together: next
// to each other, with strides, backwards, in place, in arrays that overlap.
// Prints what they leave in memory for every count up to some iterations.

#include <stdio.h>

#define KERNEL __attribute__((noinline)) static

typedef float Pair __attribute__((vector_size(8)));

KERNEL void neighbours(Pair *__restrict to, const Pair *__restrict from,
                       unsigned n) {
  for (unsigned i = 0; i < n; ++i)
    to[i] = from[2 * i] - from[2 * i + 1];
}

KERNEL void butterfly(Pair *__restrict to, const Pair *__restrict from,
                      unsigned n) {
  for (unsigned i = 0; i < n; ++i) {
    Pair a = from[2 * i], b = from[2 * i + 1];
    to[2 * i] = a + b;
    to[2 * i + 1] = a - b;
  }
}

KERNEL void inPlace(Pair *to, const Pair *, unsigned n) {
  for (unsigned i = 0; i < n; ++i) {
    Pair a = to[2 * i], b = to[2 * i + 1];
    to[2 * i] = a + b;
    to[2 * i + 1] = a - b;
  }
}

// Later iterations load the results of earlier ones.
KERNEL void forward(Pair *to, const Pair *, unsigned n) {
  for (unsigned i = 0; i < n; ++i)
    to[i + 2] = to[i] + to[i + 1];
}

// Loads may alias stores of earlier iterations, or not.
KERNEL void mayOverlap(Pair *to, const Pair *from, unsigned n) {
  for (unsigned i = 0; i < n; ++i)
    to[i] = from[2 * i] - from[2 * i + 1];
}

KERNEL void overlapping(Pair *to, const Pair *, unsigned n) {
  mayOverlap(to + 5, to, n);
  mayOverlap(to, to + 1, n);
}

KERNEL void reverse(Pair *__restrict to, const Pair *__restrict from,
                    unsigned n) {
  for (unsigned i = 0; i < n; ++i)
    to[n - 1 - i] = from[i] + from[i];
}

KERNEL void strides(Pair *__restrict to, const Pair *__restrict from,
                    unsigned n) {
  for (unsigned i = 0; i < n; ++i)
    to[2 * n - 2 * i] = from[i] + from[3 * i];
}

KERNEL void four(Pair *__restrict to, const Pair *__restrict from, unsigned n) {
  for (unsigned i = 0; i < n; ++i)
    to[i] =
        (from[4 * i] - from[4 * i + 1]) + (from[4 * i + 2] - from[4 * i + 3]);
}

KERNEL void total(Pair *__restrict to, const Pair *__restrict from,
                  unsigned n) {
  Pair a = {0, 0}, b = {0, 0};
  for (unsigned i = 0; i < n; ++i) {
    a += from[2 * i];
    b -= from[2 * i + 1];
  }
  to[0] = a;
  to[1] = b;
}

// The pointers are needed after the loop.
KERNEL void ends(Pair *__restrict to, const Pair *__restrict from, unsigned n) {
  do {
    *to = from[0] - from[1];
    to += 1;
    from += 2;
  } while (n-- > 1);
  to[0] = from[0];
}

constexpr unsigned Size = 80;
static Pair To[Size], From[Size];

static void run(const char *name,
                void (*kernel)(Pair *, const Pair *, unsigned)) {
  printf("%s", name);
  for (unsigned n = 0; n <= 17; ++n) {
    for (unsigned i = 0; i < Size; ++i) {
      To[i] = Pair{float(i), float(i * i % 11)};
      From[i] = Pair{float(i * 7 % 13), float(100 - int(i))};
    }
    kernel(To, From, n);
    unsigned digest = 0;
    for (unsigned i = 0; i < Size; ++i)
      digest = (digest * 31 + int(To[i][0])) * 31 + int(To[i][1]);
    printf(" %x", digest);
  }
  printf("\n");
}

int main() {
  run("neighbours", neighbours);
  run("butterfly", butterfly);
  run("inPlace", inPlace);
  run("forward", forward);
  run("overlapping", overlapping);
  run("reverse", reverse);
  run("strides", strides);
  run("four", four);
  run("total", total);
  run("ends", ends);
}
