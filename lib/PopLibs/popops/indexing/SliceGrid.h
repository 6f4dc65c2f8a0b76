// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Division of the work of slicing and updating tables: groups, rows and columns
// of the table, and the indices, are divided into pieces, one for each vertex.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_INDEXING_SLICEGRID_H
#define POPULUS_LIB_POPLIBS_POPOPS_INDEXING_SLICEGRID_H

#include "lib/PopLibs/poputil/Partition.h"

#include <poplar/Graph.hpp>

namespace popops {

/// A table[groups][rows][width], and for each group count indices of the first
/// of size rows each.
struct SliceShape {
  std::size_t groups = 1;
  std::size_t rows = 1;
  std::size_t width = 1;
  std::size_t count = 1;
  std::size_t size = 1;
};

struct SliceGrid {
  poplibs::Chunks groups, rows, columns, counts;
  poplibs::TileGrid tiles;

  std::size_t pieces() const {
    return groups.parts() * rows.parts() * columns.parts() * counts.parts();
  }
  /// The most blocks of the table that the pieces of a tile read.
  std::size_t blocksPerTile() const;
  /// Pieces that differ in indices alone are neighbours: those on one tile read
  /// the same block.
  unsigned tile(std::size_t group, std::size_t column, std::size_t count,
                std::size_t row) const {
    return tiles.tile(
        ((group * columns.parts() + column) * rows.parts() + row) *
            counts.parts() +
        count);
  }
};

/// The layout that tables are created with: columns are spread evenly over all
/// workers, rows of large tables over the tiles.
SliceGrid tableGrid(const poplar::Target &target, const poplar::Type &type,
                    const SliceShape &shape);

/// Cheapest division for a table with an arbitrary layout.
SliceGrid planSlice(const poplar::Target &target, const poplar::Type &type,
                    const SliceShape &shape);
/// The same for updates. Indices are not divided, because the order of updates
/// to a row matters.
SliceGrid planUpdate(const poplar::Target &target, const poplar::Type &type,
                     const SliceShape &shape);

/// A new table[groups][rows][width], laid out by tableGrid.
poplar::Tensor addTable(poplar::Graph &graph, const poplar::Type &type,
                        const SliceShape &shape,
                        const poplar::DebugContext &debugContext);

/// Returns true if each block of \p table [groups][rows][width] is contiguous
/// on the tile that the grid gives it. Only a few blocks are checked, because
/// only speed depends on the result.
bool liesOnGrid(const poplar::Graph &graph, const poplar::Tensor &table,
                const SliceGrid &grid);

} // namespace popops

#endif
