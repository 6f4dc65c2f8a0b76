// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The weights of a layer as a grid of blocks, of which some hold values: what
// the host's partitioner and the device's operations agree on.

#ifndef POPULUS_LIB_POPLIBS_POPSPARSE_BLOCKGRID_H
#define POPULUS_LIB_POPLIBS_POPSPARSE_BLOCKGRID_H

#include <popsparse/FullyConnectedParams.hpp>

#include <poplar/OptionFlags.hpp>

#include <cstddef>
#include <limits>

namespace popsparse {
namespace dynamic {

struct BlockGrid {
  /// Fails where the layer is not supported.
  explicit BlockGrid(const FullyConnectedParams &params);

  std::size_t blockRows, blockColumns;
  std::size_t groups;
  /// Size of the grid in blocks; the rows of all groups follow each other.
  std::size_t rows, columns;
  /// Number of block slots.
  std::size_t places;

  std::size_t blockSize() const { return blockRows * blockColumns; }
  /// The row of a place that is not in use.
  std::size_t unusedRow() const { return rows; }

  /// Rows and columns of blocks are 16-bit numbers.
  static constexpr std::size_t MostRows =
      std::numeric_limits<unsigned short>::max();
};

/// Options that are passed to matrix products. Throws poplar::invalid_option
/// for unknown options.
poplar::OptionFlags matMulOptions(const poplar::OptionFlags &options);

} // namespace dynamic
} // namespace popsparse

#endif
