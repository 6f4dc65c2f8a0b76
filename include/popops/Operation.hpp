// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and prints the names of the operations of a reduction.

#ifndef POPULUS_POPOPS_OPERATION_HPP
#define POPULUS_POPOPS_OPERATION_HPP

#include <popops/OperationDef.hpp>
#include <poputil/VertexTemplates.hpp>

#include <iosfwd>
#include <string>

namespace popops {

std::ostream &operator<<(std::ostream &os, const Operation &op);
std::istream &operator>>(std::istream &is, Operation &op);

} // namespace popops

namespace poputil {

/// "popops::Operation::ADD"
template <> struct VertexTemplateToString<popops::Operation> {
  static std::string to_string(const popops::Operation &op);
};

} // namespace poputil

#endif
