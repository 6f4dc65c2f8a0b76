// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ReduceL2 of integers: the square root of a sum of squares, rounded down. The
// root is computed as a float and can be off by one, which integers correct.
// For example, 46340^2 - 1 as float32 is 46340^2, so its root seems to be
// 46340, whose square is too large: the root is 46339.

#include "lib/PopART/Import/Decomposition.h"

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

const RegisterDecomposition decompositions[] = {
    {"ReduceL2", {1, 11, 13, 18}, reduceL2}};

} // namespace

} // namespace populus::popir
