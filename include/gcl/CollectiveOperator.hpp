// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators with which a collective combines the data of a group's members.

#ifndef POPULUS_GCL_COLLECTIVEOPERATOR_HPP
#define POPULUS_GCL_COLLECTIVEOPERATOR_HPP

#include <iosfwd>

namespace gcl {

enum class CollectiveOperator {
  ADD,
  /// The sum divided by the number of members.
  MEAN,
  MUL,
  MIN,
  MAX,
  LOGICAL_AND,
  LOGICAL_OR,
  /// The sum of the squares.
  SQUARE_ADD,
  /// No reduction: each member keeps its own data.
  LOCAL
};

/// Reads or writes the name: "ADD", "MEAN", ... An unknown name sets the
/// stream's failbit.
std::ostream &operator<<(std::ostream &out, CollectiveOperator op);
std::istream &operator>>(std::istream &in, CollectiveOperator &op);

} // namespace gcl

#endif
