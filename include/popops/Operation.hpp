// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and prints the names of the operations of a reduction.

#ifndef POPULUS_POPOPS_OPERATION_HPP
#define POPULUS_POPOPS_OPERATION_HPP

#include <popops/OperationDef.hpp>

#include <iosfwd>

namespace popops {

std::ostream &operator<<(std::ostream &os, const Operation &op);
std::istream &operator>>(std::istream &is, Operation &op);

} // namespace popops

#endif
