// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All tiles with rows of a channel group use its weights. The weights are on
// the first of these tiles.

#include "lib/PopLibs/poplin/convolution/ChannelwiseConv.h"

#include "lib/PopLibs/poplin/convolution/ChannelwiseWindows.h"
#include "lib/PopLibs/poplin/operands/GroupedOperands.h"
#include "lib/PopLibs/poplin/operands/LocalOperands.h"
#include "lib/PopLibs/poplin/planning/MatrixForm.h"

#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>

using namespace poplar;
using namespace poplar::program;

namespace poplin {
namespace {

/// Converts [groups, 1, 1, rows, columns] to [channel groups][taps][width].
/// Rearranges weights that are not in groups, like the input.
Tensor groupedWeights(Graph &graph, const ConvShape &shape,
                      const ConvPlan &plan, const Tensor &in, Sequence &prog,
                      const DebugContext &dc) {
  const std::size_t width = plan.pass.in;
  const std::size_t groups = plan.outBlocks(plan.outChannels.extent);
  const std::size_t taps = shape.y.kernel * shape.x.kernel;
  const Tensor t = in.reshape({shape.outChannels, taps});
  if (groups * width == shape.outChannels) {
    const Tensor grouped =
        inOrder(t.reshapePartial(0, 1, {groups, width}).dimShuffle({0, 2, 1}));
    if (isGrouped(grouped, width))
      return grouped;
  }
  const Tensor grouped = graph.addVariable(
      t.elementType(), {groups, taps, width}, {dc, "Weights"});
  poputil::mapTensorLinearly(graph, grouped, width, width);
  copyAndPad(graph, t, grouped.dimShuffle({0, 2, 1}).flatten(0, 2), grouped,
             {{0, 0, 0, shape.outChannels}}, {1, 0}, plan.spareMemory, prog,
             dc);
  return grouped;
}

} // namespace

Tensor channelwiseConvolution(Graph &graph, const ConvShape &original,
                              const ConvPlan &plan, const Tensor &in,
                              const Tensor &weights, const Tensor &bias,
                              Sequence &prog, const DebugContext &dc) {
  const ConvShape shape = channelwiseShape(original);
  const DebugContext debugContext(dc, "Conv");
  const std::size_t width = plan.pass.out;
  const Tensor input = groupedInput(graph, in.dimShufflePartial({1}, {2}),
                                    shape, shape, plan, prog, debugContext);
  const Tensor kernels =
      groupedWeights(graph, shape, plan, weights, prog, debugContext);
  // Zeros pad the last group.
  const Tensor initial =
      bias.valid() ? initialValues(graph, bias, FLOAT, 1,
                                   plan.outChannels.extent * plan.width.out,
                                   prog, debugContext)[0]
                   : zerosOnTiles(graph, FLOAT,
                                  plan.outChannels.largest() * plan.width.out,
                                  debugContext);
  const std::string name =
      poputil::templateVertex("poplin::ConvChannelwise", in.elementType());
  ChannelwiseWindows windows(graph, shape, plan,
                             channelwiseCosts(in.elementType() == HALF), input,
                             debugContext);
  LocalOperands operands(graph, debugContext);
  const ComputeSet cs = graph.addComputeSet({debugContext, "Convolve"});
  plan.forEachBlock([&](const ConvBlock &block) {
    const unsigned tile = plan.tile(block, 0);
    const std::size_t begin = plan.outBlocks(plan.outChannels.begin(block.out));
    const std::size_t end = plan.outBlocks(plan.outChannels.end(block.out));
    const VertexRef v = windows.addVertex(cs, block, name);
    graph.connect(v["weights"], operands.get(kernels.slice(begin, end, 0),
                                             block.out, tile, 1));
    graph.connect(v["init"],
                  bias.valid() ? initial.slice(begin * width, end * width)
                               : initial[tile].slice(0, (end - begin) * width));
    graph.setInitialValue(v["numTaps"], shape.y.kernel * shape.x.kernel);
  });
  operands.addCopies(prog);
  prog.add(Execute(cs, debugContext));
  return windows.result();
}

Tensor createChannelwiseWeights(Graph &graph, const ConvShape &original,
                                const ConvPlan &plan, const Type &type,
                                const DebugContext &dc) {
  const std::size_t width = plan.pass.in;
  const std::size_t groups = plan.outBlocks(plan.outChannels.extent);
  const std::size_t taps = original.y.kernel * original.x.kernel;
  if (groups * width != original.groups)
    return Tensor();
  const Tensor variable = graph.addVariable(type, {groups, taps, width}, dc);
  for (std::size_t part = 0; part != plan.outChannels.parts; ++part)
    graph.setTileMapping(
        variable.slice(plan.outBlocks(plan.outChannels.begin(part)),
                       plan.outBlocks(plan.outChannels.end(part))),
        plan.firstTile(0, part, 0));
  return variable.dimShuffle({0, 2, 1}).reshape(
      {original.groups, 1, 1, original.y.kernel, original.x.kernel});
}

} // namespace poplin
