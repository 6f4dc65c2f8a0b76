// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common part of block sparse operations: checks of sizes, and the triangular
// masks of blocks.

#ifndef POPULUS_LIB_POPLIBS_POPSPARSE_BLOCKSPARSEMASK_H
#define POPULUS_LIB_POPLIBS_POPSPARSE_BLOCKSPARSEMASK_H

#include "lib/PopLibs/popsparse/BlockViews.h"

#include <popsparse/experimental/BlockSparse.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <array>
#include <string>

namespace popsparse {
namespace experimental {

/// Fails unless each dimension is a whole number of blocks.
template <std::size_t N>
void checkBlocks(const std::array<int, N> &dim,
                 const std::array<int, N> &blockSize) {
  for (std::size_t i = 0; i != N; ++i)
    if (dim[i] <= 0 || blockSize[i] <= 0 || dim[i] % blockSize[i] != 0)
      throw poputil::poplibs_error(
          "popsparse: a dimension of " + std::to_string(dim[i]) +
          " elements in blocks of " + std::to_string(blockSize[i]));
}

/// Mask of the blocks' elements, a constant [blocks, block size] of type BOOL.
/// The rows are divided into groups, each with its own diagonal.
inline poplar::Tensor maskOf(poplar::Graph &graph, const BlockPattern &pattern,
                             SubBlockMask mask, unsigned numGroups,
                             const poplar::DebugContext &dc) {
  if (numGroups == 0 || pattern.denseRows() % numGroups != 0)
    throw poputil::poplibs_error(
        "popsparse: " + std::to_string(pattern.denseRows()) + " rows in " +
        std::to_string(numGroups) + " groups");
  const std::size_t rowsOfGroup = pattern.denseRows() / numGroups;
  std::vector<char> counts;
  for (const auto &block : pattern.blocks)
    for (std::size_t i = 0; i != pattern.blockSize(); ++i) {
      const std::size_t row =
          (block.first * pattern.blockRows + i / pattern.blockColumns) %
          rowsOfGroup;
      const std::size_t column =
          block.second * pattern.blockColumns + i % pattern.blockColumns;
      counts.push_back(mask == SubBlockMask::ZeroUpperTriangle   ? column <= row
                       : mask == SubBlockMask::ZeroLowerTriangle ? column >= row
                                                                 : true);
    }
  const poplar::Tensor constant = graph.addConstant(
      poplar::BOOL, {pattern.blocks.size(), pattern.blockSize()},
      reinterpret_cast<const bool *>(counts.data()), dc);
  poputil::mapTensorLinearly(graph, constant);
  return constant;
}

} // namespace experimental
} // namespace popsparse

#endif
