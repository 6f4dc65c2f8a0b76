// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elementwise operations by the element types that have them: each list
// applies a macro to (operation, type), so that a vertex template is
// instantiated for all of them in one line.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_CODELETS_INSTANTIATE_H
#define POPULUS_LIB_POPLIBS_POPOPS_CODELETS_INSTANTIATE_H

// clang-format off: lists, which it would set in steps

// Results of the operand's type.
#define UNARY_FLOAT(M, T) \
  M(ABSOLUTE, T) M(ASIN, T) M(CBRT, T) M(CEIL, T) M(COS, T) M(ERF, T) \
  M(EXPONENT, T) M(EXPONENT2, T) M(EXPONENT_MINUS_ONE, T) M(FLOOR, T) \
  M(GELU_ERF, T) M(INVERSE, T) M(LOGARITHM, T) M(LOGARITHM_ONE_PLUS, T) \
  M(NEARBY_INT, T) M(NEGATE, T) M(RELU, T) M(ROUND, T) M(RSQRT, T) \
  M(SIGMOID, T) M(SIGNUM, T) M(SIN, T) M(SQRT, T) M(SQUARE, T) M(TAN, T) \
  M(TANH, T) M(TRUNC, T)
#define UNARY_INTEGER(M, T) \
  M(ABSOLUTE, T) M(BITWISE_NOT, T) M(COUNT_LEADING_ZEROS, T) M(NEGATE, T) \
  M(POPCOUNT, T) M(RELU, T) M(SIGNUM, T) M(SQUARE, T)
#define UNARY_ALL(M) \
  UNARY_FLOAT(M, float) UNARY_FLOAT(M, half) UNARY_INTEGER(M, int) \
  M(BITWISE_NOT, unsigned) M(COUNT_LEADING_ZEROS, unsigned) \
  M(POPCOUNT, unsigned) M(SQUARE, unsigned) M(LOGICAL_NOT, bool)

// Results of type bool.
#define UNARY_TESTS(M) \
  M(IS_FINITE, float) M(IS_INF, float) M(IS_NAN, float) M(IS_FINITE, half) \
  M(IS_INF, half) M(IS_NAN, half)

#define BINARY_FLOAT(M, T) \
  M(ADD, T) M(ATAN2, T) M(DIVIDE, T) M(INV_STD_DEV_TO_VARIANCE, T) \
  M(MAXIMUM, T) M(MINIMUM, T) M(MULTIPLY, T) M(POWER, T) M(REMAINDER, T) \
  M(SUBTRACT, T) M(VARIANCE_TO_INV_STD_DEV, T)
#define BINARY_INTEGER(M, T) \
  M(ADD, T) M(BITWISE_AND, T) M(BITWISE_OR, T) M(BITWISE_XNOR, T) \
  M(BITWISE_XOR, T) M(DIVIDE, T) M(MAXIMUM, T) M(MINIMUM, T) M(MULTIPLY, T) \
  M(POWER, T) M(REMAINDER, T) M(SHIFT_LEFT, T) M(SHIFT_RIGHT, T) \
  M(SHIFT_RIGHT_SIGN_EXTEND, T) M(SUBTRACT, T)
#define BINARY_BOOL(M) \
  M(LOGICAL_AND, bool) M(LOGICAL_OR, bool) M(EQUAL, bool) M(NOT_EQUAL, bool)
#define BINARY_ALL(M) \
  BINARY_FLOAT(M, float) BINARY_FLOAT(M, half) BINARY_INTEGER(M, int) \
  BINARY_INTEGER(M, unsigned) BINARY_BOOL(M)

#define BINARY_COMPARE(M, T) \
  M(EQUAL, T) M(NOT_EQUAL, T) M(LESS_THAN, T) M(LESS_THAN_EQUAL, T) \
  M(GREATER_THAN, T) M(GREATER_THAN_EQUAL, T)
#define BINARY_COMPARISONS(M) \
  BINARY_COMPARE(M, float) BINARY_COMPARE(M, half) BINARY_COMPARE(M, int) \
  BINARY_COMPARE(M, unsigned)

// clang-format on

#endif
