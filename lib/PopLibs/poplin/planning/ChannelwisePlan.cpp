// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans of the channelwise method: a tile computes a block of results of some
// groups of channels.

#include "lib/PopLibs/poplin/planning/PlanSearch.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace poplin {
namespace {

/// A block of \p results along a dimension, without padding.
ConvDim innerBlock(const ConvDim &dim, std::size_t results) {
  ConvDim block = dim;
  block.output = results;
  const std::size_t read =
      dim.transposed
          ? (results + dim.kernel - 2) / dim.stride + 1
          : (results - 1) * dim.stride + (dim.kernel - 1) * dim.dilation + 1;
  block.input = std::min(dim.input, read);
  return block;
}

/// Estimates the channelwise method and sets the plan's memory. \p shape has a
/// single group. Returns nothing if a block is too large.
std::optional<double> channelwiseCost(ConvPlan &plan, const ConvShape &shape,
                                      const CostModel &cost,
                                      const TapCosts &costs) {
  const std::size_t groups = plan.outBlocks(plan.outChannels.largest());
  const std::size_t perTile = plan.tiles.piecesPerTile();
  const ConvDim y = innerBlock(shape.y, plan.rows.largest());
  const ConvDim x = innerBlock(shape.x, plan.columns.largest());
  if (!TapLists::fit(groups, plan.outBlocks(1), y, x))
    return std::nullopt;
  const double operand = groups * y.input * x.input;
  const double weights = groups * y.kernel * x.kernel;
  const double results = groups * y.output * x.output;
  const bool shared =
      plan.rows.parts * plan.columns.parts * plan.images.parts > 1;
  plan.dataMemory = perTile * (operand + weights + groups) * ChannelGroupBytes;
  plan.vertexMemory =
      perTile * (TapLists::bytes(groups, y, x) + cost.workers * StateBytes);
  return cost.step() +
         perTile * (cost.exchange(operand * ChannelGroupBytes) +
                    (shared ? cost.weights(weights * ChannelGroupBytes) : 0) +
                    2.0 * plan.outChannels.largest() * y.input +
                    cost.compute(TapLists::estimate(groups * costs.blocks, y, x,
                                                    costs)) +
                    cost.afterwards(results * plan.pass.out)) +
         cost.memory(plan.memory());
}

} // namespace

ConvShape channelwiseShape(const ConvShape &shape) {
  ConvShape result = shape;
  result.inChannels = result.outChannels = shape.groups;
  result.groups = 1;
  return result;
}

TapCosts channelwiseCosts(bool isHalf) {
  return isHalf ? TapCosts{34, 44, 20, 4, 4} : TapCosts{34, 44, 19, 6, 2};
}

ConvPlan planChannelwise(const ConvShape &original, const CostModel &cost,
                         const TapCosts &costs) {
  const ConvShape shape = channelwiseShape(original);
  ConvPlan best, plan = undividedPlan(original, cost);
  plan.groups = 1;
  plan.method = ConvMethod::Channelwise;
  plan.width.in = plan.width.out = channelGroupWidth(shape.outChannels, cost);
  plan.pass.in = plan.pass.out = ChannelGroupBytes / cost.elementBytes;
  const double regroup = regroupCost(plan, shape, cost);
  forEachDivision(plan, ceilDiv(shape.outChannels, plan.width.out),
                  shape.y.output, shape.x.output, [&](ConvPlan candidate) {
                    std::swap(candidate.columns, candidate.inChannels);
                    if (const auto estimate =
                            channelwiseCost(candidate, shape, cost, costs))
                      consider(best, candidate, regroup + *estimate);
                  });
  return best;
}

} // namespace poplin
