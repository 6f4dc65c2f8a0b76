// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common part of channelwise convolutions and pools: windows that slide over
// adjacent channels. A tile has a block of channel groups, rows and columns,
// and one vertex with all six workers.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_CONVOLUTION_CHANNELWISEWINDOWS_H
#define POPULUS_LIB_POPLIBS_POPLIN_CONVOLUTION_CHANNELWISEWINDOWS_H

#include "lib/PopLibs/poplin/planning/ConvPlan.h"

#include <poplar/Graph.hpp>

#include <array>
#include <map>
#include <string>
#include <vector>

namespace poplin {

class ChannelwiseWindows {
public:
  /// \p input as groupedInput gives it, \p shape and \p plan with all channels
  /// in one group. Makes the variable for the results.
  ChannelwiseWindows(poplar::Graph &graph, const ConvShape &shape,
                     const ConvPlan &plan, const TapCosts &costs,
                     const poplar::Tensor &input,
                     const poplar::DebugContext &debugContext);

  /// Adds the vertex of a block, of a type with the fields `in`, `out`,
  /// `starts`, `segments`, `taps`, `inStep` and `outStep`.
  poplar::VertexRef addVertex(poplar::ComputeSet cs, const ConvBlock &block,
                              const std::string &name);

  /// Returns the part that a block reads of a tensor laid out like the input.
  poplar::Tensor readBy(const ConvBlock &block,
                        const poplar::Tensor &grouped) const;
  /// Returns the elements at the block's results of a tensor made by
  /// groupedInput.
  poplar::Tensor atResultsOf(const ConvBlock &block,
                             const poplar::Tensor &grouped) const;

  /// [batch, channels, rows, columns].
  poplar::Tensor result() const;

private:
  poplar::Graph &graph;
  const ConvShape &shape;
  const ConvPlan &plan;
  const TapCosts costs;
  const poplar::Tensor input;
  std::vector<poplar::Tensor> results; // of each block, flat
  /// By the number of blocks of channels and the parts of rows and columns.
  std::map<std::array<std::size_t, 3>, TapLists> lists;

  std::size_t elementsOf(const ConvBlock &block) const;
  PartRange rowsRead(const ConvBlock &block) const;
  PartRange columnsRead(const ConvBlock &block) const;
  poplar::Tensor partOf(const ConvBlock &block, const poplar::Tensor &grouped,
                        const PartRange &rows, const PartRange &columns) const;
  std::size_t channelBlocks(const ConvBlock &block) const;
  const TapLists &listsOf(const ConvBlock &block);
};

} // namespace poplin

#endif
