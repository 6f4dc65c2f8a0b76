// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a table at indices that are computed when the model runs: what the
// operators of the Gather and Scatter families come down to. A table is a
// matrix; the operators work out which row each index means.

#ifndef POPULUS_LIB_POPART_OPS_INDEXING_INDEXING_H
#define POPULUS_LIB_POPART_OPS_INDEXING_INDEXING_H

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/Lowering/Lowering.h"

#include <functional>

namespace populus::popir {

/// How an update is combined with what is there.
enum class UpdateKind { Replace, Add, Multiply, Max, Min };

/// An Error where the indices, input 1 of `op`, choose along dimensions [begin,
/// end) of its data, input 0, and one of those has no elements.
void checkChoice(const Op &op, std::size_t begin, std::size_t end);

/// `table` as a matrix of so many columns; of no rows where there is no column.
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

/// A new tensor with the elements of `x`, to be changed; `x` itself where the
/// operator computes in place. Where elements of `x` are the same memory, as in
/// a zero that is broadcast, it is spread over the tiles.
poplar::Tensor changeableCopy(Lowering &lowering, const Op &op,
                              const poplar::Tensor &x);

/// How the gradients of an operator are made that combines updates with data.
struct ScatterGradient {
  UpdateKind kind = UpdateKind::Replace;
  /// The operands. Without data the updates are combined with what changes
  /// nothing.
  std::optional<std::size_t> data;
  std::size_t updates = 0;
  /// The elements of a tensor like the data that the indices choose.
  std::function<Value &(Value &)> taken = {};
  /// The tensor with zeros there.
  std::function<Value &(Value &)> cleared = {};
};

/// Every extreme element gets the whole gradient; of several updates of one
/// element without a reduction, each does. That of a product is a quotient.
void differentiateScatter(Gradients &g, const ScatterGradient &scatter);

/// `indices` of an axis of `extent` elements, from its end where negative,
/// times `step`.
poplar::Tensor scaledIndices(Lowering &lowering, const Op &op,
                             const poplar::Tensor &indices, std::int64_t extent,
                             std::int64_t step);

/// Places along an axis of `extent` elements, from its end where negative, as
/// look-ups want them.
poplar::Tensor placesAlong(Lowering &lowering, const Op &op,
                           const poplar::Tensor &indices, std::int64_t extent);

/// Elements at indices along an axis; positions along the other dimensions are
/// those in the indices. Every such position is a group with rows of one
/// element. Where indices are the same for all of them (`isShared`) there is
/// one group, with rows of an element for each.
class ElementGroups {
public:
  ElementGroups(const poplar::Tensor &indices, std::int64_t axis,
                bool isShared);

  /// The indices, [groups, count].
  poplar::Tensor indices() const;
  /// Elements that lie as the indices do, but for the axis, which may have
  /// another extent, and other dimensions, which may be larger: [groups, along
  /// the axis, columns].
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
