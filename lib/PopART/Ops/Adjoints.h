// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building blocks of gradients: for operators that select or weight slices, and
// for operators on rows of some dimensions. On the device they are views and
// sums.

#ifndef POPULUS_LIB_POPART_OPS_ADJOINTS_H
#define POPULUS_LIB_POPART_OPS_ADJOINTS_H

#include "lib/PopART/IR/OpBuilder.h"

namespace populus::popir {

/// A slice along an axis, and its weight.
struct WeightedSlice {
  std::int64_t place = 0;
  double weight = 1;
};

/// Slice i of the result is the weighted sum of the slices sums[i] of `x`, or
/// zero if there are none.
Value &slicesSummed(OpBuilder &b, Value &x, std::int64_t axis,
                    const std::vector<std::vector<WeightedSlice>> &sums);

/// A tensor as a matrix whose columns are some of its dimensions.
class RowsOf {
public:
  RowsOf(const Shape &shape, const std::vector<std::int64_t> &columns);

  std::int64_t numRows() const { return matrix[0]; }
  std::int64_t numColumns() const { return matrix[1]; }
  const Shape &shape() const { return matrix; }
  Value &split(OpBuilder &b, Value &tensor) const;
  Value &join(OpBuilder &b, Value &rows) const;

private:
  std::vector<std::int64_t> order;
  Shape moved, matrix;
};

} // namespace populus::popir

#endif
