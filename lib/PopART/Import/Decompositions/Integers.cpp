// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ReduceL2 and MatMul of integers.
//
// ReduceL2 is the square root of a sum of squares, rounded down. The root is
// computed as a float and can be off by one, which integers correct. For
// example, 46340^2 - 1 as float32 is 46340^2, so its root seems to be 46340,
// whose square is too large: the root is 46339.
//
// The matrix unit computes with floats, which are not exact beyond 2^24. So a
// MatMul becomes elementwise products, [rows, depth, columns], and their sums.

#include "lib/PopART/Import/Decomposition.h"

#include <fmt/format.h>

#include <algorithm>

namespace populus::popir {

namespace {

Value &sumOfSquares(Expansion &e) {
  const Attributes &given = e.attributes();
  std::vector<Value *> operands = {&e.input(0)};
  if (e.version() < 18 && given.has("axes"))
    operands.push_back(&e.ints(given.getInts("axes")));
  else if (e.hasInput(1))
    operands.push_back(&e.input(1));
  return e.op(
      "ReduceSumSquare", operands,
      {{"keepdims", given.getInt("keepdims", 1)},
       {"noop_with_empty_axes", given.getInt("noop_with_empty_axes", 0)}});
}

/// The largest integer whose square is not above `x`.
Value &rootOf(Expansion &e, Value &x) {
  const DataType type = x.info.type;
  Value &root = e.cast(e.sqrt(e.cast(x, DataType::Double)), type);
  Value &one = e.scalar(type, 1);
  Value &square = e.square(root);
  Value &isTooLarge = e.op("Less", {&x, &square});
  // (root + 1)^2 may be beyond the type.
  Value &isTooSmall = e.op("Greater", {&e.sub(x, square), &e.add(root, root)});
  return e.select(isTooLarge, e.sub(root, one),
                  e.select(isTooSmall, e.add(root, one), root));
}

/// Floats have an operator of their own.
std::vector<Value *> reduceL2(Expansion &e) {
  if (isFloatingPoint(e.type(0)))
    return {};
  return {&rootOf(e, sumOfSquares(e))};
}

/// Products of this number of elements and more are refused: they would fill
/// the memory of tiles.
constexpr std::int64_t MostProducts = std::int64_t(1) << 24;

/// The product of matrices [..., rows, depth] and [..., depth, columns].
Value &product(Expansion &e, Value &a, Value &b) {
  const auto rank = static_cast<std::int64_t>(
      std::max(a.info.shape.size(), b.info.shape.size()));
  Value &left = e.unsqueeze(a, {-1});
  Value &right = e.unsqueeze(b, {-3});
  Value &products = e.mul(left, right);
  if (products.info.numElements() > MostProducts)
    e.failUnsupported(fmt::format("it multiplies matrices of integers, for "
                                  "which {} products are too many",
                                  products.info.numElements()));
  return e.op("ReduceSum", {&products, &e.ints({rank - 1})},
              {{"keepdims", std::int64_t(0)}});
}

/// Floats have an operator of their own. A vector is a row on the left and a
/// column on the right, and the result lacks its dimension.
std::vector<Value *> matMul(Expansion &e) {
  if (isFloatingPoint(e.type(0)))
    return {};
  const bool isRow = e.shape(0).size() == 1, isColumn = e.shape(1).size() == 1;
  Value &a = isRow ? e.unsqueeze(e.input(0), {0}) : e.input(0);
  Value &b = isColumn ? e.unsqueeze(e.input(1), {1}) : e.input(1);
  Value &result = product(e, a, b);
  Shape shape = result.info.shape;
  if (isColumn)
    shape.pop_back();
  if (isRow)
    shape.erase(shape.end() - (isColumn ? 1 : 2));
  return {&e.reshape(result, shape)};
}

const RegisterDecomposition decompositions[] = {
    {"ReduceL2", {1, 11, 13, 18}, reduceL2}, {"MatMul", {1, 9, 13}, matMul}};

} // namespace

} // namespace populus::popir
