// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that can work on a slice of the batch at a time, and what becomes
// of their results. A batch of 4 in two slices:
//
//   x: 4 x 3        Relu(x)          slices of 2 x 3, one behind the other
//   x: 4 x 3        MatMul(x, w)     the same; w is read whole
//   x, dy: 4 x 3    MatMul(x', dy)   3 x 3 of each slice, added up
//   p: 4            ReduceMean(p)    means of slices, averaged by their sizes
//
// The rules hold by position, so any value of a fitting shape may be cut: a
// mask that does not depend on the data, too.

#ifndef POPULUS_LIB_POPART_PASSES_BATCHRULES_H
#define POPULUS_LIB_POPART_PASSES_BATCHRULES_H

#include "lib/PopART/IR/Op.h"

#include <optional>
#include <vector>

namespace populus::popir {

/// The axis along which a value is cut. The batch is its slowest part: a batch
/// element has `elements` neighbours there, so that a reshape of [batch, 5, …]
/// to [batch * 5, …] has 5.
struct BatchAxis {
  std::size_t axis = 0;
  std::int64_t elements = 1;
  bool operator==(const BatchAxis &) const = default;
};

/// An axis for each operand or result; nothing: it is whole.
using BatchAxes = std::vector<std::optional<BatchAxis>>;

struct SlicedOp {
  BatchAxes inputs;
  /// The axis of a result that is concatenated. Any other one is combined.
  BatchAxes outputs;
  enum Combination { Sum, Mean } combination = Sum;
  /// Operators that name the shape of their result are made anew.
  enum Form { Same, Reshaped, Expanded, ShapeAttribute } form = Same;
};

/// Nothing if the operator needs the whole batch. `operands` has the axes of
/// those operands that are cut already.
std::optional<SlicedOp> slicesOf(const Op &op, std::int64_t batch,
                                 const BatchAxes &operands);

} // namespace populus::popir

#endif
