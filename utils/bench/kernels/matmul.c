/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A product of matrices of 48 x 48 floats as it is defined, ROUNDS times. */
#include <stdio.h>

static float a[48][48], b[48][48], c[48][48];

int main(void) {
  for (int i = 0; i != 48; ++i)
    for (int j = 0; j != 48; ++j) {
      a[i][j] = (float)(i - j);
      b[i][j] = (float)(i + j) / 64;
    }
  for (int round = 0; round != ROUNDS; ++round) {
    for (int i = 0; i != 48; ++i)
      for (int j = 0; j != 48; ++j) {
        float sum = 0;
        for (int k = 0; k != 48; ++k)
          sum += a[i][k] * b[k][j];
        c[i][j] = sum;
      }
    a[round % 48][0] = c[0][round % 48];
  }
  printf("%d\n", (int)c[3][4]);
  return 0;
}
