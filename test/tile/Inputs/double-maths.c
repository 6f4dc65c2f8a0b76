// Mathematical functions of doubles: names, arguments and the bits of results, for a
// comparison with another machine.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static volatile double values[] = {
    0.5, 1.75,  -2.25,    1e10, 1e-10, 0.0, -0.0, 123.456,
    3.5, -0.75, INFINITY, NAN,  2.0,   7.0, -3.0, 1e300};
enum { Count = sizeof(values) / sizeof(*values) };

static void print(const char *function, int i, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof(bits));
  if (isnan(value))
    printf("%s %d nan\n", function, i);
  else
    printf("%s %d %016" PRIx64 "\n", function, i, bits);
}

#define UNARY(F)                                                               \
  for (int i = 0; i != Count; ++i)                                             \
    print(#F, i, F(values[i]));
#define BINARY(F)                                                              \
  for (int i = 0; i != Count; ++i)                                             \
    print(#F, i, F(values[i], values[(i * 5 + 3) % Count]));

int main(void) {
  UNARY(sqrt) UNARY(cbrt) UNARY(exp) UNARY(exp2) UNARY(expm1)
  UNARY(log) UNARY(log2) UNARY(log10) UNARY(log1p)
  UNARY(sin) UNARY(cos) UNARY(tan) UNARY(asin) UNARY(acos) UNARY(atan)
  UNARY(sinh) UNARY(cosh) UNARY(tanh) UNARY(asinh) UNARY(acosh) UNARY(atanh)
  UNARY(erf) UNARY(erfc) UNARY(lgamma) UNARY(tgamma) UNARY(floor) UNARY(ceil) UNARY(trunc)
  UNARY(round) UNARY(rint) UNARY(nearbyint) UNARY(fabs) UNARY(logb)
  BINARY(pow) BINARY(atan2) BINARY(hypot) BINARY(fmod) BINARY(remainder)
  BINARY(fmax) BINARY(fmin) BINARY(fdim) BINARY(copysign) BINARY(nextafter)
  for (int i = 0; i != Count; ++i) {
    int exponent;
    double whole;
    print("frexp", i, frexp(values[i], &exponent));
    print("modf", i, modf(values[i], &whole));
    print("whole", i, whole);
    float part, wholeFloat = 0;
    part = modff((float)values[i], &wholeFloat);
    print("modff", i, part);
    print("whole", i, wholeFloat);
    print("ldexp", i, ldexp(values[i], i - 8));
    const double y = values[(i * 5 + 3) % Count], z = values[(i * 3 + 1) % Count];
    print("fma", i, fma(values[i], y, z));
    print("fmal", i, (double)fmal(values[i], y, -values[i] * y));
    print("fmaf", i, fmaf((float)values[i], (float)y, (float)z));
    print("powl", i, (double)powl(values[i], 2.5L));
    if (fabs(values[i]) < 1e9)
      printf("%ld %lld %ld %lld\n", lround(values[i]), llround(values[i]),
             lrint(values[i]), llrint(values[i]));
  }
  // Not in the last place: the logarithm is rounded in between.
  printf("%.3f %.5f %.4f %.3f\n", tgamma(7), tgamma(-2.25), tgammaf(3.5f),
         lgammaf(123.456f));
  printf("%" PRIdMAX " %" PRIdMAX "\n", imaxabs(-5), strtoimax("-77", 0, 10));
  return 0;
}
