// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of block-diagonal weights: filling them with zeros, and bringing the
// weights of the groups to their places.

#include "lib/PopLibs/poplin/planning/CombinedGroups.h"

namespace poplin {

std::vector<std::size_t> groupsWorthATry(const ConvShape &shape) {
  constexpr std::size_t MostChannels = 16;
  std::vector<std::size_t> numbers;
  for (std::size_t n = 2; n * shape.inChannels <= MostChannels; ++n)
    if (shape.groups % n == 0)
      numbers.push_back(n);
  return numbers;
}

ConvShape combinedShape(ConvShape shape, std::size_t together) {
  shape.groups /= together;
  shape.inChannels *= together;
  shape.outChannels *= together;
  return shape;
}

double diagonalCost(const ConvPlan &plan, const ConvShape &combined,
                    const CostModel &cost) {
  constexpr double BytesFilledPerCycle = 8;
  const double bytes =
      static_cast<double>(plan.tiles.piecesPerTile()) *
      plan.outChannels.largest() * plan.width.out * plan.inChannels.largest() *
      plan.width.in * combined.y.kernel * combined.x.kernel * cost.elementBytes;
  return 2 * cost.step() + bytes / BytesFilledPerCycle +
         cost.exchange(bytes / plan.groupsTogether);
}

} // namespace poplin
