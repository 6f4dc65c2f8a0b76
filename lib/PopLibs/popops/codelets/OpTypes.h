// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The column TYPES of the tables of operations (popops/UnaryOps.def), as
// values for host code and codelets.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_CODELETS_OPTYPES_H
#define POPULUS_LIB_POPLIBS_POPOPS_CODELETS_OPTYPES_H

#include <popops/ExprOp.hpp>

namespace popops {

enum class OpTypes {
  FLOATS,
  SIGNED,
  NUMBERS,
  INTEGERS,
  LOGICAL,
  TESTS,
  ORDERS,
  EQUALITIES
};

constexpr OpTypes typesOf(expr::UnaryOpType op) {
  constexpr OpTypes types[] = {
#define UNARY_OP(OP, CLASS, NODE, FUNCTION, NAME, TYPES, ...) OpTypes::TYPES,
#include <popops/UnaryOps.def>
  };
  return types[static_cast<unsigned>(op)];
}

constexpr OpTypes typesOf(expr::BinaryOpType op) {
  constexpr OpTypes types[] = {
#define BINARY_OP(OP, CLASS, NAME, TYPES, ...) OpTypes::TYPES,
#include <popops/BinaryOps.def>
  };
  return types[static_cast<unsigned>(op)];
}

/// Tests and comparisons of any type result in a bool.
constexpr bool isTest(expr::UnaryOpType op) {
  return typesOf(op) == OpTypes::TESTS;
}
constexpr bool isComparison(expr::BinaryOpType op) {
  return typesOf(op) == OpTypes::ORDERS || typesOf(op) == OpTypes::EQUALITIES;
}

/// The result that a row does not give for a type: NONE.
template <auto Op> void noResult() = delete;

} // namespace popops

#endif
