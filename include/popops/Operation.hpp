// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations of a reduction. Host code and codelets both include this file.

#ifndef POPULUS_POPOPS_OPERATION_HPP
#define POPULUS_POPOPS_OPERATION_HPP

#include <iosfwd>

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

std::ostream &operator<<(std::ostream &os, const Operation &op);
std::istream &operator>>(std::istream &is, Operation &op);

} // namespace popops

#endif
