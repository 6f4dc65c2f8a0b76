// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands whose channels lie side by side in groups, as the matrix unit and
// the channelwise vertices read them.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_OPERANDS_GROUPEDOPERANDS_H
#define POPULUS_LIB_POPLIBS_POPLIN_OPERANDS_GROUPEDOPERANDS_H

#include "lib/PopLibs/poplin/planning/ConvPlan.h"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace poplin {

/// A tensor whose view is in the order of its elements, so that slices of it
/// are simple.
inline poplar::Tensor inOrder(const poplar::Tensor &t) {
  return t.flatten().reshape(t.shape());
}

/// Returns true if groups of \p width elements are contiguous in memory.
bool isGrouped(const poplar::Tensor &t, std::size_t width);

/// \p in, [batch, groups, channels, rows, columns] as \p from describes it, as
/// [batch][groups][channel groups][rows][columns][width] with the padding that
/// \p to has more. One that does not lie so in memory, or needs zeros, is
/// rearranged once, spread over all tiles, rather than on every tile that uses
/// it.
poplar::Tensor groupedInput(poplar::Graph &graph, const poplar::Tensor &in,
                            const ConvShape &from, const ConvShape &to,
                            const ConvPlan &plan,
                            poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext);

/// \p bias, one for each channel of all groups, as [groups, channels] of \p
/// type with \p channels of them in each group, the additional ones zero.
poplar::Tensor initialValues(poplar::Graph &graph, const poplar::Tensor &bias,
                             const poplar::Type &type, std::size_t groups,
                             std::size_t channels,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext);

/// A constant [tiles, elements] of \p type, zeros on each tile.
poplar::Tensor zerosOnTiles(poplar::Graph &graph, const poplar::Type &type,
                            std::size_t elements,
                            const poplar::DebugContext &debugContext);

/// Results [batch, groups, channels, rows, columns] of the blocks of a plan,
/// each of which is [channel groups, images, rows, columns, width].
template <class ResultOf>
poplar::Tensor assembleGrouped(const ConvPlan &plan, const ConvShape &shape,
                               ResultOf resultOf) {
  std::vector<poplar::Tensor> images, groups, parts, rows, columns;
  const Partition columnParts{shape.x.output, plan.columns.parts};
  plan.forEachBlock([&](const ConvBlock &block) {
    columns.push_back(resultOf(block).reshape(
        {plan.outChannels.size(block.out), plan.images.size(block.images),
         plan.rows.size(block.row), columnParts.size(block.column),
         plan.width.out}));
    if (block.column + 1 != plan.columns.parts)
      return;
    rows.push_back(poplar::concat(columns, 3));
    columns.clear();
    if (block.row + 1 != plan.rows.parts)
      return;
    parts.push_back(poplar::concat(rows, 2));
    rows.clear();
    if (block.out + 1 != plan.outChannels.parts)
      return;
    groups.push_back(poplar::concat(parts, 0).expand({0}));
    parts.clear();
    if (block.group + 1 != plan.groups)
      return;
    images.push_back(poplar::concat(groups, 0));
    groups.clear();
  });
  // From [groups][channel groups][images][rows][columns][width].
  return poplar::concat(images, 2)
      .dimShuffle({2, 0, 1, 5, 3, 4})
      .reshape({plan.images.extent, plan.groups,
                plan.outChannels.extent * plan.width.out, shape.y.output,
                shape.x.output});
}

} // namespace poplin

#endif
