// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lookup and update of table rows at run-time indices, the common ground of the
// Gather and Scatter families. A table is a matrix; the operators translate
// their indices to row numbers ("places").

#ifndef POPULUS_LIB_POPART_OPS_INDEXING_INDEXING_H
#define POPULUS_LIB_POPART_OPS_INDEXING_INDEXING_H

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/Lowering/Lowering.h"

#include <functional>

namespace populus::popir {

/// The combination of an update with the old element.
enum class UpdateKind { Replace, Add, Multiply, Max, Min };

/// Throws an Error if the indices, input 1 of `op`, select along dimensions
/// [begin, end) of the data, input 0, and one of these is empty.
void checkChoice(const Op &op, std::size_t begin, std::size_t end);

/// `table` as a matrix of `columns` columns; without columns, it has no rows.
poplar::Tensor asRows(const poplar::Tensor &table, std::size_t columns);

/// The rows of `table`, [groups, rows, columns], at `places`, [groups, count]
/// and unsigned: [groups, count, columns].
poplar::Tensor takeRowsOfGroups(Lowering &lowering, const Op &op,
                                const poplar::Tensor &table,
                                const poplar::Tensor &places);
/// The same of one group, without its dimension.
poplar::Tensor takeRows(Lowering &lowering, const Op &op,
                        const poplar::Tensor &table,
                        const poplar::Tensor &places);

/// Combines `rows`, [groups, count, columns], with the rows of `table` at
/// `places`, in place.
void updateRowsOfGroups(Lowering &lowering, const Op &op,
                        const poplar::Tensor &table, const poplar::Tensor &rows,
                        const poplar::Tensor &places, UpdateKind kind);
/// The same of one group, without its dimension.
void updateRows(Lowering &lowering, const Op &op, const poplar::Tensor &table,
                const poplar::Tensor &rows, const poplar::Tensor &places,
                UpdateKind kind);

/// A writable copy of `x`; `x` itself if the operator computes in place. If
/// elements of `x` share memory, as in a broadcast zero, the copy is spread
/// over the tiles.
poplar::Tensor changeableCopy(Lowering &lowering, const Op &op,
                              const poplar::Tensor &x);

/// Describes a scatter operator for differentiateScatter.
struct ScatterGradient {
  UpdateKind kind = UpdateKind::Replace;
  /// Operand numbers. Without data, updates are combined with the neutral
  /// element.
  std::optional<std::size_t> data;
  std::size_t updates = 0;
  /// Gathers the indexed elements of a tensor shaped like the data.
  std::function<Value &(Value &)> taken = {};
  /// The tensor with the indexed elements set to zero.
  std::function<Value &(Value &)> cleared = {};
};

/// Max and Min pass the whole gradient to every extreme element. Replace passes
/// it to each of several updates of one element. Multiply divides the product
/// by the factor.
void differentiateScatter(Gradients &g, const ScatterGradient &scatter);

/// `indices` of an axis of `extent` elements, times `step`; negative indices
/// count from the end.
poplar::Tensor scaledIndices(Lowering &lowering, const Op &op,
                             const poplar::Tensor &indices, std::int64_t extent,
                             std::int64_t step);

/// Row numbers for lookups along an axis of `extent` elements; negative indices
/// count from the end.
poplar::Tensor placesAlong(Lowering &lowering, const Op &op,
                           const poplar::Tensor &indices, std::int64_t extent);

/// Lookup of elements along an axis, as tables. Each position along the other
/// axes is a group, whose rows have one element. If all groups have the same
/// indices (`isShared`), they are merged to one group, whose rows have an
/// element for each position.
class ElementGroups {
public:
  ElementGroups(const poplar::Tensor &indices, std::int64_t axis,
                bool isShared);

  /// The indices, [groups, count].
  poplar::Tensor indices() const;
  /// Reshapes a tensor to [groups, along the axis, columns]. Its shape is that
  /// of the indices, except for the axis; other dimensions may be larger and
  /// are cut off.
  poplar::Tensor grouped(const poplar::Tensor &elements) const;
  /// [groups, count, columns] in the shape of the indices.
  poplar::Tensor inShape(const poplar::Tensor &rows) const;

private:
  poplar::Tensor given;
  unsigned axis;
  bool isShared;
};

/// 0, 1, …, count - 1 as integers.
poplar::Tensor countingRow(Lowering &lowering, const Op &op, std::size_t count);

} // namespace populus::popir

#endif
