// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the unary operations on one element, for tile and host, by the
// rows of popops/UnaryOps.def, and faster ones of vectors on a tile. Halves are
// computed in float.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_CODELETS_UNARYFUNCTIONS_H
#define POPULUS_LIB_POPLIBS_POPOPS_CODELETS_UNARYFUNCTIONS_H

#include "Blocks.h"
#include "OpTypes.h"
#include "Order.h"

#include <popops/ExprOp.hpp>

namespace popops {

template <bool IsTest, class T> struct UnaryResultType {
  using Type = T;
};
template <class T> struct UnaryResultType<true, T> {
  using Type = bool;
};
/// The type that an operation on T results in.
template <expr::UnaryOpType Op, class T>
using UnaryResult = typename UnaryResultType<isTest(Op), T>::Type;

#define NONE noResult<Op>()
template <expr::UnaryOpType Op> inline auto unaryFloat(float x) {
#define UNARY_OP(OP, CLASS, NODE, FUNCTION, NAME, TYPES, FLOAT, ...)           \
  if constexpr (Op == expr::UnaryOpType::OP)                                   \
    return FLOAT;                                                              \
  else
#include <popops/UnaryOps.def>
  static_assert(isTest(Op), "not a unary operation");
}

template <expr::UnaryOpType Op, class T> inline T unaryInteger(T x) {
#define UNARY_OP(OP, CLASS, NODE, FUNCTION, NAME, TYPES, FLOAT, INTEGER, ...)  \
  if constexpr (Op == expr::UnaryOpType::OP)                                   \
    return INTEGER;                                                            \
  else
#include <popops/UnaryOps.def>
  static_assert(isTest(Op), "not a unary operation");
}
#undef NONE

template <expr::UnaryOpType Op> inline UnaryResult<Op, float> unary(float x) {
  return unaryFloat<Op>(x);
}
template <expr::UnaryOpType Op> inline UnaryResult<Op, half> unary(half x) {
  return UnaryResult<Op, half>(unaryFloat<Op>(float(x)));
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
  using Result = UnaryResult<Op, T>;
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
