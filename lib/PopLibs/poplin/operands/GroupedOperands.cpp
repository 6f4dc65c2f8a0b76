// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rearranges what does not lie in groups yet.

#include "lib/PopLibs/poplin/operands/GroupedOperands.h"

#include "lib/PopLibs/poplin/planning/MatrixForm.h"

#include <popops/Cast.hpp>
#include <popops/Pad.hpp>
#include <poputil/TileMapping.hpp>

using namespace poplar;
using namespace poplar::program;

namespace poplin {

bool isGrouped(const Tensor &t, std::size_t width) {
  return t.flatten().getContiguousRegions().size() * width <= t.numElements();
}

Tensor groupedInput(Graph &graph, const Tensor &in, const ConvShape &from,
                    const ConvShape &to, const ConvPlan &plan, Sequence &prog,
                    const DebugContext &dc) {
  const std::size_t width = plan.width.in;
  const std::size_t groups = ceilDiv(to.inChannels, width);
  if (groups * width == to.inChannels && to.y == from.y && to.x == from.x) {
    const Tensor t = inOrder(in.reshapePartial(2, 3, {groups, width})
                                 .dimShuffle({0, 1, 2, 4, 5, 3}));
    if (isGrouped(t, width))
      return t;
  }
  const Tensor grouped = graph.addVariable(
      in.elementType(),
      {to.batch, to.groups, groups, to.y.input, to.x.input, width},
      {dc, "Input"});
  poputil::mapTensorLinearly(graph, grouped, width, width);
  copyAndPad(graph, in, grouped.dimShuffle({0, 1, 2, 5, 3, 4}).flatten(2, 4),
             grouped,
             {{2, 0, 0, to.inChannels},
              insideOf(3, from.y, to.y),
              insideOf(4, from.x, to.x)},
             {0, 1, 3, 4, 2}, plan.spareMemory, prog, dc);
  return grouped;
}

namespace {

/// Constant biases in another type that has all their values, as a constant.
/// Not valid if they are not constant.
Tensor constantIn(Graph &graph, const Tensor &bias, const Type &type,
                  const DebugContext &dc) {
  std::vector<float> values(bias.numElements());
  const Tensor flat = bias.flatten();
  for (std::size_t i = 0; i != values.size(); ++i)
    if (!flat.slice(i, i + 1).getConstantValue(&values[i]))
      return Tensor();
  const Tensor constant =
      graph.addConstant<float>(type, bias.shape(), values, {dc, "Bias"});
  graph.setTileMapping(constant, graph.getTileMapping(bias));
  return constant;
}

Tensor biasesIn(Graph &graph, const Tensor &bias, const Type &type,
                Sequence &prog, const DebugContext &dc) {
  if (bias.elementType() == type)
    return bias;
  if (type == FLOAT)
    if (const Tensor constant = constantIn(graph, bias, type, dc);
        constant.valid())
      return constant;
  return popops::cast(graph, bias, type, prog, {dc, "Bias"});
}

} // namespace

Tensor initialValues(Graph &graph, const Tensor &bias, const Type &type,
                     std::size_t groups, std::size_t channels, Sequence &prog,
                     const DebugContext &dc) {
  const Tensor values = biasesIn(graph, bias, type, prog, dc);
  const std::size_t present = bias.numElements() / groups;
  return popops::pad(graph, values.reshape({groups, present}), 0,
                     channels - present, 1, 0.0f);
}

Tensor zerosOnTiles(Graph &graph, const Type &type, std::size_t elements,
                    const DebugContext &dc) {
  const unsigned tiles = graph.getTarget().getNumTiles();
  const Tensor t =
      graph.addConstant<float>(type, {tiles, elements}, 0.0f, {dc, "Zeros"});
  poputil::mapTensorLinearly(graph, t, 1, t.dim(1));
  return t;
}

} // namespace poplin
