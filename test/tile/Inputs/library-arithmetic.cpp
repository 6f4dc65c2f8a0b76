// See library-arithmetic.test.

#include <initializer_list>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define NOINLINE __attribute__((noinline))

NOINLINE static bool product(long long a, long long b, long long *result) {
  return __builtin_mul_overflow(a, b, result);
}
NOINLINE static float power(float x, int n) { return __builtin_powif(x, n); }
NOINLINE static double power(double x, int n) { return __builtin_powi(x, n); }
NOINLINE static float fastPower(float x, int n) {
  return powf(x, static_cast<float>(n));
}

// Without constants, and as bits where the host's type is another.
NOINLINE static long long whole(_Float16 x) {
  return static_cast<long long>(x);
}
NOINLINE static unsigned long long natural(_Float16 x) {
  return static_cast<unsigned long long>(x);
}
NOINLINE static _Float16 half(long long x) { return static_cast<_Float16>(x); }
NOINLINE static _Float16 half(unsigned long long x) {
  return static_cast<_Float16>(x);
}

int main() {
  const long long least = -0x7fffffffffffffffll - 1;
  const long long values[] = {0,
                              1,
                              -1,
                              3,
                              -7,
                              1ll << 31,
                              1ll << 32,
                              -(1ll << 32),
                              3037000499,
                              3037000500,
                              -3037000500,
                              0x100000001,
                              least,
                              least + 1,
                              -(least / 2),
                              least / 2,
                              -(least + 1),
                              0x123456789abcdef};
  for (long long a : values)
    for (long long b : values) {
      long long result;
      const bool overflows = product(a, b, &result);
      printf("%d %lld\n", overflows, result);
    }
  for (int n = -5; n != 12; ++n)
    printf("%.9g %.17g %.9g\n", power(1.5f, n), power(-2.5, n),
           fastPower(0.5f, n));

  // A tile saturates half overflow to the largest value (docs/machine.md).
  for (long long x : {0ll, 1ll, -1ll, 2047ll, 2049ll, 2051ll, -4099ll, 65504ll,
                      65519ll, -65519ll, 60000ll}) {
    printf("%g ", static_cast<float>(half(x)));
    if (x >= 0)
      printf("%g ",
             static_cast<float>(half(static_cast<unsigned long long>(x))));
  }
  for (float x : {0.0f, -0.5f, 1.75f, -3.999f, 2049.0f, 65504.0f, -65504.0f}) {
    const _Float16 narrow = static_cast<_Float16>(x);
    printf("%lld ", whole(narrow));
    if (x >= 0)
      printf("%llu ", natural(narrow));
  }
  char text[8];
  printf("%d %d %s\n", static_cast<int>(stpcpy(text, "tile") - text),
         bcmp(text, "till", 3) == 0 && bcmp(text, "till", 4) != 0, text);
}
