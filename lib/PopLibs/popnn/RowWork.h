// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short rows, each the work of one worker from its beginning to its end: where
// rows are few and short, several steps that each share out all elements take
// longer than one that does not.

#ifndef POPULUS_LIB_POPLIBS_POPNN_ROWWORK_H
#define POPULUS_LIB_POPLIBS_POPNN_ROWWORK_H

#include <poplar/Graph.hpp>

#include <vector>

namespace popnn {

/// Rows of a vertex.
struct RowWork {
  unsigned tile;
  poplar::Interval rows;
};

/// The work on rows [rows, columns], each on the tile of its first element;
/// none where a vertex would have too much of it.
std::vector<RowWork> rowWork(const poplar::Graph &graph,
                             const poplar::Tensor &rows);

/// A variable of a shape [..., columns] whose rows are on a tile each; invalid
/// where rows would be too much work.
poplar::Tensor makeRows(poplar::Graph &graph, const poplar::Type &type,
                        const std::vector<std::size_t> &shape,
                        const poplar::DebugContext &dc);

} // namespace popnn

#endif
