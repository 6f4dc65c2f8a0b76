// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrices whose pattern the graph knows: a dense matrix is a view of their
// blocks, with a constant zero in all other places. Nothing is copied until a
// product gathers its operands.

#ifndef POPULUS_LIB_POPLIBS_POPSPARSE_BLOCKVIEWS_H
#define POPULUS_LIB_POPLIBS_POPSPARSE_BLOCKVIEWS_H

#include <poplar/Graph.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace popsparse {

struct BlockPattern {
  /// Size of the grid in blocks.
  std::size_t rows = 0, columns = 0;
  std::size_t blockRows = 1, blockColumns = 1;
  /// The row and the column of each block.
  std::vector<std::pair<std::size_t, std::size_t>> blocks;

  /// Makes the pattern of a mask [rows, columns] with a 1 for each block, in
  /// row-major order.
  static BlockPattern ofMask(const std::vector<unsigned char> &mask,
                             std::size_t rows, std::size_t columns,
                             std::size_t blockRows, std::size_t blockColumns);

  std::size_t blockSize() const { return blockRows * blockColumns; }
  std::size_t denseRows() const { return rows * blockRows; }
  std::size_t denseColumns() const { return columns * blockColumns; }
};

/// [rows, columns] in elements, of \p values [blocks, block size].
poplar::Tensor denseView(poplar::Graph &graph, const BlockPattern &pattern,
                         const poplar::Tensor &values,
                         const poplar::DebugContext &debugContext);

/// The blocks [blocks, block size] of a dense matrix.
poplar::Tensor blocksOf(const BlockPattern &pattern,
                        const poplar::Tensor &matrix);

} // namespace popsparse

#endif
