// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the binary operations on one element, for tile and host, by the
// rows of popops/BinaryOps.def, and faster ones of vectors on a tile. Halves
// are computed in float.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_CODELETS_BINARYFUNCTIONS_H
#define POPULUS_LIB_POPLIBS_POPOPS_CODELETS_BINARYFUNCTIONS_H

#include "Blocks.h"
#include "OpTypes.h"
#include "Order.h"

#include <popops/ExprOp.hpp>

namespace popops {

template <bool Comparison, class T> struct BinaryResultType {
  using Type = T;
};
template <class T> struct BinaryResultType<true, T> {
  using Type = bool;
};
/// The type that an operation on T results in.
template <expr::BinaryOpType Op, class T>
using BinaryResult = typename BinaryResultType<isComparison(Op), T>::Type;

/// Division of integers as a tile does it, which does not trap: x / 0 is 0 and
/// the remainder x, and the smallest number has itself as its negative.
template <class T> inline T quotient(T x, T y) {
#ifndef __IPU__
  if (y == T(0))
    return 0;
  if (T(-1) < T(0) && y == T(-1))
    return T(0u - unsigned(x));
#endif
  return x / y;
}
template <class T> inline T remainder(T x, T y) {
#ifndef __IPU__
  if (y == T(0))
    return x;
  if (T(-1) < T(0) && y == T(-1))
    return 0;
#endif
  return x % y;
}

/// By squaring, modulo the size of the type. Negative exponents give what is
/// left of the reciprocal: 0, but for 1 and -1.
template <class T> inline T integerPower(T x, T exponent) {
  if (exponent < T(0) && unsigned(x) + 1u > 2u)
    return 0;
  if (exponent < T(0) && x == T(0))
    return 0;
  unsigned result = 1, square = unsigned(x);
  for (unsigned rest = unsigned(exponent); rest != 0; rest >>= 1) {
    if (rest & 1)
      result *= square;
    square *= square;
  }
  return T(result);
}

/// Shifts as a tile does them: by 32 and more everything is shifted out.
template <expr::BinaryOpType Op>
inline unsigned shifted(unsigned x, unsigned y) {
  using enum expr::BinaryOpType;
#ifndef __IPU__
  if (y > 31)
    return Op == SHIFT_RIGHT_SIGN_EXTEND && int(x) < 0 ? ~0u : 0u;
#endif
  if constexpr (Op == SHIFT_LEFT)
    return x << y;
  else if constexpr (Op == SHIFT_RIGHT)
    return x >> y;
  else
    return unsigned(int(x) >> y);
}

#define NONE noResult<Op>()
template <expr::BinaryOpType Op>
inline BinaryResult<Op, float> binary(float x, float y) {
#define BINARY_OP(OP, CLASS, NAME, TYPES, FLOAT, ...)                          \
  if constexpr (Op == expr::BinaryOpType::OP)                                  \
    return FLOAT;                                                              \
  else
#include <popops/BinaryOps.def>
  static_assert(isComparison(Op), "not a binary operation");
}

template <expr::BinaryOpType Op>
inline BinaryResult<Op, half> binary(half x, half y) {
  return BinaryResult<Op, half>(binary<Op>(float(x), float(y)));
}
/// For integers and bools.
template <expr::BinaryOpType Op, class T>
inline BinaryResult<Op, T> binary(T x, T y) {
#define BINARY_OP(OP, CLASS, NAME, TYPES, FLOAT, INTEGER, ...)                 \
  if constexpr (Op == expr::BinaryOpType::OP)                                  \
    return INTEGER;                                                            \
  else
#include <popops/BinaryOps.def>
  static_assert(isComparison(Op), "not a binary operation");
}
#undef NONE

#ifdef __IPU__
/// The bools x[i] < y[i] and so on from masks: comparisons of floats give lanes
/// of all ones.
POPULUS_INLINE Bools boolsOf(half4 masks) {
  const uint2 words = __builtin_bit_cast(uint2, masks);
  return {__builtin_ipu_sort8x8lo(words[0], words[1]) & 0x01010101u};
}
POPULUS_INLINE half2 lowHalves(float2 masks) {
  const half4 halves = __builtin_bit_cast(half4, masks);
  return half2{halves[0], halves[2]};
}
POPULUS_INLINE Bools boolsOf(float2 low, float2 high) {
  return boolsOf(
      __builtin_shufflevector(lowHalves(low), lowHalves(high), 0, 1, 2, 3));
}

template <expr::BinaryOpType Op, class V> POPULUS_INLINE V maskOf(V x, V y) {
  using enum expr::BinaryOpType;
  if constexpr (Op == EQUAL)
    return __builtin_ipu_cmpeq(x, y);
  else if constexpr (Op == NOT_EQUAL)
    return __builtin_ipu_cmpne(x, y);
  else if constexpr (Op == LESS_THAN)
    return __builtin_ipu_cmplt(x, y);
  else if constexpr (Op == LESS_THAN_EQUAL)
    return __builtin_ipu_cmple(x, y);
  else if constexpr (Op == GREATER_THAN)
    return __builtin_ipu_cmpgt(x, y);
  else
    return __builtin_ipu_cmpge(x, y);
}

template <expr::BinaryOpType Op>
POPULUS_INLINE Bools compareBlocks(Block<half, 4> x, Block<half, 4> y) {
  return boolsOf(maskOf<Op>(half4(x), half4(y)));
}
template <expr::BinaryOpType Op>
POPULUS_INLINE Bools compareBlocks(Block<float, 4> x, Block<float, 4> y) {
  return boolsOf(maskOf<Op>(float2(x.xy), float2(y.xy)),
                 maskOf<Op>(float2(x.zw), float2(y.zw)));
}
template <expr::BinaryOpType Op, class V>
POPULUS_INLINE Bools compareBlocks(V x, V y) {
  Bools result{0};
  for (unsigned k = 0; k != 4; ++k)
    result.word |= unsigned(binary<Op>(x[k], y[k])) << (8 * k);
  return result;
}

template <expr::BinaryOpType Op>
POPULUS_INLINE Bools combineBools(Bools x, Bools y) {
  using enum expr::BinaryOpType;
  if constexpr (Op == LOGICAL_AND)
    return {x.word & y.word};
  else if constexpr (Op == LOGICAL_OR)
    return {x.word | y.word};
  else if constexpr (Op == NOT_EQUAL)
    return {x.word ^ y.word};
  else
    return {x.word ^ y.word ^ 0x01010101u};
}

template <expr::BinaryOpType Op, class V>
POPULUS_INLINE V combineLanes(V x, V y) {
  using enum expr::BinaryOpType;
  if constexpr (Op == ADD)
    return x + y;
  else if constexpr (Op == SUBTRACT)
    return x - y;
  else if constexpr (Op == MULTIPLY)
    return x * y;
  else if constexpr (Op == MAXIMUM)
    return __builtin_elementwise_max(x, y);
  else if constexpr (Op == MINIMUM)
    return __builtin_elementwise_min(x, y);
  else {
    for (unsigned k = 0; k != sizeof(V) / sizeof(x[0]); ++k)
      x[k] = binary<Op>(x[k], y[k]);
    return x;
  }
}
#endif

/// The operation on blocks of T (Blocks.h).
template <expr::BinaryOpType Op, class T, class B>
POPULUS_INLINE auto binaryBlock(B x, B y) {
#ifdef __IPU__
  if constexpr (isSame<B, Bools>)
    return combineBools<Op>(x, y);
  else if constexpr (!isSame<B, T> && isComparison(Op))
    return compareBlocks<Op>(x, y);
  else if constexpr (!isSame<B, T>)
    return combineLanes<Op>(x, y);
  else
#endif
    return binary<Op>(x, y);
}

} // namespace popops

#endif
