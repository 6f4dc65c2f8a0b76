// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a convolution is divided over tiles: a tile computes, for one batch
// element and one group, a part of the output channels and of the rows of the
// output field from a part of the input channels.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_CONVPLAN_H
#define POPULUS_LIB_POPLIBS_POPLIN_CONVPLAN_H

#include "lib/PopLibs/poplin/CostModel.h"
#include "lib/PopLibs/poputil/Partition.h"

#include <compare>
#include <cstddef>
#include <vector>

namespace poplin {

using namespace poplibs; // Partition.h

/// One dimension of the field of a convolution, with all transforms reduced to
/// four numbers: result o uses tap k of the kernel with input element
/// o * stride + k * dilation + origin, where that exists.
struct ConvDim {
  std::size_t input = 1;
  std::size_t kernel = 1;
  std::size_t output = 1;
  std::size_t stride = 1;
  std::size_t dilation = 1;
  std::ptrdiff_t origin = 0;

  friend auto operator<=>(const ConvDim &, const ConvDim &) = default;
  std::ptrdiff_t firstInput(std::size_t result) const {
    return static_cast<std::ptrdiff_t>(result * stride) + origin;
  }
};

/// A convolution over a field of two dimensions, rows and columns.
struct ConvShape {
  std::size_t batch, groups, inChannels, outChannels;
  ConvDim y, x;

  friend auto operator<=>(const ConvShape &, const ConvShape &) = default;
};

/// Groups of channels of the matrix unit's method.
struct ChannelGroups {
  std::size_t in = 1;  // channels that are multiplied in one pass
  std::size_t out = 1; // channels that lie side by side in the results
};

/// Output channels that a pass of the matrix unit computes.
constexpr std::size_t ChannelsPerPass = 8;

/// Place of a block of results in the grid that a plan divides them into.
struct ConvBlock {
  std::size_t index, batch, group, out, row;
};

struct ConvPlan {
  std::size_t batch = 1, groups = 1;
  /// Whether the matrix unit is used. Channels are then divided in groups.
  bool matrix = false;
  /// Whether the taps of the kernel are taken for input channels (MatrixForm).
  bool foldKernel = false;
  ChannelGroups width;
  Partition outChannels, rows, inChannels;
  TileGrid tiles;
  double cost = -1; // the estimate in cycles

  std::size_t blocks() const {
    return batch * groups * outChannels.parts * rows.parts;
  }
  /// Visits all blocks, in the order of their indices.
  template <class F> void forEachBlock(F visit) const {
    std::size_t index = 0;
    for (std::size_t b = 0; b != batch; ++b)
      for (std::size_t g = 0; g != groups; ++g)
        for (std::size_t o = 0; o != outChannels.parts; ++o)
          for (std::size_t r = 0; r != rows.parts; ++r)
            visit(ConvBlock{index++, b, g, o, r});
  }
  /// The tile that computes part \p in of the sums of a block.
  unsigned tile(const ConvBlock &block, std::size_t in) const {
    return tile(block.batch, block.group, block.out, block.row, in);
  }
  /// The tiles of all parts of the sums of a block.
  std::vector<unsigned> tilesOf(const ConvBlock &block) const {
    std::vector<unsigned> tilesOfBlock;
    for (std::size_t i = 0; i != inChannels.parts; ++i)
      tilesOfBlock.push_back(tile(block, i));
    return tilesOfBlock;
  }
  unsigned tile(std::size_t b, std::size_t group, std::size_t out,
                std::size_t row, std::size_t in) const {
    return tiles.tile(
        (((b * groups + group) * outChannels.parts + out) * rows.parts + row) *
            inChannels.parts +
        in);
  }
  std::size_t workersPerBlock(std::size_t workers) const;
};

/// The input rows that some output rows read; at least one, so that edges are
/// not empty where all of them read padding.
struct RowRange {
  std::size_t begin, end;
  std::size_t size() const { return end - begin; }
};
RowRange inputRows(const ConvDim &y, std::size_t begin, std::size_t end);

/// The part of a dimension that computes the results [begin, end) from the
/// input elements \p range.
ConvDim blockDim(const ConvDim &dim, std::size_t begin, std::size_t end,
                 const RowRange &range);

/// The cheapest plan.
ConvPlan planConv(const ConvShape &shape, const CostModel &cost);
/// The cheapest one on the matrix unit; without a cost if there is none.
ConvPlan planMatrixConv(const ConvShape &shape, const CostModel &cost);

} // namespace poplin

#endif
