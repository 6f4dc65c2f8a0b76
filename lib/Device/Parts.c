/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A number's whole part and its fraction. newlib's functions lose a NaN.
 */

#include <math.h>

double modf(double x, double *whole) {
  *whole = trunc(x);
  return copysign(isinf(x) ? 0 : x - *whole, x);
}

float modff(float x, float *whole) {
  *whole = truncf(x);
  return copysignf(isinf(x) ? 0 : x - *whole, x);
}
