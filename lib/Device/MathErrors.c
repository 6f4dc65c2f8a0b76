/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What newlib's mathematical functions expect of the rest of newlib: results for
 * arguments outside of a function's domain, and errno, which every tile has to
 * itself.
 */

double __math_oflow(unsigned sign) {
  return sign ? -__builtin_inf() : __builtin_inf();
}

double __math_divzero(unsigned sign) {
  return sign ? -__builtin_inf() : __builtin_inf();
}

double __math_invalid(double x) {
  (void)x;
  return __builtin_nan("");
}

float __math_oflowf(unsigned sign) {
  return sign ? -__builtin_inff() : __builtin_inff();
}

float __math_divzerof(unsigned sign) {
  return sign ? -__builtin_inff() : __builtin_inff();
}

float __math_invalidf(float x) {
  (void)x;
  return __builtin_nanf("");
}

static int errorNumber;
int *__errno(void) { return &errorNumber; }
