// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries all sensible divisions and takes the cheapest.

#include "lib/PopLibs/poplin/ConvPlan.h"

#include <poputil/TileMapping.hpp>

namespace poplin {
namespace {

/// Results that a vertex keeps in registers at a time: channels by columns.
constexpr std::size_t ChannelGrain = 2, ColumnGrain = 2;
/// Bundles for a product inside such a block, around its inner loop, and around
/// a block. The inner loop is the longer one of those over input channels and
/// over a row of the kernel.
constexpr double BundlesPerProduct = 1.6;
constexpr double BundlesPerInnerLoop = 24;
constexpr double BundlesPerBlock = 60;

/// Rows of the input that a number of output rows reads.
double inputRows(const ConvDim &y, std::size_t rows) {
  const std::size_t reach =
      (rows - 1) * y.stride + (y.kernel - 1) * y.dilation + 1;
  return static_cast<double>(std::min(reach, y.input));
}

double costOf(const ConvPlan &plan, const ConvShape &shape,
              const CostModel &cost) {
  const double in = plan.inChannels.largest();
  const double out = plan.outChannels.largest(), rows = plan.rows.largest();
  const double kernel = shape.y.kernel * shape.x.kernel;
  const double columns = shape.x.output;
  const std::size_t perTile = plan.tiles.piecesPerTile();
  const auto workers = plan.workersPerBlock(cost.workers);
  const WorkerGrid grid = divideBetweenWorkers(
      plan.rows.largest(), plan.outChannels.largest(), workers, ChannelGrain);
  const double blocks =
      static_cast<double>(ceilDiv(plan.rows.largest(), grid.outer)) *
      ceilDiv(ceilDiv(plan.outChannels.largest(), grid.inner), ChannelGrain) *
      ceilDiv(shape.x.output, ColumnGrain);
  const double bundles =
      60 +
      blocks * (BundlesPerBlock +
                kernel * in * BundlesPerProduct * ChannelGrain * ColumnGrain +
                shape.y.kernel * BundlesPerInnerLoop *
                    std::min<double>(in, shape.x.kernel));
  const double operands =
      in * inputRows(shape.y, plan.rows.largest()) * shape.x.input +
      out * in * kernel;
  const double bytes = operands * cost.elementBytes + out * rows * columns * 4;
  return cost.step() + perTile * cost.exchange(operands * cost.elementBytes) +
         perTile * workers / cost.workers * cost.compute(bundles) +
         perTile * cost.reduction(out * rows * columns, plan.inChannels.parts) +
         cost.memory(perTile * bytes);
}

} // namespace

std::size_t ConvPlan::workersPerBlock(std::size_t workers) const {
  return std::max<std::size_t>(1, workers / tiles.piecesPerTile());
}

ConvPlan planConv(const ConvShape &shape, const CostModel &cost) {
  const std::size_t tiles = cost.numTiles;
  const std::size_t limit =
      std::max<std::size_t>(1, tiles / (shape.batch * shape.groups));
  ConvPlan plan, best;
  plan.batch = shape.batch;
  plan.groups = shape.groups;
  plan.tiles.tiles = tiles;
  plan.tiles.firstTile = poputil::chooseMappingOffset(
      tiles, {shape.batch, shape.groups, shape.inChannels, shape.outChannels,
              shape.y.output, shape.x.output});
  double bestCost = -1;
  for (std::size_t out : candidateParts(shape.outChannels, limit))
    for (std::size_t rows :
         candidateParts(shape.y.output, std::max<std::size_t>(1, limit / out)))
      for (std::size_t in :
           candidateParts(shape.inChannels,
                          std::max<std::size_t>(1, limit / (out * rows)))) {
        plan.outChannels = {shape.outChannels, out};
        plan.rows = {shape.y.output, rows};
        plan.inChannels = {shape.inChannels, in};
        plan.tiles.pieces = plan.blocks() * in;
        const double estimate = costOf(plan, shape, cost);
        if (bestCost < 0 || estimate < bestCost) {
          best = plan;
          bestCost = estimate;
        }
      }
  return best;
}

} // namespace poplin
