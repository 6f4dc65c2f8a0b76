// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the names of the elementwise operations.

#ifndef POPULUS_POPOPS_EXPROPUTILS_HPP
#define POPULUS_POPOPS_EXPROPUTILS_HPP

#include <popops/ExprOp.hpp>
#include <poputil/VertexTemplates.hpp>

#include <iosfwd>
#include <string>

namespace popops {
namespace expr {
namespace ostream_ext {

std::ostream &operator<<(std::ostream &os, UnaryOpType op);
std::ostream &operator<<(std::ostream &os, BinaryOpType op);
std::ostream &operator<<(std::ostream &os, TernaryOpType op);

} // namespace ostream_ext
} // namespace expr
} // namespace popops

namespace poputil {

/// "popops::expr::UnaryOpType::EXPONENT" and so on.
template <> struct VertexTemplateToString<popops::expr::UnaryOpType> {
  static std::string to_string(const popops::expr::UnaryOpType &op);
};
template <> struct VertexTemplateToString<popops::expr::BinaryOpType> {
  static std::string to_string(const popops::expr::BinaryOpType &op);
};
template <> struct VertexTemplateToString<popops::expr::TernaryOpType> {
  static std::string to_string(const popops::expr::TernaryOpType &op);
};

} // namespace poputil

#endif
