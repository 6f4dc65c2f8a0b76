// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans of the direct method: a vertex computes some output channels of some
// rows, a few results at a time in registers.

#include "lib/PopLibs/poplin/planning/PlanSearch.h"

#include <algorithm>

namespace poplin {
namespace {

/// Results that a vertex of the direct method keeps in registers at a time:
/// channels by columns, of which those at the edges are taken one by one.
constexpr std::size_t ChannelGrain = 2, ColumnGrain = 2;
/// Measured bundles: of columns, which includes finding the taps inside; of a
/// block; of a row of the kernel in it; of an inner loop, which is the longer
/// one of those over input channels and over a row of the kernel; of a step of
/// that loop, which is all products of a block. Halves are converted one by
/// one.
constexpr double BundlesPerColumns = 48, BundlesPerBlock = 180;
constexpr double BundlesPerKernelRow = 36, BundlesPerInnerLoop = 15;
constexpr double BundlesPerProducts = 5.25, BundlesPerHalfProducts = 7.5;

std::size_t columnBlocks(const ConvDim &x) {
  const std::ptrdiff_t window = (x.kernel - 1) * x.dilation;
  const auto isInside = [&](std::size_t column) {
    return x.firstInput(column) >= 0 &&
           x.firstInput(column) + window < std::ptrdiff_t(x.input);
  };
  std::size_t blocks = 0;
  for (std::size_t column = 0; column < x.output; ++blocks) {
    const bool both = column + ColumnGrain <= x.output && isInside(column) &&
                      isInside(column + 1);
    column += both ? ColumnGrain : 1;
  }
  return blocks;
}

/// \p columnBlocksOfRow as \ref columnBlocks gives it.
double directBundles(const ConvShape &shape, bool isHalf, double inChannels,
                     std::size_t outChannels, std::size_t rows,
                     std::size_t columnBlocksOfRow) {
  const double columns = static_cast<double>(rows * columnBlocksOfRow);
  const double blocks = columns * ceilDiv(outChannels, ChannelGrain);
  const double innerLoops = std::min<double>(inChannels, shape.x.kernel);
  const double steps = inChannels * shape.x.kernel;
  return 90 + columns * BundlesPerColumns +
         blocks * (BundlesPerBlock +
                   shape.y.kernel *
                       (BundlesPerKernelRow + innerLoops * BundlesPerInnerLoop +
                        steps * (isHalf ? BundlesPerHalfProducts
                                        : BundlesPerProducts)));
}

/// Sets the plan's memory, too.
double directCost(ConvPlan &plan, const ConvShape &shape,
                  std::size_t columnBlocksOfRow, const CostModel &cost) {
  const double in = plan.inChannels.largest();
  const double out = plan.outChannels.largest(), rows = plan.rows.largest();
  const double kernel = shape.y.kernel * shape.x.kernel;
  const double columns = shape.x.output;
  const std::size_t perTile = plan.tiles.piecesPerTile();
  const auto workers = plan.workersPerBlock(cost.workers);
  const WorkerGrid grid = divideBetweenWorkers(
      plan.rows.largest(), plan.outChannels.largest(), workers, ChannelGrain);
  const double bundles = directBundles(
      shape, cost.isHalf(), plan.inChannels.largest(),
      ceilDiv(plan.outChannels.largest(), grid.inner),
      ceilDiv(plan.rows.largest(), grid.outer), columnBlocksOfRow);
  const PartRange patch = inputRows(shape.y, 0, plan.rows.largest());
  const double input = in * patch.size() * shape.x.input * cost.elementBytes;
  const double weights = out * in * kernel * cost.elementBytes;
  plan.dataMemory = perTile * (input + weights + out * rows * columns * 4);
  plan.vertexMemory = perTile * workers * StateBytes;
  return cost.step() +
         perTile * (cost.exchange(input) + cost.weights(weights)) +
         ceilDiv(perTile * workers, cost.workers) * cost.compute(bundles) +
         perTile * cost.reduction(out * rows * columns, plan.inChannels.parts) +
         perTile *
             cost.afterwards(out * rows * columns / plan.inChannels.parts) +
         cost.memory(plan.memory());
}

} // namespace

double directBundles(const ConvShape &shape, bool isHalf,
                     std::size_t inChannels, std::size_t outChannels,
                     std::size_t rows) {
  return directBundles(shape, isHalf, inChannels, outChannels, rows,
                       columnBlocks(shape.x));
}

ConvPlan planDirect(const ConvShape &shape, const CostModel &cost) {
  ConvPlan best;
  const std::size_t blocks = columnBlocks(shape.x);
  forEachDivision(undividedPlan(shape, cost), shape.outChannels, shape.y.output,
                  shape.inChannels, [&](ConvPlan candidate) {
                    const double estimate =
                        directCost(candidate, shape, blocks, cost);
                    consider(best, candidate, estimate);
                  });
  return best;
}

} // namespace poplin
