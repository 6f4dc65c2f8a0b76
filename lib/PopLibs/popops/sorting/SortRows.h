// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorting of the rows of matrices, used by sort and topK.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_SORTING_SORTROWS_H
#define POPULUS_LIB_POPLIBS_POPOPS_SORTING_SORTROWS_H

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popops {

/// Keys [rows][count] and, unless that is invalid, a value for each.
struct KeyRows {
  poplar::Tensor keys, values;
};

/// Treatment of values.
enum class SortValues {
  None,
  Given,
  /// The values are the indices of the keys in the unsorted row.
  Places,
};

/// Returns new tensors in which each chunk of \p chunk keys of a row (the last
/// may be shorter) is sorted. Equal keys keep their order.
KeyRows sortChunks(poplar::Graph &graph, const KeyRows &in, SortValues values,
                   std::size_t chunk, bool descending,
                   poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext);

/// Returns new tensors with sorted rows. Several tiles sort a long row; equal
/// keys may then change places.
KeyRows sortRows(poplar::Graph &graph, const KeyRows &in, SortValues values,
                 bool descending, poplar::program::Sequence &prog,
                 const poplar::DebugContext &debugContext);

} // namespace popops

#endif
