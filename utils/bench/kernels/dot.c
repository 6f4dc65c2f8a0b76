/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scalar products of 2,000 floats, ROUNDS times. */
#include <stdio.h>

static float x[2000], y[2000];

int main(void) {
  float sum = 0;
  for (int i = 0; i != 2000; ++i) {
    x[i] = (float)(i % 17);
    y[i] = (float)(i % 5) - 2;
  }
  for (int round = 0; round != ROUNDS; ++round) {
    float part = 0;
    for (int i = 0; i != 2000; ++i)
      part += x[i] * y[i];
    sum = 0.5f * sum + part;
    x[round % 2000] += 1;
  }
  printf("%d\n", (int)sum);
  return 0;
}
