// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Powers with whole exponents, which __builtin_powi is, and with -ffast-math
// any pow of a converted integer: by squaring, each product rounded.

namespace {

template <typename T> T power(T x, int exponent) {
  unsigned rest = exponent < 0 ? -static_cast<unsigned>(exponent)
                               : static_cast<unsigned>(exponent);
  T result = 1;
  for (; rest != 0; rest >>= 1, x *= x)
    if (rest & 1)
      result *= x;
  return exponent < 0 ? 1 / result : result;
}

} // namespace

extern "C" {

float __powisf2(float x, int exponent) { return power(x, exponent); }
double __powidf2(double x, int exponent) { return power(x, exponent); }
}
