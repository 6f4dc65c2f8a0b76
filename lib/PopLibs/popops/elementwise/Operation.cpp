// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of reductions.

#include <popops/Operation.hpp>

#include <algorithm>
#include <istream>
#include <iterator>
#include <ostream>
#include <string>

namespace popops {
namespace {

constexpr const char *Names[] = {"ADD",        "MUL",         "MIN",
                                 "MAX",        "LOGICAL_AND", "LOGICAL_OR",
                                 "SQUARE_ADD", "LOG_ADD"};

} // namespace

std::ostream &operator<<(std::ostream &os, const Operation &op) {
  return os << Names[static_cast<unsigned>(op)];
}

std::istream &operator>>(std::istream &is, Operation &op) {
  std::string name;
  is >> name;
  const auto found = std::find(std::begin(Names), std::end(Names), name);
  if (found == std::end(Names))
    is.setstate(std::ios::failbit);
  else
    op = static_cast<Operation>(found - std::begin(Names));
  return is;
}

} // namespace popops

namespace poputil {

std::string VertexTemplateToString<popops::Operation>::to_string(
    const popops::Operation &op) {
  return std::string("popops::Operation::") +
         popops::Names[static_cast<unsigned>(op)];
}

} // namespace poputil
