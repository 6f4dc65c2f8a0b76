/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* y += a * x over 2,000 floats, ROUNDS times. */
#include <stdio.h>

static float x[2000], y[2000];

int main(void) {
  float a = 0.25f;
  for (int i = 0; i != 2000; ++i)
    x[i] = (float)(i % 17) - 8;
  for (int round = 0; round != ROUNDS; ++round) {
    for (int i = 0; i != 2000; ++i)
      y[i] += a * x[i];
    a = -a;
  }
  printf("%d\n", (int)y[5]);
  return 0;
}
