// See whole-powers.test.

#include <math.h>
#include <stdio.h>

#define NOINLINE __attribute__((noinline))

NOINLINE static bool product(long long a, long long b, long long *result) {
  return __builtin_mul_overflow(a, b, result);
}
NOINLINE static float power(float x, int n) { return __builtin_powif(x, n); }
NOINLINE static double power(double x, int n) { return __builtin_powi(x, n); }
NOINLINE static float fastPower(float x, int n) {
  return powf(x, static_cast<float>(n));
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
                              -least / 2,
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
}
