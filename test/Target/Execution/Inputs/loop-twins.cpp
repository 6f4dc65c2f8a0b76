// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of which the compiler makes two, with what each of them is for and what
// lies at the edge: tables that are written or touch what is written, rows at
// all places of an aligned matrix. Prints what they leave in memory.

#include <stdint.h>
#include <stdio.h>

#define KERNEL __attribute__((noinline)) static

KERNEL void lookUp(uint8_t *out, const uint8_t *in, const uint8_t *table,
                   unsigned n) {
  uint8_t *to = (uint8_t *)__builtin_assume_aligned(out, 4);
  for (unsigned i = 0; i != n; ++i)
    to[i] = table[in[i]];
}

KERNEL void lookUpShorts(uint16_t *out, const uint8_t *in,
                         const uint16_t *table, unsigned n) {
  uint16_t *to = (uint16_t *)__builtin_assume_aligned(out, 4);
  for (unsigned i = 0; i != n; ++i)
    to[i] = table[in[i]] + 1;
}

KERNEL void twoTables(uint8_t *out, const uint8_t *in, const uint8_t *first,
                      const uint8_t *second, unsigned n) {
  uint8_t *to = (uint8_t *)__builtin_assume_aligned(out, 4);
  for (unsigned i = 0; i < n; ++i)
    to[i] = first[in[i]] ^ second[in[i] >> 2];
}

KERNEL float product(const float *matrix, unsigned row, unsigned column,
                     unsigned k) {
#pragma clang fp reassociate(on)
  const float *a = (const float *)__builtin_assume_aligned(matrix, 8);
  float sum = 0;
  for (unsigned i = 0; i != k; ++i)
    sum += a[row * k + i] * a[column * k + i];
  return sum;
}

KERNEL void scaleRow(float *out, const float *in, unsigned row, unsigned k) {
  float *__restrict to = (float *)__builtin_assume_aligned(out, 8);
  const float *from = (const float *)__builtin_assume_aligned(in, 8);
  for (unsigned i = 0; i != k; ++i)
    to[row * k + i] = from[row * k + i] * 3;
}

// The table's place beside the output's end and start, in and around it.
static const unsigned Counts[] = {0, 1, 3, 4, 7, 64, 129};
alignas(8) static uint8_t memory[1024];
static void overlaps() {
  for (int table = 0; table <= 600; table += 1 + table % 3 * 31)
    for (unsigned n : Counts) {
      uint32_t seed = table * 77 + n, sum = 0;
      for (uint8_t &b : memory)
        b = (seed = seed * 1664525 + 1013904223) >> 24;
      lookUp(memory + 256, memory + 512 - table % 5, memory + table, n);
      lookUpShorts((uint16_t *)(memory + 128), memory + 256,
                   (uint16_t *)(memory + table / 4 * 2), n);
      twoTables(memory + 512, memory + 700, memory + table,
                memory + 512 - table % 257, n);
      for (uint8_t b : memory)
        sum = sum * 31 + b;
      printf("%d %u: %08x\n", table, n, sum);
    }
}

alignas(8) static float matrix[256], result[256];
static void rows() {
  for (unsigned k = 0; k != 20; ++k)
    for (unsigned row = 0; row != 5; ++row) {
      for (unsigned i = 0; i != 256; ++i) {
        matrix[i] = (int)(i * 7 % 31) - 15;
        result[i] = 0;
      }
      scaleRow(result, matrix, row, k);
      float sum = 0;
      for (unsigned i = 0; i != 256; ++i)
        sum = sum * 0.5f + result[i];
      printf("%u %u: %g %g\n", k, row, (double)product(matrix, row, 3, k),
             (double)sum);
    }
}

int main() {
  overlaps();
  rows();
}
