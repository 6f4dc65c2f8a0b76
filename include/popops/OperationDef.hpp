// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations of a reduction. Host code and codelets both include this file.

#ifndef POPULUS_POPOPS_OPERATIONDEF_HPP
#define POPULUS_POPOPS_OPERATIONDEF_HPP

namespace popops {

enum class Operation {
  ADD,
  MUL,
  MIN,
  MAX,
  LOGICAL_AND,
  LOGICAL_OR,
  /// Sum of squares.
  SQUARE_ADD,
  /// Logarithm of the sum of exponentials.
  LOG_ADD
};

} // namespace popops

#endif
