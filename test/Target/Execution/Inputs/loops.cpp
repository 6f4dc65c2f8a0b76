// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of every kind that become hardware loops, with counts from none to more
// than `rpt` can count. Prints what they compute.

#include <stdio.h>

#define KERNEL __attribute__((noinline)) static

KERNEL float dot(const float *a, const float *b, unsigned n) {
  float sum = 0;
  for (unsigned i = 0; i < n; ++i)
    sum += a[i] * b[i];
  return sum;
}

KERNEL float sum(const float *a, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += a[i];
  return sum;
}

KERNEL void saxpy(float *__restrict y, const float *__restrict x, float a,
                  unsigned n) {
  for (unsigned i = 0; i < n; ++i)
    y[i] += a * x[i];
}

// In place, and so that an iteration needs the one before if the two overlap.
KERNEL void relu(float *y, unsigned n) {
  for (unsigned i = 0; i < n; ++i)
    y[i] = y[i] > 0 ? y[i] : 0;
}

KERNEL void scaleTo(float *y, const float *x, unsigned n) {
  for (unsigned i = 0; i < n; ++i)
    y[i] = x[i] * 0.5f;
}

KERNEL void chain(unsigned *a, unsigned n) {
  for (unsigned i = 1; i < n; ++i)
    a[i] = a[i - 1] * 3 + 1;
}

KERNEL void backwards(unsigned *a, unsigned n) {
  for (unsigned i = n; i-- > 1;)
    a[i] = a[i - 1] + i;
}

KERNEL int bytes(const signed char *p, const signed char *q, unsigned n) {
  int sum = 0;
  for (unsigned i = 0; i < n; ++i)
    sum += p[i] * q[i];
  return sum;
}

KERNEL void shortCount(int *__restrict y, const float *__restrict x,
                       unsigned short n) {
  for (unsigned i = 0; i < n; ++i)
    y[i] = x[i];
}

KERNEL float constantCount(const float *a) {
  float sum = 0;
  for (unsigned i = 0; i < 37; ++i)
    sum += a[i] * a[i] * a[i];
  return sum;
}

KERNEL unsigned random(unsigned n) {
  unsigned x = 1;
  for (unsigned i = 0; i < n; ++i)
    x = x * 1664525u + 1013904223u;
  return x;
}

template <unsigned N> KERNEL unsigned constantly(unsigned x) {
  for (unsigned i = 0; i < N; ++i)
    x = x * 1664525u + 1013904223u;
  return x;
}

KERNEL unsigned triangle(unsigned n) {
  unsigned sum = 0;
  for (unsigned i = 0; i < n; ++i)
    for (unsigned j = 0; j <= i; ++j)
      sum = sum * 5 + (i ^ j);
  return sum;
}

// Strides that only the program knows.
KERNEL float column(const float *a, unsigned n, int stride) {
  float sum = 0;
  for (unsigned i = 0; i < n; ++i, a += stride)
    sum += *a;
  return sum;
}

KERNEL void gather(int *__restrict to, const int *from, unsigned n,
                   int stride) {
  for (unsigned i = 0; i < n; ++i)
    to[i] = from[int(i) * stride];
}

KERNEL void spread(float *to, const float *from, unsigned n, int stride) {
  for (unsigned i = 0; i < n; ++i)
    to[int(i) * stride] = from[i];
}

KERNEL int narrow(const short *a, const signed char *b, unsigned n,
                  int stride) {
  int sum = 0;
  for (unsigned i = 0; i < n; ++i)
    sum += a[int(i) * stride] * b[int(i) * stride];
  return sum;
}

// The pointer is needed after the loop.
KERNEL float last(const float *a, unsigned n, int stride) {
  float sum = 0;
  for (unsigned i = 0; i < n; ++i, a += stride)
    sum += *a;
  return sum + *a;
}

const unsigned Size = 300;
float A[Size], B[Size];
int I[Size];
unsigned U[Size];
signed char C[Size], D[Size];

static void fill() {
  for (int i = 0; i < int(Size); ++i) {
    A[i] = i - 7;
    B[i] = 3 - i;
    I[i] = i;
    U[i] = i * i;
    C[i] = i * 7;
    D[i] = i * 3 - 5;
  }
}

static unsigned digest() {
  unsigned h = 0;
  for (unsigned i = 0; i < Size; ++i)
    h = h * 31 + I[i] + int(A[i]) * 3 + int(B[i] * 8) + U[i] * 7;
  return h;
}

static void small(unsigned n) {
  fill();
  printf("%u: %d %d %d %d %x\n", n, int(dot(A, B, n)), int(sum(A, n)),
         int(constantCount(A)), bytes(C, D, n), triangle(n % 20));
  shortCount(I, A, n);
  chain(U, n);
  printf("%x ", digest());
  saxpy(A, B, 2, n);
  relu(B, n);
  printf("%x ", digest());
  scaleTo(B, A, n);
  backwards(U, n);
  printf("%x ", digest());
  // Overlapping arrays.
  scaleTo(A + 1, A, n < Size ? n : Size - 1);
  scaleTo(B, B + 1, n < Size ? n : Size - 1);
  printf("%x\n", digest());
}

static void strided(unsigned n) {
  static short shorts[Size];
  for (unsigned i = 0; i < Size; ++i)
    shorts[i] = i * 37 % 101;
  const int strides[] = {1, 2, 5, 16, 0, -1, -3};
  for (int stride : strides) {
    fill();
    unsigned start = stride < 0 ? 100 : 0;
    printf("%u %d: %d %d %d ", n, stride, int(column(A + start, n, stride)),
           int(last(B + start, n, stride)),
           narrow(shorts + start, C + start, n, stride));
    gather(I, (const int *)U + start, n, stride);
    spread(A + start, B, n, stride);
    printf("%x\n", digest());
  }
}

int main() {
  for (unsigned n = 0; n <= 9; ++n)
    strided(n);
  const unsigned few[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 100, 299, 300};
  for (unsigned n : few)
    small(n);
  const unsigned many[] = {0,      1,      2,      3,      4094,   4095,  4096,
                           4097,   8191,   8192,   8193,   32767,  32768, 32769,
                           65534,  65535,  65536,  65537,  98303,  98304, 98305,
                           131071, 131072, 131073, 200000, 1000000};
  for (unsigned n : many)
    printf("%u: %x\n", n, random(n));
  printf("%x %x %x %x %x\n", constantly<4095>(1), constantly<4096>(1),
         constantly<5000>(1), constantly<65535>(1), constantly<70000>(1));
}
