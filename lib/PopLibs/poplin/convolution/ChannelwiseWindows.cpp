// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results lie where they are computed, block by block.

#include "lib/PopLibs/poplin/convolution/ChannelwiseWindows.h"

#include "lib/PopLibs/poplin/operands/GroupedOperands.h"

using namespace poplar;

namespace poplin {

ChannelwiseWindows::ChannelwiseWindows(Graph &graph, const ConvShape &shape,
                                       const ConvPlan &plan,
                                       const TapCosts &costs,
                                       const Tensor &input,
                                       const DebugContext &dc)
    : graph(graph), shape(shape), plan(plan), costs(costs), input(input) {
  std::size_t elements = 0;
  plan.forEachBlock(
      [&](const ConvBlock &block) { elements += elementsOf(block); });
  const Tensor variable =
      graph.addVariable(input.elementType(), {elements}, {dc, "out"});
  std::size_t at = 0;
  plan.forEachBlock([&](const ConvBlock &block) {
    const std::size_t end = at + elementsOf(block);
    results.push_back(variable.slice(at, end));
    graph.setTileMapping(results.back(), plan.tile(block, 0));
    at = end;
  });
}

std::size_t ChannelwiseWindows::elementsOf(const ConvBlock &block) const {
  return plan.outChannels.size(block.out) * plan.rows.size(block.row) *
         plan.columns.size(block.column) * plan.width.out;
}

PartRange ChannelwiseWindows::rowsRead(const ConvBlock &block) const {
  return inputRows(shape.y, plan.rows.begin(block.row),
                   plan.rows.end(block.row));
}

PartRange ChannelwiseWindows::columnsRead(const ConvBlock &block) const {
  return inputRows(shape.x, plan.columns.begin(block.column),
                   plan.columns.end(block.column));
}

/// Number of channel blocks that exist; the last group may be partial.
std::size_t ChannelwiseWindows::channelBlocks(const ConvBlock &block) const {
  const std::size_t begin = plan.outChannels.begin(block.out) * plan.width.out;
  const std::size_t end = std::min(
      plan.outChannels.end(block.out) * plan.width.out, shape.outChannels);
  const std::size_t channelsOfBlock =
      plan.width.out / (plan.outBlocks(1) * costs.blocks);
  return ceilDiv(end - begin, channelsOfBlock);
}

const TapLists &ChannelwiseWindows::listsOf(const ConvBlock &block) {
  const std::size_t blocks = channelBlocks(block);
  const std::array key{blocks, block.row, block.column};
  const auto found = lists.find(key);
  if (found != lists.end())
    return found->second;
  const ConvDim rows = blockDim(shape.y, plan.rows.begin(block.row),
                                plan.rows.end(block.row), rowsRead(block));
  const ConvDim columns =
      blockDim(shape.x, plan.columns.begin(block.column),
               plan.columns.end(block.column), columnsRead(block));
  return lists
      .emplace(key, TapLists(blocks, plan.outBlocks(1), rows, columns, costs))
      .first->second;
}

Tensor ChannelwiseWindows::partOf(const ConvBlock &block, const Tensor &grouped,
                                  const PartRange &rows,
                                  const PartRange &columns) const {
  return grouped[block.images][0]
      .slice(plan.outChannels.begin(block.out), plan.outChannels.end(block.out),
             0)
      .slice(rows.begin, rows.end, 1)
      .slice(columns.begin, columns.end, 2)
      .flatten();
}

Tensor ChannelwiseWindows::readBy(const ConvBlock &block,
                                  const Tensor &grouped) const {
  return partOf(block, grouped, rowsRead(block), columnsRead(block));
}

Tensor ChannelwiseWindows::atResultsOf(const ConvBlock &block,
                                       const Tensor &grouped) const {
  return partOf(
      block, grouped, {plan.rows.begin(block.row), plan.rows.end(block.row)},
      {plan.columns.begin(block.column), plan.columns.end(block.column)});
}

VertexRef ChannelwiseWindows::addVertex(ComputeSet cs, const ConvBlock &block,
                                        const std::string &name) {
  const TapLists &work = listsOf(block);
  const VertexRef v = graph.addVertex(cs, name);
  graph.setTileMapping(v, plan.tile(block, 0));
  graph.connect(v["in"], readBy(block, input));
  graph.connect(v["out"], results[block.index]);
  graph.setInitialValue(v["starts"], work.starts);
  graph.setInitialValue(v["segments"], work.segments);
  graph.setInitialValue(v["taps"], work.taps);
  const std::size_t sideBySide = plan.outBlocks(1);
  graph.setInitialValue(v["inStep"], shape.x.inputStep() * sideBySide);
  graph.setInitialValue(v["outStep"], shape.x.resultStep() * sideBySide);
  graph.setPerfEstimate(
      v,
      static_cast<std::uint64_t>(work.bundles *
                                 graph.getTarget().getNumWorkerContexts()),
      2 * elementsOf(block) * shape.y.kernel * shape.x.kernel);
  return v;
}

Tensor ChannelwiseWindows::result() const {
  return assembleGrouped(
             plan, shape,
             [&](const ConvBlock &block) { return results[block.index]; })
      .squeeze({1})
      .slice(0, shape.outChannels, 1);
}

} // namespace poplin
