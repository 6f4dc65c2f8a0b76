// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -*- C++ -*-
//
// libc++'s <math.h>, and its functions for halves: without them `std::sqrt(h)`
// could mean three functions. What the tile has no instruction for is computed
// as float and rounded once. <cmath> brings these names into namespace std.

#ifndef POPULUS_INCLUDE_MATH_H
#define POPULUS_INCLUDE_MATH_H

#include_next <math.h>

#ifdef __cplusplus

#define POPULUS_HALF inline __attribute__((always_inline))

#define POPULUS_HALF_LANE(NAME, BUILTIN)                                       \
  POPULUS_HALF __fp16 NAME(__fp16 x) {                                         \
    return __builtin_elementwise_##BUILTIN(x);                                 \
  }
POPULUS_HALF_LANE(abs, abs)
POPULUS_HALF_LANE(fabs, abs)
POPULUS_HALF_LANE(sqrt, sqrt)
POPULUS_HALF_LANE(exp, exp)
POPULUS_HALF_LANE(exp2, exp2)
POPULUS_HALF_LANE(log, log)
POPULUS_HALF_LANE(log2, log2)
POPULUS_HALF_LANE(log10, log10)
POPULUS_HALF_LANE(tanh, tanh)
POPULUS_HALF_LANE(sin, sin)
POPULUS_HALF_LANE(cos, cos)
POPULUS_HALF_LANE(tan, tan)
POPULUS_HALF_LANE(floor, floor)
POPULUS_HALF_LANE(ceil, ceil)
POPULUS_HALF_LANE(trunc, trunc)
POPULUS_HALF_LANE(rint, rint)
POPULUS_HALF_LANE(nearbyint, nearbyint)
POPULUS_HALF_LANE(round, round)
#undef POPULUS_HALF_LANE

#define POPULUS_HALF_UNARY(NAME)                                               \
  POPULUS_HALF __fp16 NAME(__fp16 x) {                                         \
    return static_cast<__fp16>(__builtin_##NAME##f(x));                        \
  }
POPULUS_HALF_UNARY(acos)
POPULUS_HALF_UNARY(acosh)
POPULUS_HALF_UNARY(asin)
POPULUS_HALF_UNARY(asinh)
POPULUS_HALF_UNARY(atan)
POPULUS_HALF_UNARY(atanh)
POPULUS_HALF_UNARY(cbrt)
POPULUS_HALF_UNARY(cosh)
POPULUS_HALF_UNARY(erf)
POPULUS_HALF_UNARY(erfc)
POPULUS_HALF_UNARY(expm1)
POPULUS_HALF_UNARY(lgamma)
POPULUS_HALF_UNARY(log1p)
POPULUS_HALF_UNARY(logb)
POPULUS_HALF_UNARY(sinh)
POPULUS_HALF_UNARY(tgamma)
#undef POPULUS_HALF_UNARY

// With a float, or a number that is no half, the function of floats is meant.
#define POPULUS_HALF_BINARY(NAME)                                              \
  POPULUS_HALF __fp16 NAME(__fp16 x, __fp16 y) {                               \
    return static_cast<__fp16>(__builtin_##NAME##f(x, y));                     \
  }                                                                            \
  POPULUS_HALF float NAME(__fp16 x, float y) {                                 \
    return __builtin_##NAME##f(x, y);                                          \
  }                                                                            \
  POPULUS_HALF float NAME(float x, __fp16 y) {                                 \
    return __builtin_##NAME##f(x, y);                                          \
  }
POPULUS_HALF_BINARY(atan2)
POPULUS_HALF_BINARY(copysign)
POPULUS_HALF_BINARY(fdim)
POPULUS_HALF_BINARY(fmax)
POPULUS_HALF_BINARY(fmin)
POPULUS_HALF_BINARY(fmod)
POPULUS_HALF_BINARY(hypot)
POPULUS_HALF_BINARY(pow)
POPULUS_HALF_BINARY(remainder)
#undef POPULUS_HALF_BINARY

POPULUS_HALF __fp16 fma(__fp16 x, __fp16 y, __fp16 z) {
  return __builtin_elementwise_fma(x, y, z);
}
POPULUS_HALF __fp16 ldexp(__fp16 x, int power) {
  return static_cast<__fp16>(__builtin_ldexpf(x, power));
}
POPULUS_HALF int ilogb(__fp16 x) { return __builtin_ilogbf(x); }
POPULUS_HALF long lrint(__fp16 x) { return __builtin_lrintf(x); }
POPULUS_HALF long lround(__fp16 x) { return __builtin_lroundf(x); }

#define POPULUS_HALF_TEST(NAME)                                                \
  POPULUS_HALF bool NAME(__fp16 x) {                                           \
    return __builtin_##NAME(static_cast<float>(x));                            \
  }
POPULUS_HALF_TEST(isfinite)
POPULUS_HALF_TEST(isinf)
POPULUS_HALF_TEST(isnan)
POPULUS_HALF_TEST(signbit)
#undef POPULUS_HALF_TEST

#undef POPULUS_HALF

#endif

#endif
