// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Division of a convolution over tiles. A tile computes a block of results: for
// one group, a part of the output channels and of the positions of the output
// field. It may add up a part of the input channels only; the partial sums of
// several tiles are then reduced. For example, with 64 output channels in
// groups of 16, 8 rows and 2 parts of the input channels:
//
//              rows 0-3   rows 4-7
//    out  0-15  tile 0,1   tile 2,3      two tiles per block: one for each part
//    out 16-31  tile 4,5   tile 6,7      of the input channels; their sums are
//    out 32-47  ...                      added up

#ifndef POPULUS_LIB_POPLIBS_POPLIN_PLANNING_CONVPLAN_H
#define POPULUS_LIB_POPLIBS_POPLIN_PLANNING_CONVPLAN_H

#include "lib/PopLibs/poplin/planning/CostModel.h"
#include "lib/PopLibs/poplin/planning/SerialSplit.h"
#include "lib/PopLibs/poputil/Partition.h"
#include "lib/PopLibs/poputil/TapLists.h"

#include <compare>
#include <cstddef>
#include <vector>

namespace poplin {

using namespace poplibs; // Partition.h

using ConvDim = WindowDim;

/// A convolution over a field of two dimensions, rows and columns.
struct ConvShape {
  std::size_t batch, groups, inChannels, outChannels;
  ConvDim y, x;

  /// True if there are no results, or all of them are empty sums.
  bool isEmpty() const {
    return batch * groups * inChannels * outChannels * y.input * x.input *
               y.kernel * x.kernel * y.output * x.output ==
           0;
  }

  friend auto operator<=>(const ConvShape &, const ConvShape &) = default;
};

enum class ConvMethod {
  Direct,
  /// On the matrix unit; channels are divided in groups.
  Matrix,
  /// Each channel by itself, with many adjacent channels. All channels count as
  /// channels of a single group, and the plan's outChannels are groups of them.
  Channelwise,
};

/// Selects the taps of the kernel that become input channels (MatrixForm).
enum class KernelFold {
  None,
  /// Taps of a column. An input row then serves one output row.
  Rows,
  All
};

/// Numbers of channels.
struct ChannelGroups {
  std::size_t in = 1, out = 1;
};

/// Place of a block of results in the grid that a plan divides them into.
struct ConvBlock {
  std::size_t index, images, group, out, row, column, positions;
};

/// Parts of a line of positions that begin at multiples of a grain: at rows, at
/// images, or anywhere.
struct PositionParts {
  std::size_t extent = 1, parts = 1, grain = 1;

  std::size_t begin(std::size_t part) const {
    return grains().begin(part) * grain;
  }
  std::size_t end(std::size_t part) const { return begin(part + 1); }
  std::size_t size(std::size_t part) const { return end(part) - begin(part); }
  std::size_t largest() const { return grains().largest() * grain; }

private:
  Partition grains() const { return {extent / grain, parts}; }
};

/// Indices of a dimension.
struct PartRange {
  std::size_t begin, end;
  std::size_t size() const { return end - begin; }
};

struct ConvPlan {
  /// Batch elements. Each is a part, except on the matrix unit.
  Partition images;
  std::size_t groups = 1;
  ConvMethod method = ConvMethod::Direct;
  /// Number of groups of the convolution that are computed as one
  /// (DiagonalGroups).
  std::size_t groupsTogether = 1;
  KernelFold fold = KernelFold::None;
  /// Widths of groups of adjacent channels, and of blocks of channels: those of
  /// one pass of the matrix unit, or 32 bytes of channels.
  ChannelGroups width, pass;
  bool halfSums = false; // of the matrix unit
  bool constantWeights = false;
  Partition outChannels, rows, inChannels;
  Partition columns; // of channelwise plans only
  /// For the matrix unit only, instead of images, rows and columns: positions
  /// of a channel in all images, row by row (ConvRun.h).
  PositionParts positions;
  /// Number of steps in which tiles process their input channels. A tile holds
  /// the operands of one step at a time and accumulates over all steps.
  std::size_t inSteps = 1;
  /// With several parts, the rest of the plan is the plan of one part.
  SerialSplit serial;
  TileGrid tiles;
  double cost = -1; // the estimate in cycles
  /// Temporary bytes on a tile. The parts of a serial split reuse the memory of
  /// buffers and sums; vertices of each part have their own.
  double dataMemory = 0, vertexMemory = 0;
  /// Bytes left for rearranging operands (TransposedCopy.h).
  double spareMemory = 0;

  double memory() const { return dataMemory + serial.parts * vertexMemory; }

  std::size_t blocks() const {
    return images.parts * groups * outChannels.parts * rows.parts *
           columns.parts * positions.parts;
  }
  /// Blocks in so many groups of channels.
  std::size_t inBlocks(std::size_t groups) const {
    return groups * (width.in / pass.in);
  }
  std::size_t outBlocks(std::size_t groups) const {
    return groups * (width.out / pass.out);
  }
  /// Visits all blocks, in the order of their indices.
  template <class F> void forEachBlock(F visit) const {
    std::size_t index = 0;
    for (std::size_t b = 0; b != images.parts; ++b)
      for (std::size_t g = 0; g != groups; ++g)
        for (std::size_t o = 0; o != outChannels.parts; ++o)
          for (std::size_t r = 0; r != rows.parts; ++r)
            for (std::size_t c = 0; c != columns.parts; ++c)
              for (std::size_t p = 0; p != positions.parts; ++p)
                visit(ConvBlock{index++, b, g, o, r, c, p});
  }
  /// The tile that computes part \p in of the sums of a block.
  unsigned tile(const ConvBlock &block, std::size_t in) const {
    return tiles.tile(block.index * inChannels.parts + in);
  }
  /// The tiles of all parts of the sums of a block.
  std::vector<unsigned> tilesOf(const ConvBlock &block) const {
    std::vector<unsigned> tilesOfBlock;
    for (std::size_t i = 0; i != inChannels.parts; ++i)
      tilesOfBlock.push_back(tile(block, i));
    return tilesOfBlock;
  }
  /// The input channel groups that a step takes of a part.
  PartRange inStep(std::size_t in, std::size_t step) const {
    const Partition steps{inChannels.size(in), inSteps};
    const std::size_t first = inChannels.begin(in);
    return {first + steps.begin(step), first + steps.end(step)};
  }
  /// The tile of the first block of some output channels.
  unsigned firstTile(std::size_t group, std::size_t out, std::size_t in) const {
    return tiles.tile((group * outChannels.parts + out) * rows.parts *
                          columns.parts * positions.parts * inChannels.parts +
                      in);
  }
  std::size_t workersPerBlock(std::size_t workers) const;
};

/// The input rows that some output rows read; at least one, so that edges are
/// not empty where all of them read padding.
PartRange inputRows(const ConvDim &y, std::size_t begin, std::size_t end);

/// The part of a dimension that computes the results [begin, end) from the
/// input elements \p range.
ConvDim blockDim(const ConvDim &dim, std::size_t begin, std::size_t end,
                 const PartRange &range);

/// Bundles of a worker of the direct method.
double directBundles(const ConvShape &shape, bool isHalf,
                     std::size_t inChannels, std::size_t outChannels,
                     std::size_t rows);

/// The same convolution with all channels in one group, for
/// ConvMethod::Channelwise.
ConvShape channelwiseShape(const ConvShape &shape);
/// Costs of poplin::ConvChannelwise.
TapCosts channelwiseCosts(bool isHalf);

/// Width of a group of adjacent channels. Convolutions and pools use the same
/// width, so that no rearrangement is needed between them.
std::size_t channelGroupWidth(std::size_t channels, const CostModel &cost);

/// The cost of bringing elements into groups, one by one.
double regroupCost(std::size_t elements, const CostModel &cost);

/// The shape of each part.
ConvShape partOf(ConvShape shape, const SerialSplit &split);
/// Bytes of a convolution's operands and results.
double operandBytes(const ConvShape &shape, const CostModel &cost);

/// The cheapest plan.
ConvPlan planConv(const ConvShape &shape, const CostModel &cost);
/// The cheapest one on the matrix unit; without a cost if there is none.
ConvPlan planMatrixConv(const ConvShape &shape, const CostModel &cost);
/// The cheapest channelwise one for vertices of such costs, of a \p shape whose
/// groups have one channel; without a cost if there is none.
ConvPlan planChannelwise(const ConvShape &shape, const CostModel &cost,
                         const TapCosts &costs);

} // namespace poplin

#endif
