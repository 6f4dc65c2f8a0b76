// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorting of the rows of matrices, which sort and topK are made of.

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
  /// They are the places of the keys in the unsorted row.
  Places,
};

/// New tensors in which each chunk of \p chunk keys of a row (the last may have
/// fewer) is sorted; what is equal keeps its order.
KeyRows sortChunks(poplar::Graph &graph, const KeyRows &in, SortValues values,
                   std::size_t chunk, bool descending,
                   poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext);

/// New tensors with sorted rows; long rows are sorted by several tiles, and
/// keys that are equal may change places then.
KeyRows sortRows(poplar::Graph &graph, const KeyRows &in, SortValues values,
                 bool descending, poplar::program::Sequence &prog,
                 const poplar::DebugContext &debugContext);

} // namespace popops

#endif
