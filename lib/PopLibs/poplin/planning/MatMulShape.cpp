// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MatMulShape.h.

#include "lib/PopLibs/poplin/planning/MatMulShape.h"

#include <poputil/exceptions.hpp>

#include <string>
#include <tuple>

using namespace poplar;
using poputil::poplibs_error;

namespace poplin {

static std::string text(const std::vector<std::size_t> &shape) {
  std::string result = "{";
  for (std::size_t i = 0; i != shape.size(); ++i)
    result += (i ? "," : "") + std::to_string(shape[i]);
  return result + "}";
}

MatMulShape matMulShape(const std::vector<std::size_t> &a,
                        const std::vector<std::size_t> &b) {
  if (a.size() != 3 || b.size() != 3 || a[0] != b[0] || a[2] != b[1])
    throw poplibs_error("poplin::matMul: shapes " + text(a) + " and " +
                        text(b) +
                        " do not go together; they must be [G,M,K] and "
                        "[G,K,N]");
  return {a[0], a[1], a[2], b[2]};
}

void checkMatMulTypes(const Type &a, const Type &b, const Type &out) {
  const auto real = [](const Type &t) { return t == FLOAT || t == HALF; };
  if (a == QUARTER && b == QUARTER && out == HALF)
    return;
  if (a != b || !real(a) || !real(out))
    throw poplibs_error(
        "poplin::matMul: operands of types " + a.toString() + " and " +
        b.toString() + " with a result of type " + out.toString() +
        "; the operands must both be half or float, or both quarter "
        "for a result of half");
}

bool operator<(const MatMulShape &a, const MatMulShape &b) {
  return std::tie(a.groups, a.rows, a.depth, a.columns) <
         std::tie(b.groups, b.rows, b.depth, b.columns);
}

ConvShape convolutionOf(const MatMulShape &shape) {
  ConvShape result{1, shape.groups, shape.depth, shape.columns, {}, {}};
  result.y.input = result.y.output = shape.rows;
  return result;
}

MatMulShape partOf(MatMulShape shape, const SerialSplit &split) {
  switch (split.dim) {
  case SerialSplit::Batch:
    shape.rows /= split.parts;
    break;
  case SerialSplit::Groups:
    shape.groups /= split.parts;
    break;
  case SerialSplit::OutChannels:
    shape.columns /= split.parts;
    break;
  }
  return shape;
}

SplitDims dimsOf(SerialSplit::Dim dim) {
  switch (dim) {
  case SerialSplit::Groups:
    return {0, 0, 0};
  case SerialSplit::OutChannels:
    return {Whole, 2, 2};
  default:
    return {1, Whole, 1};
  }
}

} // namespace poplin
