/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The gamma functions. newlib's own wrappers keep the sign of a result in a
 * record of its C library that does not exist here, and compute in float what
 * needs more digits; its tgamma, the exponential of lgamma, loses digits where
 * that is large. Here small arguments are moved into [1, 2], where lgamma is
 * small, large ones take Stirling's series, and negative ones the reflection
 *
 *   gamma(-x) = -pi / (x sin(pi x) gamma(x))
 */

#include <math.h>

double __ieee754_lgamma_r(double x, int *sign);

double lgamma(double x) {
  int sign;
  return __ieee754_lgamma_r(x, &sign);
}

/* gamma(x) is the product, of which neither factor overflows. */
struct Factors {
  double a, b;
};

/* sqrt(2 pi) x^(x - 1/2) e^-x e^(1 / 12x - 1 / 360x^3 + ...), where the power
 * is the square of one whose exponent is exact. */
static struct Factors ofLarge(double x) {
  static const double Series[] = {1.0 / 156,   -691.0 / 360360, 1.0 / 1188,
                                  -1.0 / 1680, 1.0 / 1260,      -1.0 / 360,
                                  1.0 / 12};
  const double inverse = 1 / x, square = inverse * inverse;
  double sum = 0;
  for (unsigned i = 0; i != sizeof(Series) / sizeof(*Series); ++i)
    sum = sum * square + Series[i];
  const double root = pow(x, 0.5 * x - 0.25);
  return (struct Factors){
      root, root * exp(-x) * (2.50662827463100050242 * exp(sum * inverse))};
}

static struct Factors ofPositive(double x) {
  if (x >= 10)
    return ofLarge(x);
  double factor = 1;
  for (; x > 2; factor *= x)
    x -= 1;
  int sign;
  if (x < 1)
    return (struct Factors){exp(__ieee754_lgamma_r(x + 1, &sign)), 1 / x};
  return (struct Factors){exp(__ieee754_lgamma_r(x, &sign)), factor};
}

/* sin(pi x) of a positive x that is no integer. */
static double sinOfPi(double x) {
  x -= 2 * floor(x / 2);
  const double quarters = floor(2 * x + 0.5);
  const double angle = M_PI * (x - quarters / 2);
  switch ((int)quarters) {
  case 1:
    return cos(angle);
  case 2:
    return -sin(angle);
  case 3:
    return -cos(angle);
  default:
    return sin(angle);
  }
}

double tgamma(double x) {
  if (isnan(x))
    return x;
  if (fabs(x) < 0x1p-60) /* whose square could vanish */
    return 1 / x;
  if (x < 0) {
    if (floor(x) == x)
      return NAN;
    if (x < -190)
      return copysign(0, -sinOfPi(-x));
    const struct Factors positive = ofPositive(-x);
    return -M_PI / (-x * sinOfPi(-x)) / positive.a / positive.b;
  }
  if (x > 180)
    return INFINITY;
  const struct Factors factors = ofPositive(x);
  return factors.a * factors.b;
}

float lgammaf(float x) { return (float)lgamma(x); }
float tgammaf(float x) { return (float)tgamma(x); }
