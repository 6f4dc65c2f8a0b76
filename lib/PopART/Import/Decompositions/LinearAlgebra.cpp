// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Det: Gaussian elimination, unrolled. In every step the row with the largest
// element of the column is brought to the top. CumProd: products over distances
// that double.

#include "lib/PopART/Import/Decomposition.h"

#include <fmt/format.h>

#include <numeric>

namespace populus::popir {

namespace {

/// Larger matrices would be thousands of operators.
constexpr std::int64_t MostRows = 128;

std::vector<Value *> determinant(Expansion &e) {
  Value *m = &e.input(0);
  const Shape whole = m->info.shape;
  if (whole.size() < 2 || whole[whole.size() - 1] != whole[whole.size() - 2])
    e.failInput(
        fmt::format("its input {} is not of square matrices", toString(whole)));
  const std::int64_t size = whole.back();
  if (size > MostRows)
    e.failUnsupported(fmt::format("matrices of {} rows are not supported, {} "
                                  "at most",
                                  size, MostRows));
  const DataType type = m->info.type;
  const Shape batch(whole.begin(), whole.end() - 2);
  const std::int64_t count = numElements(batch);
  Value &zero = e.scalar(type, 0), &one = e.scalar(type, 1);
  m = &e.reshape(*m, {count, size, size});
  Value *result = &e.expand(
      e.constant(HostTensor::ofFloats({1, 1, 1}, {1}).convertedTo(type)),
      {count, 1, 1});
  for (std::int64_t left = size; left > 0; --left) {
    std::vector<std::int64_t> numbers(left);
    std::iota(numbers.begin(), numbers.end(), 0);
    Value &places =
        e.constant(HostTensor::ofInts(numbers).reshaped({1, left, 1}));
    Value &column = e.slice(*m, 2, 0, 1);
    Value &best =
        e.op("ArgMax", {&e.op("Abs", {&column})}, {{"axis", std::int64_t(1)}});
    Value &isBest = e.op("Equal", {&places, &best});
    Value &row = e.reduce("ReduceSum", e.op("Where", {&isBest, m, &zero}), {1});
    Value &pivot = e.slice(row, 2, 0, 1);
    // Another row on top turns the sign round.
    Value &isFirst = e.op(
        "Equal", {&best, &e.constant(HostTensor::ofInts({0}).reshaped({}))});
    Value &factor = e.op("Where", {&isFirst, &pivot, &e.op("Neg", {&pivot})});
    result = &e.mul(*result, factor);
    if (left == 1)
      break;
    Value &exchanged = e.op("Where", {&isBest, &e.slice(*m, 1, 0, 1), m});
    Value &rest = e.slice(exchanged, 1, 1, left);
    Value &isZero = e.op("Equal", {&pivot, &zero});
    Value &divisor = e.op("Where", {&isZero, &one, &pivot});
    Value &times = e.div(e.slice(rest, 2, 0, 1), divisor);
    Value &next = e.sub(e.slice(rest, 2, 1, left),
                        e.mul(times, e.slice(row, 2, 1, left)));
    m = &next;
  }
  return {&e.reshape(*result, batch)};
}

/// With ones that are moved in from one side.
Value &moved(Expansion &e, Value &x, std::int64_t axis, std::int64_t distance,
             bool isReverse) {
  const std::int64_t extent = x.info.shape[axis];
  std::vector<std::int64_t> pads(2 * x.info.shape.size());
  pads[isReverse ? x.info.shape.size() + axis : axis] = distance;
  Value &kept = isReverse ? e.slice(x, axis, distance, extent)
                          : e.slice(x, axis, 0, extent - distance);
  return e.op("Pad", {&kept, &e.ints(pads), &e.scalar(x.info.type, 1)});
}

std::vector<Value *> cumulativeProduct(Expansion &e) {
  Value *x = &e.input(0);
  const std::vector<std::int64_t> given = e.constantInput(1, "axis").toInts();
  if (given.size() != 1)
    e.failInput("its axis is not a scalar");
  const std::int64_t axis = e.normalAxis(given[0], x->info.rank());
  const std::int64_t extent = x->info.shape[axis];
  const bool isReverse = e.attributes().getInt("reverse", 0) != 0;
  if (e.attributes().getInt("exclusive", 0) != 0 && extent > 0)
    x = &moved(e, *x, axis, 1, isReverse);
  for (std::int64_t distance = 1; distance < extent; distance *= 2)
    x = &e.mul(*x, moved(e, *x, axis, distance, isReverse));
  return {x};
}

const RegisterDecomposition decompositions[] = {
    {"Det", {11, 22}, determinant}, {"CumProd", {26}, cumulativeProduct}};

} // namespace

} // namespace populus::popir
