/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Scalar integer code: a CRC by table over 4 KiB, ROUNDS times. */
#include <stdio.h>

static unsigned table[256];
static unsigned char data[4096];

int main(void) {
  unsigned crc = 0xffffffff;
  for (unsigned i = 0; i != 256; ++i) {
    unsigned c = i;
    for (int k = 0; k != 8; ++k)
      c = c & 1 ? 0xedb88320 ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  for (unsigned i = 0; i != sizeof(data); ++i)
    data[i] = (unsigned char)(i * 7 + (i >> 5));
  for (int round = 0; round != ROUNDS; ++round)
    for (unsigned i = 0; i != sizeof(data); ++i)
      crc = table[(crc ^ data[i]) & 255] ^ (crc >> 8);
  printf("%08x\n", crc);
  return 0;
}
