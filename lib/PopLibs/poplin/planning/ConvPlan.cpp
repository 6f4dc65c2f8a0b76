// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the cheapest plan of all methods (DirectPlan.cpp, MatrixPlan.cpp,
// ChannelwisePlan.cpp). If there is not enough memory, the convolution is split
// into parts that run one after the other.

#include "lib/PopLibs/poplin/planning/ConvPlan.h"

#include "lib/PopLibs/poplin/planning/CombinedGroups.h"
#include "lib/PopLibs/poplin/planning/PlanSearch.h"

#include <poputil/TileMapping.hpp>

#include <algorithm>
#include <utility>

namespace poplin {

double regroupCost(std::size_t elements, const CostModel &cost) {
  return 2 * cost.step() + 4 * static_cast<double>(elements) / cost.numTiles;
}

ConvPlan undividedPlan(const ConvShape &shape, const CostModel &cost) {
  ConvPlan plan;
  plan.images = {shape.batch, shape.batch};
  plan.groups = shape.groups;
  plan.constantWeights = cost.constantWeights;
  plan.tiles.tiles = cost.numTiles;
  plan.tiles.firstTile = poputil::chooseMappingOffset(
      cost.numTiles, {shape.batch, shape.groups, shape.inChannels,
                      shape.outChannels, shape.y.output, shape.x.output});
  return plan;
}

double regroupCost(const ConvPlan &plan, const ConvShape &form,
                   const CostModel &cost) {
  return form.inChannels % plan.width.in == 0
             ? 0
             : regroupCost(form.batch * form.groups * form.inChannels *
                               form.y.input * form.x.input,
                           cost);
}

void consider(ConvPlan &best, const ConvPlan &plan, double cost) {
  if (best.cost >= 0 && best.cost <= cost)
    return;
  best = plan;
  best.cost = cost;
}

PartRange inputRows(const ConvDim &y, std::size_t begin, std::size_t end) {
  const std::ptrdiff_t limit = y.input, stride = y.stride;
  const std::ptrdiff_t window = (y.kernel - 1) * y.dilation;
  std::ptrdiff_t first = y.firstInput(begin);
  std::ptrdiff_t last = y.firstInput(end - 1) + window;
  if (y.transposed) {
    first =
        (static_cast<std::ptrdiff_t>(begin) - y.origin - window + stride - 1) /
        stride;
    last = (static_cast<std::ptrdiff_t>(end) - 1 - y.origin) / stride;
  }
  first = std::clamp<std::ptrdiff_t>(first, 0, limit - 1);
  return {static_cast<std::size_t>(first),
          static_cast<std::size_t>(
              std::clamp<std::ptrdiff_t>(last + 1, first + 1, limit))};
}

ConvDim blockDim(const ConvDim &dim, std::size_t begin, std::size_t end,
                 const PartRange &range) {
  ConvDim block = dim;
  block.input = range.size();
  block.output = end - begin;
  block.origin =
      dim.transposed
          ? dim.firstInput(range.begin) - static_cast<std::ptrdiff_t>(begin)
          : dim.firstInput(begin) - static_cast<std::ptrdiff_t>(range.begin);
  return block;
}

std::size_t channelGroupWidth(std::size_t channels, const CostModel &cost) {
  return cost.isHalf() || (cost.twoSets && channels % 16 == 0) ? 16 : 8;
}

std::size_t ConvPlan::workersPerBlock(std::size_t workers) const {
  return std::max<std::size_t>(1, workers / tiles.piecesPerTile());
}

ConvShape partOf(ConvShape shape, const SerialSplit &split) {
  switch (split.dim) {
  case SerialSplit::Batch:
    shape.batch /= split.parts;
    break;
  case SerialSplit::Groups:
    shape.groups /= split.parts;
    break;
  case SerialSplit::OutChannels:
    shape.outChannels /= split.parts;
    break;
  }
  return shape;
}

double operandBytes(const ConvShape &s, const CostModel &cost) {
  const double in = static_cast<double>(s.batch) * s.groups * s.inChannels *
                    s.y.input * s.x.input;
  const double weights = static_cast<double>(s.groups) * s.inChannels *
                         s.outChannels * s.y.kernel * s.x.kernel;
  const double out = static_cast<double>(s.batch) * s.groups * s.outChannels *
                     s.y.output * s.x.output;
  return (in + weights + out) * cost.elementBytes;
}

namespace {

/// Cheapest plan of a convolution without a serial split.
ConvPlan planWhole(const ConvShape &shape, const CostModel &cost) {
  ConvPlan best = planMatrixConv(shape, cost);
  for (std::size_t together : groupsWorthATry(shape)) {
    const ConvShape combined = combinedShape(shape, together);
    ConvPlan plan = planMatrixConv(combined, cost);
    plan.groupsTogether = together;
    if (plan.cost >= 0)
      consider(best, plan, plan.cost + diagonalCost(plan, combined, cost));
  }
  if (shape.inChannels == 1 && shape.outChannels == 1 && shape.groups > 1) {
    const ConvPlan plan =
        planChannelwise(shape, cost, channelwiseCosts(cost.isHalf()));
    if (plan.cost >= 0)
      consider(best, plan, plan.cost);
  }
  const ConvPlan direct = planDirect(shape, cost);
  consider(best, direct, direct.cost);
  return best;
}

} // namespace

ConvPlan planConv(const ConvShape &shape, const CostModel &all) {
  const CostModel cost = all.beside(operandBytes(shape, all));
  ConvPlan best = planWhole(shape, cost);
  if (best.memory() <= cost.bytesAvailable)
    return best;
  for (const auto &[dim, extent] :
       {std::pair(SerialSplit::OutChannels, shape.outChannels),
        std::pair(SerialSplit::Batch, shape.batch),
        std::pair(SerialSplit::Groups, shape.groups)})
    for (const SerialSplit &split : serialSplits(dim, extent)) {
      ConvPlan plan = planWhole(partOf(shape, split), cost);
      plan.serial = split;
      if (plan.memory() > cost.bytesAvailable)
        continue;
      consider(best, plan, plan.cost * split.parts);
      break;
    }
  return best;
}

} // namespace poplin
