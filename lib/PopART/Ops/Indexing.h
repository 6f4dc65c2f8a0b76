// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a table at indices that are computed when the model runs: what the
// operators of the Gather and Scatter families come down to. A table is a
// matrix; the operators work out which row each index means.

#ifndef POPULUS_LIB_POPART_OPS_INDEXING_H
#define POPULUS_LIB_POPART_OPS_INDEXING_H

#include "lib/PopART/Lowering/Lowering.h"

namespace popart {

/// How an update is combined with what is there.
enum class UpdateKind { Replace, Add, Multiply, Max, Min };

/// An Error where the indices, input 1 of `op`, choose along dimensions [begin,
/// end) of its data, input 0, and one of those has no elements.
void checkChoice(const Op &op, std::size_t begin, std::size_t end);

/// `table` as a matrix of so many columns; of no rows where there is no column.
poplar::Tensor asRows(const poplar::Tensor &table, std::size_t columns);

/// The rows of `table` at `places` (flat, unsigned): [places, columns].
poplar::Tensor takeRows(Lowering &lowering, const Op &op,
                        const poplar::Tensor &table,
                        const poplar::Tensor &places);

/// Combines `rows` with the rows of `table` at `places`, in place.
void updateRows(Lowering &lowering, const Op &op, const poplar::Tensor &table,
                const poplar::Tensor &rows, const poplar::Tensor &places,
                UpdateKind kind);

/// `indices` of an axis of `extent` elements, from its end where negative,
/// times `step`.
poplar::Tensor scaledIndices(Lowering &lowering, const Op &op,
                             const poplar::Tensor &indices, std::int64_t extent,
                             std::int64_t step);

/// Where elements lie in a flat table of the shape `table`: along `axis` at
/// `indices`, along the other dimensions at their positions in `indices`. Flat
/// and unsigned.
poplar::Tensor elementPlaces(Lowering &lowering, const Op &op,
                             const Shape &table, const poplar::Tensor &indices,
                             std::int64_t axis);

/// 0, 1, …, count - 1 as integers.
poplar::Tensor countingRow(Lowering &lowering, const Op &op, std::size_t count);

} // namespace popart

#endif
