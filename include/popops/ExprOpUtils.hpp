// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the names of the elementwise operations.

#ifndef POPULUS_POPOPS_EXPROPUTILS_HPP
#define POPULUS_POPOPS_EXPROPUTILS_HPP

#include <popops/ExprOp.hpp>

#include <iosfwd>

namespace popops {
namespace expr {
namespace ostream_ext {

std::ostream &operator<<(std::ostream &os, UnaryOpType op);
std::ostream &operator<<(std::ostream &os, BinaryOpType op);
std::ostream &operator<<(std::ostream &os, TernaryOpType op);

} // namespace ostream_ext
} // namespace expr
} // namespace popops

#endif
