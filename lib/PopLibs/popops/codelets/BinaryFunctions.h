// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each binary operation computes for one element, on the tile and on the
// host. Halves are computed in float.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_CODELETS_BINARYFUNCTIONS_H
#define POPULUS_LIB_POPLIBS_POPOPS_CODELETS_BINARYFUNCTIONS_H

#include <poplar/HalfFloat.hpp>
#include <popops/ExprOp.hpp>

namespace popops {

constexpr bool isComparison(expr::BinaryOpType op) {
  using enum expr::BinaryOpType;
  return op == EQUAL || op == NOT_EQUAL || op == LESS_THAN ||
         op == LESS_THAN_EQUAL || op == GREATER_THAN ||
         op == GREATER_THAN_EQUAL;
}

template <bool Comparison, class T> struct BinaryResultType {
  using Type = T;
};
template <class T> struct BinaryResultType<true, T> {
  using Type = bool;
};
/// The type that an operation on T results in.
template <expr::BinaryOpType Op, class T>
using BinaryResult = typename BinaryResultType<isComparison(Op), T>::Type;

template <expr::BinaryOpType Op, class T> inline bool compare(T x, T y) {
  using enum expr::BinaryOpType;
  if constexpr (Op == EQUAL)
    return x == y;
  else if constexpr (Op == NOT_EQUAL)
    return x != y;
  else if constexpr (Op == LESS_THAN)
    return x < y;
  else if constexpr (Op == LESS_THAN_EQUAL)
    return x <= y;
  else if constexpr (Op == GREATER_THAN)
    return x > y;
  else
    return x >= y;
}

template <expr::BinaryOpType Op> inline float binaryFloat(float x, float y) {
  using enum expr::BinaryOpType;
  if constexpr (Op == ADD)
    return x + y;
  else if constexpr (Op == ATAN2)
    return __builtin_atan2f(x, y);
  else if constexpr (Op == DIVIDE)
    return x / y;
  else if constexpr (Op == INV_STD_DEV_TO_VARIANCE)
    return 1.0f / (x * x) - y;
  else if constexpr (Op == MAXIMUM)
    return __builtin_fmaxf(x, y);
  else if constexpr (Op == MINIMUM)
    return __builtin_fminf(x, y);
  else if constexpr (Op == MULTIPLY)
    return x * y;
  else if constexpr (Op == POWER)
    return __builtin_powf(x, y);
  else if constexpr (Op == REMAINDER)
    return __builtin_fmodf(x, y);
  else if constexpr (Op == SUBTRACT)
    return x - y;
  else if constexpr (Op == VARIANCE_TO_INV_STD_DEV)
    return 1.0f / __builtin_sqrtf(x + y);
  else
    static_assert(Op == ADD, "not an operation on floating point");
}

template <expr::BinaryOpType Op, class T> inline T binaryInteger(T x, T y) {
  using enum expr::BinaryOpType;
  if constexpr (Op == ADD)
    return T(unsigned(x) + unsigned(y));
  else if constexpr (Op == BITWISE_AND)
    return x & y;
  else if constexpr (Op == BITWISE_OR)
    return x | y;
  else if constexpr (Op == BITWISE_XNOR)
    return ~(x ^ y);
  else if constexpr (Op == BITWISE_XOR)
    return x ^ y;
  else if constexpr (Op == DIVIDE)
    return x / y;
  else if constexpr (Op == MAXIMUM)
    return x > y ? x : y;
  else if constexpr (Op == MINIMUM)
    return x < y ? x : y;
  else if constexpr (Op == MULTIPLY)
    return T(unsigned(x) * unsigned(y));
  else if constexpr (Op == REMAINDER)
    return x % y;
  else if constexpr (Op == SHIFT_LEFT)
    return T(unsigned(x) << unsigned(y));
  else if constexpr (Op == SHIFT_RIGHT)
    return T(unsigned(x) >> unsigned(y));
  else if constexpr (Op == SHIFT_RIGHT_SIGN_EXTEND)
    return T(int(x) >> unsigned(y));
  else if constexpr (Op == SUBTRACT)
    return T(unsigned(x) - unsigned(y));
  else
    static_assert(Op == ADD, "not an operation on integers");
}

template <expr::BinaryOpType Op>
inline BinaryResult<Op, float> binary(float x, float y) {
  if constexpr (isComparison(Op))
    return compare<Op>(x, y);
  else
    return binaryFloat<Op>(x, y);
}
template <expr::BinaryOpType Op>
inline BinaryResult<Op, half> binary(half x, half y) {
  return BinaryResult<Op, half>(binary<Op>(float(x), float(y)));
}
template <expr::BinaryOpType Op>
inline BinaryResult<Op, int> binary(int x, int y) {
  if constexpr (isComparison(Op))
    return compare<Op>(x, y);
  else
    return binaryInteger<Op>(x, y);
}
template <expr::BinaryOpType Op>
inline BinaryResult<Op, unsigned> binary(unsigned x, unsigned y) {
  if constexpr (isComparison(Op))
    return compare<Op>(x, y);
  else
    return binaryInteger<Op>(x, y);
}
template <expr::BinaryOpType Op> inline bool binary(bool x, bool y) {
  using enum expr::BinaryOpType;
  if constexpr (Op == LOGICAL_AND)
    return x & y;
  else if constexpr (Op == LOGICAL_OR)
    return x | y;
  else
    return compare<Op>(x, y);
}

} // namespace popops

#endif
