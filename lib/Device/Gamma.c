/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The gamma functions. newlib's own wrappers keep the sign of a result in a
 * record of its C library that does not exist here, and compute in float what
 * needs more digits.
 */

#include <math.h>

double __ieee754_lgamma_r(double x, int *sign);

double lgamma(double x) {
  int sign;
  return __ieee754_lgamma_r(x, &sign);
}

double tgamma(double x) {
  if (x == 0)
    return 1 / x;
  if (x < 0 && floor(x) == x)
    return NAN;
  int sign;
  const double logarithm = __ieee754_lgamma_r(x, &sign);
  return sign < 0 ? -exp(logarithm) : exp(logarithm);
}

float lgammaf(float x) { return (float)lgamma(x); }
float tgammaf(float x) { return (float)tgamma(x); }
