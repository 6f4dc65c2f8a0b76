// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that gradients of several operators are put together from: of those
// that select or weight slices, and of those that compute with rows of some
// dimensions. All are views and sums on the device.

#ifndef POPULUS_LIB_POPART_OPS_ADJOINTS_H
#define POPULUS_LIB_POPART_OPS_ADJOINTS_H

#include "lib/PopART/IR/OpBuilder.h"

namespace populus::popir {

/// A slice along an axis, and what it is multiplied with.
struct WeightedSlice {
  std::int64_t place = 0;
  double weight = 1;
};

/// Slice i of the result is the weighted sum of slices sums[i] of `x`, or zero
/// where there are none.
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
