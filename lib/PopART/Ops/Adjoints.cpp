// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of gradients, of ordinary operators.

#include "lib/PopART/Ops/Adjoints.h"

#include <algorithm>

namespace populus::popir {

namespace {

/// `x` with a slice of zeros at the end of an axis.
Value &withZeroSlice(OpBuilder &b, Value &x, std::int64_t axis) {
  std::vector<std::int64_t> none(x.info.shape.size()), one = none;
  one[axis] = 1;
  return b.pad(x, none, one);
}

} // namespace

Value &slicesSummed(OpBuilder &b, Value &x, std::int64_t axis,
                    const std::vector<std::vector<WeightedSlice>> &sums) {
  std::size_t most = 1;
  for (const auto &sum : sums)
    most = std::max(most, sum.size());
  const auto count = static_cast<std::int64_t>(sums.size());
  const auto terms = static_cast<std::int64_t>(most);
  std::vector<std::int64_t> places(count * terms, x.info.shape[axis]);
  HostTensor weights({DataType::Double, {count, terms}});
  bool isWeighted = false, hasGaps = false;
  for (std::size_t i = 0; i != sums.size(); ++i) {
    hasGaps |= sums[i].size() != most;
    for (std::size_t k = 0; k != sums[i].size(); ++k) {
      places[i * most + k] = sums[i][k].place;
      weights.as<double>()[i * most + k] = sums[i][k].weight;
      isWeighted |= sums[i][k].weight != 1;
    }
  }
  Value &table =
      b.constant(HostTensor::ofInts(places).reshaped({count, terms}));
  Value *parts =
      &b.op("Gather", {hasGaps ? &withZeroSlice(b, x, axis) : &x, &table},
            {{"axis", axis}});
  Shape result = x.info.shape;
  result[axis] = count;
  if (isWeighted) {
    Shape extents = {count, terms};
    extents.resize(2 + x.info.shape.size() - axis - 1, 1);
    parts = &b.mul(
        *parts, b.constant(weights.convertedTo(x.info.type).reshaped(extents)));
  }
  if (terms != 1)
    parts = &b.reduce("ReduceSum", *parts, {axis + 1});
  return b.reshape(*parts, result);
}

RowsOf::RowsOf(const Shape &shape, const std::vector<std::int64_t> &columns) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  for (std::int64_t dim = 0; dim != rank; ++dim)
    if (!std::ranges::count(columns, dim))
      order.push_back(dim);
  matrix = {1, 1};
  for (std::int64_t dim : order)
    matrix[0] *= shape[dim];
  order.insert(order.end(), columns.begin(), columns.end());
  for (std::int64_t dim : columns)
    matrix[1] *= shape[dim];
  for (std::int64_t dim : order)
    moved.push_back(shape[dim]);
}

Value &RowsOf::split(OpBuilder &b, Value &tensor) const {
  return b.reshape(b.transpose(tensor, order), matrix);
}

Value &RowsOf::join(OpBuilder &b, Value &rows) const {
  std::vector<std::int64_t> inverse(order.size());
  for (std::size_t i = 0; i != order.size(); ++i)
    inverse[order[i]] = static_cast<std::int64_t>(i);
  return b.transpose(b.reshape(rows, moved), inverse);
}

} // namespace populus::popir
