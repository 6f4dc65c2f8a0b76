/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Quarters of a turn in large floats, which sin, cos and tan begin with: x = n
 * * pi / 2 + r with |r| <= pi / 4. newlib does it in float and loses digits
 * where r is small (cos of -9094240 was wrong in the fifth one); so this takes
 * the place of the function that its ef_rem_pio2.c calls for arguments of more
 * than 128 quarters. It works with integers:
 *
 *   x * 2 / pi = m * 2^e * 0.a2f9836e4e44...,   m an integer of 24 bits
 *
 * Only the digits of 2 / pi count that make less than four quarters of m, and
 * of these the first 64: what is left of x is 2^-30 of a quarter at least, for
 * no float is nearer to a multiple of pi / 2.
 */

typedef unsigned U32;
typedef unsigned long long U64;

/* 2 / pi, after 32 zeros for arguments whose digits begin in front of it. */
static const U32 TwoOverPi[] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};
/* pi / 2 in units of 2^-31 */
static const U32 HalfPi = 0xc90fdaa2;

/* 32 digits of 2 / pi from a place on; place 32 is the first behind the point.
 */
static U32 digitsAt(int place) {
  const U32 *word = TwoOverPi + place / 32;
  const int shift = place % 32;
  return shift == 0 ? word[0] : word[0] << shift | word[1] >> (32 - shift);
}

/* 2^exponent */
static float powerOfTwo(int exponent) {
  return __builtin_bit_cast(float, (U32)(exponent + 127) << 23);
}

/* x * pi / 2 * 2^-62, as a float and what is missing. */
static void toAngle(U64 x, float result[2]) {
  const int zeros = x == 0 ? 0 : __builtin_clzll(x);
  const U32 angle = (U32)((U64)(U32)(x << zeros >> 32) * HalfPi >> 32);
  const float unit = powerOfTwo(-29 - zeros), rounded = (float)angle;
  result[0] = rounded * unit;
  result[1] = (float)(int)(angle - (U32)rounded) * unit;
}

/* `x` has `count` digits of base 256, the first worth 2^exponent; the number of
 * quarters, modulo 8, is returned. The precision is always the same, and the
 * table our own. */
int __kernel_rem_pio2f(float *x, float *remainder, int exponent, int count,
                       int precision, const int *table) {
  (void)precision;
  (void)table;
  U32 m = 0;
  for (int i = 0; i != 3; ++i)
    m = m << 8 | (i < count ? (U32)x[i] : 0);
  /* m * 2^(exponent - 16): the digit that is worth two quarters of m is the
   * first. */
  const int first = exponent + 14;
  const U64 turn = ((U64)(m * digitsAt(first)) << 32) +
                   (U64)m * digitsAt(first + 32) +
                   ((U64)m * digitsAt(first + 64) >> 32);
  /* In units of 2^-62 quarters; to the nearest number of them. */
  const U32 quarters = (U32)((turn + (1ull << 61)) >> 62);
  const long long rest = (long long)(turn - ((U64)quarters << 62));
  toAngle(rest < 0 ? 0 - (U64)rest : (U64)rest, remainder);
  if (rest < 0) {
    remainder[0] = -remainder[0];
    remainder[1] = -remainder[1];
  }
  return (int)quarters;
}
