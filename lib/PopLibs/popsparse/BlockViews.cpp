// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views of blocks and zeros, by rows of the grid.

#include "lib/PopLibs/popsparse/BlockViews.h"

#include <poputil/exceptions.hpp>

#include <map>
#include <string>

using namespace poplar;
using poputil::poplibs_error;

namespace popsparse {

BlockPattern BlockPattern::ofMask(const std::vector<unsigned char> &mask,
                                  std::size_t rows, std::size_t columns,
                                  std::size_t blockRows,
                                  std::size_t blockColumns) {
  if (mask.size() != rows * columns)
    throw poplibs_error("popsparse: a mask of " + std::to_string(mask.size()) +
                        " blocks for a matrix of " + std::to_string(rows) +
                        "x" + std::to_string(columns));
  BlockPattern pattern;
  pattern.rows = rows;
  pattern.columns = columns;
  pattern.blockRows = blockRows;
  pattern.blockColumns = blockColumns;
  for (std::size_t i = 0; i != mask.size(); ++i)
    if (mask[i])
      pattern.blocks.emplace_back(i / columns, i % columns);
  return pattern;
}

Tensor denseView(Graph &graph, const BlockPattern &pattern,
                 const Tensor &values, const DebugContext &debugContext) {
  const std::size_t size = pattern.blockSize();
  if (values.numElements() != pattern.blocks.size() * size)
    throw poplibs_error("popsparse: values of shape " + values.shapeToString() +
                        " for " + std::to_string(pattern.blocks.size()) +
                        " blocks of " + std::to_string(size) + " elements");
  const Tensor blocks = values.reshape(
      {pattern.blocks.size(), pattern.blockRows, pattern.blockColumns});
  const Tensor zero =
      graph.addConstant<float>(values.elementType(), {1, 1}, 0, debugContext);
  graph.setTileMapping(zero, 0);
  // By row of the grid, by column, the number of the block.
  std::vector<std::map<std::size_t, std::size_t>> grid(pattern.rows);
  for (std::size_t i = 0; i != pattern.blocks.size(); ++i)
    grid[pattern.blocks[i].first][pattern.blocks[i].second] = i;
  std::vector<Tensor> rows;
  for (const auto &placed : grid) {
    std::vector<Tensor> pieces;
    std::size_t next = 0;
    const auto zerosUpTo = [&](std::size_t column) {
      const std::size_t gap = (column - next) * pattern.blockColumns;
      if (gap != 0)
        pieces.push_back(
            zero.broadcast(pattern.blockRows, 0).broadcast(gap, 1));
    };
    for (const auto &[column, number] : placed) {
      zerosUpTo(column);
      pieces.push_back(blocks[number]);
      next = column + 1;
    }
    zerosUpTo(pattern.columns);
    rows.push_back(concat(pieces, 1));
  }
  return concat(rows);
}

Tensor blocksOf(const BlockPattern &pattern, const Tensor &matrix) {
  std::vector<Tensor> blocks;
  for (const auto &[row, column] : pattern.blocks) {
    const std::size_t r = row * pattern.blockRows;
    const std::size_t c = column * pattern.blockColumns;
    blocks.push_back(
        matrix.slice({r, c}, {r + pattern.blockRows, c + pattern.blockColumns})
            .flatten()
            .expand({0}));
  }
  return blocks.empty()
             ? matrix.flatten().slice(0, 0).reshape({0, pattern.blockSize()})
             : concat(blocks);
}

} // namespace popsparse
