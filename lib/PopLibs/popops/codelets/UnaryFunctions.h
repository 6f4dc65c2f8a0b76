// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the unary operations on one element, for tile and host. Halves
// are computed in float.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_CODELETS_UNARYFUNCTIONS_H
#define POPULUS_LIB_POPLIBS_POPOPS_CODELETS_UNARYFUNCTIONS_H

#include "Blocks.h"
#include "Order.h"

#include <popops/ExprOp.hpp>

namespace popops {

/// The type that an operation on T results in.
template <expr::UnaryOpType Op, class T> struct UnaryResult {
  using Type = T;
};
template <class T> struct UnaryResult<expr::UnaryOpType::IS_FINITE, T> {
  using Type = bool;
};
template <class T> struct UnaryResult<expr::UnaryOpType::IS_INF, T> {
  using Type = bool;
};
template <class T> struct UnaryResult<expr::UnaryOpType::IS_NAN, T> {
  using Type = bool;
};

template <expr::UnaryOpType Op> inline auto unaryFloat(float x) {
  using enum expr::UnaryOpType;
  if constexpr (Op == ABSOLUTE)
    return __builtin_fabsf(x);
  else if constexpr (Op == ASIN)
    return __builtin_asinf(x);
  else if constexpr (Op == CBRT)
    return __builtin_cbrtf(x);
  else if constexpr (Op == CEIL)
    return __builtin_ceilf(x);
  else if constexpr (Op == COS)
    return __builtin_cosf(x);
  else if constexpr (Op == ERF)
    return __builtin_erff(x);
  else if constexpr (Op == EXPONENT)
    return __builtin_expf(x);
  else if constexpr (Op == EXPONENT2)
    return __builtin_exp2f(x);
  else if constexpr (Op == EXPONENT_MINUS_ONE)
    return __builtin_expm1f(x);
  else if constexpr (Op == FLOOR)
    return __builtin_floorf(x);
  else if constexpr (Op == GELU_ERF)
    return 0.5f * x * (1.0f + __builtin_erff(x * 0.70710678f));
  else if constexpr (Op == INVERSE)
    return 1.0f / x;
  else if constexpr (Op == IS_FINITE)
    return x - x == 0.0f;
  else if constexpr (Op == IS_INF)
    return __builtin_fabsf(x) == __builtin_inff();
  else if constexpr (Op == IS_NAN)
    return x != x;
  else if constexpr (Op == LOGARITHM)
    return __builtin_logf(x);
  else if constexpr (Op == LOGARITHM_ONE_PLUS)
    return __builtin_log1pf(x);
  else if constexpr (Op == NEARBY_INT)
    return __builtin_rintf(x);
  else if constexpr (Op == NEGATE)
    return -x;
  else if constexpr (Op == RELU)
    return larger(x, 0.0f);
  else if constexpr (Op == ROUND)
    return __builtin_roundf(x);
  else if constexpr (Op == RSQRT)
    return ipu::rsqrt(x);
  else if constexpr (Op == SIGMOID)
    return ipu::sigmoid(x);
  else if constexpr (Op == SIGNUM)
    return x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x;
  else if constexpr (Op == SIN)
    return __builtin_sinf(x);
  else if constexpr (Op == SQRT)
    return __builtin_sqrtf(x);
  else if constexpr (Op == SQUARE)
    return x * x;
  else if constexpr (Op == TAN)
    return __builtin_tanf(x);
  else if constexpr (Op == TANH)
    return __builtin_tanhf(x);
  else if constexpr (Op == TRUNC)
    return __builtin_truncf(x);
  else
    static_assert(Op == ABSOLUTE, "not an operation on floating point");
}

template <expr::UnaryOpType Op, class T> inline T unaryInteger(T x) {
  using enum expr::UnaryOpType;
  if constexpr (Op == ABSOLUTE)
    return x < T(0) ? T(0u - unsigned(x)) : x;
  else if constexpr (Op == BITWISE_NOT)
    return ~x;
  else if constexpr (Op == COUNT_LEADING_ZEROS)
    return x == 0 ? 32 : __builtin_clz(unsigned(x));
  else if constexpr (Op == NEGATE)
    return T(0u - unsigned(x));
  else if constexpr (Op == POPCOUNT)
    return __builtin_popcount(unsigned(x));
  else if constexpr (Op == RELU)
    return x < T(0) ? T(0) : x;
  else if constexpr (Op == SIGNUM)
    return T(x > T(0)) - T(x < T(0));
  else if constexpr (Op == SQUARE)
    return T(unsigned(x) * unsigned(x));
  else
    static_assert(Op == ABSOLUTE, "not an operation on integers");
}

template <expr::UnaryOpType Op>
inline typename UnaryResult<Op, float>::Type unary(float x) {
  return unaryFloat<Op>(x);
}
template <expr::UnaryOpType Op>
inline typename UnaryResult<Op, half>::Type unary(half x) {
  return typename UnaryResult<Op, half>::Type(unaryFloat<Op>(float(x)));
}
template <expr::UnaryOpType Op> inline int unary(int x) {
  return unaryInteger<Op>(x);
}
template <expr::UnaryOpType Op> inline unsigned unary(unsigned x) {
  return unaryInteger<Op>(x);
}
template <expr::UnaryOpType Op> inline bool unary(bool x) {
  static_assert(Op == expr::UnaryOpType::LOGICAL_NOT,
                "not an operation on bool");
  return !x;
}

#ifdef __IPU__
/// Applies a function of two floats, also to four halves.
template <class F> POPULUS_INLINE float2 inFloat(F f, float2 x) { return f(x); }
template <class F> POPULUS_INLINE half4 inFloat(F f, half4 x) {
  const float2 low = f(float2{float(x[0]), float(x[1])});
  const float2 high = f(float2{float(x[2]), float(x[3])});
  return half4{half(low[0]), half(low[1]), half(high[0]), half(high[1])};
}

/// The error function as x P(x^2) / Q(x^2), fitted for the smallest relative
/// error, which is below 4e-7 in float. Beyond the limit the function is 1 in
/// float.
POPULUS_INLINE float2 erfOfPair(float2 x) {
  constexpr float Limit = 3.925f;
  constexpr float P[] = {1.1283791f,    0.19059306f,    0.052769125f,
                         0.0037724988f, 0.00028483858f, 2.0459818e-6f};
  constexpr float Q[] = {1.0f,         0.50224143f,   0.11418236f,
                         0.014983098f, 0.0011638383f, 3.8047048e-5f};
  const float2 inside = __builtin_ipu_clamp(x, float2{-Limit, Limit});
  const float2 square = inside * inside;
  float2 p{P[5], P[5]}, q{Q[5], Q[5]};
  for (int i = 4; i >= 0; --i) {
    p = p * square + P[i];
    q = q * square + Q[i];
  }
  // To clamp hides a NaN. A mask of ones is one; of zeros it leaves -0 as it
  // is.
  return __builtin_ipu_or_v2f32(
      __builtin_ipu_clamp(inside * p / q, float2{-1.0f, 1.0f}),
      __builtin_ipu_cmpne(x, x));
}

template <expr::UnaryOpType Op, class V> POPULUS_INLINE V unaryLanes(V x) {
  using enum expr::UnaryOpType;
  if constexpr (Op == ABSOLUTE)
    return __builtin_elementwise_abs(x);
  else if constexpr (Op == NEGATE)
    return -x;
  else if constexpr (Op == RELU)
    return __builtin_elementwise_max(x, V{});
  else if constexpr (Op == SQUARE)
    return x * x;
  else if constexpr (Op == EXPONENT)
    return ipu::exp(x);
  else if constexpr (Op == EXPONENT2)
    return ipu::exp2(x);
  else if constexpr (Op == LOGARITHM)
    return ipu::log(x);
  else if constexpr (Op == SIGMOID)
    return ipu::sigmoid(x);
  else if constexpr (Op == TANH)
    return ipu::tanh(x);
  else if constexpr (Op == ERF)
    return inFloat([](float2 y) { return erfOfPair(y); }, x);
  else if constexpr (Op == GELU_ERF)
    return inFloat(
        [](float2 y) { return 0.5f * y * (1.0f + erfOfPair(y * 0.70710678f)); },
        x);
  else {
    for (unsigned k = 0; k != sizeof(V) / sizeof(x[0]); ++k)
      x[k] = unary<Op>(x[k]);
    return x;
  }
}

template <expr::UnaryOpType Op, class V> POPULUS_INLINE Bools testLanes(V x) {
  Bools result{0};
  for (unsigned k = 0; k != 4; ++k)
    result.word |= unsigned(unary<Op>(x[k])) << (8 * k);
  return result;
}
#endif

/// The operation on a block of T (Blocks.h).
template <expr::UnaryOpType Op, class T, class B>
POPULUS_INLINE auto unaryBlock(B x) {
#ifdef __IPU__
  using Result = typename UnaryResult<Op, T>::Type;
  if constexpr (isSame<B, Bools>)
    return Bools{x.word ^ 0x01010101u};
  else if constexpr (!isSame<B, T> && isSame<Result, bool>)
    return testLanes<Op>(x);
  else if constexpr (isSame<B, Block<half, 4>>)
    return B(unaryLanes<Op>(half4(x)));
  else if constexpr (isSame<B, Block<float, 2>>)
    return B(unaryLanes<Op>(float2(x)));
  else
#endif
    return unary<Op>(x);
}

} // namespace popops

#endif
