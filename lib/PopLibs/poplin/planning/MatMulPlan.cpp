// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries all sensible divisions and takes the cheapest.

#include "lib/PopLibs/poplin/planning/MatMulPlan.h"

#include <poputil/TileMapping.hpp>

#include <tuple>

namespace poplin {
namespace {

/// Columns that a vertex keeps in registers at a time.
constexpr std::size_t ColumnGrain = 2;
/// Bytes of a vertex's state.
constexpr double StateBytes = 64;
/// Bundles to write a single half, which reads the word around it. The next
/// write reads it again.
constexpr double BundlesPerHalfAlone = 20;

/// With the memory as in \ref ConvPlan.
struct Estimate {
  double cycles = -1, dataMemory = 0, vertexMemory = 0;

  double memory(std::size_t parts = 1) const {
    return dataMemory + parts * vertexMemory;
  }
};

/// Bundles of poplin::MatMulPartial for blocks of results. Plans count a lone
/// result as one of a block: as quick as it is, they would divide the depth
/// among more tiles, and adding these up makes recurrent layers slower (an LSTM
/// of 64 by 5 %).
double blockBundles(bool isHalf, std::size_t rows, std::size_t columns,
                    std::size_t depth) {
  // Measured bundles of a step along the depth in a block of [rows][columns].
  constexpr double Step[2][2][2] = {{{2.9, 4.1}, {4.8, 6.1}},
                                    {{4.5, 7.0}, {6.3, 9.1}}};
  constexpr double BundlesAroundBlock = 32;
  double bundles = 30;
  // Blocks of one and of two rows, and columns.
  const std::size_t blocks[2][2] = {{rows % 2, rows / 2},
                                    {columns % 2, columns / 2}};
  for (unsigned r = 0; r != 2; ++r)
    for (unsigned c = 0; c != 2; ++c)
      bundles += static_cast<double>(blocks[0][r] * blocks[1][c]) *
                 (BundlesAroundBlock +
                  static_cast<double>(depth) * Step[isHalf][r][c]);
  return bundles;
}

Estimate estimateOf(const MatMulPlan &plan, const CostModel &cost) {
  const double rows = plan.rows.largest(), columns = plan.columns.largest(),
               depth = plan.depth.largest();
  const std::size_t perTile = plan.tiles.piecesPerTile();
  const auto workers = plan.workersPerBlock(cost.workers);
  const WorkerGrid grid = divideBetweenWorkers(
      plan.rows.largest(), plan.columns.largest(), workers, ColumnGrain);
  const double bundles = blockBundles(
      cost.isHalf(), ceilDiv(plan.rows.largest(), grid.outer),
      ceilDiv(plan.columns.largest(), grid.inner), plan.depth.largest());
  const double left = rows * depth * cost.elementBytes;
  const double weights = depth * columns * cost.elementBytes;
  const bool hasHalfAlone = cost.isHalf() && plan.columns.largest() % 2 != 0;
  const double bytes = perTile * (left + weights + rows * columns * 4);
  const double cycles =
      cost.step() + perTile * (cost.exchange(left) + cost.weights(weights)) +
      perTile * workers / cost.workers * cost.compute(bundles) +
      perTile * cost.reduction(rows * columns, plan.depth.parts) +
      perTile * cost.afterwards(rows * columns / plan.depth.parts) +
      (hasHalfAlone ? cost.compute(BundlesPerHalfAlone) : 0) +
      // Operands that workers share are brought to the tile first.
      (grid.outer * grid.inner > 1 ? cost.step() : 0) + cost.memory(bytes);
  return {cycles, bytes, perTile * workers * StateBytes};
}

} // namespace

double matMulBundles(bool isHalf, std::size_t rows, std::size_t columns,
                     std::size_t depth, bool isRowByRow) {
  if (rows != 1 || columns != 1)
    return blockBundles(isHalf, rows, columns, depth);
  const auto steps = static_cast<double>(depth);
  return !isHalf      ? 26 + 2 * steps
         : isRowByRow ? 38 + 2 * steps
                      : 26 + 4.5 * steps;
}

std::size_t MatMulPlan::workersPerBlock(std::size_t workers) const {
  return std::max<std::size_t>(1, workers / tiles.piecesPerTile());
}

namespace {

/// The cheapest plan of a product in one, and its estimate.
std::pair<MatMulPlan, Estimate> planWhole(const MatMulShape &shape,
                                          const CostModel &cost) {
  const std::size_t tiles = cost.numTiles;
  const std::size_t limit = std::max<std::size_t>(1, tiles / shape.groups);
  MatMulPlan plan, best;
  plan.groups = shape.groups;
  plan.tiles.tiles = tiles;
  plan.tiles.firstTile = poputil::chooseMappingOffset(
      tiles, {shape.groups, shape.rows, shape.depth, shape.columns});
  Estimate least;
  for (std::size_t rows : candidateParts(shape.rows, limit))
    for (std::size_t columns :
         candidateParts(shape.columns, std::max<std::size_t>(1, limit / rows)))
      for (std::size_t depth :
           candidateParts(shape.depth,
                          std::max<std::size_t>(1, limit / (rows * columns)))) {
        plan.rows = {shape.rows, rows};
        plan.columns = {shape.columns, columns};
        plan.depth = {shape.depth, depth};
        plan.tiles.pieces = plan.blocks() * depth;
        const Estimate estimate = estimateOf(plan, cost);
        if (least.cycles < 0 || estimate.cycles < least.cycles) {
          best = plan;
          least = estimate;
        }
      }
  const ConvPlan convolution = planMatrixConv(convolutionOf(shape), cost);
  if (convolution.cost >= 0 && convolution.cost < least.cycles) {
    best.convolution = convolution;
    least = {convolution.cost, convolution.dataMemory,
             convolution.vertexMemory};
  }
  return {best, least};
}

} // namespace

MatMulPlan planMatMul(const MatMulShape &shape, const CostModel &all) {
  const CostModel cost = all.beside(operandBytes(convolutionOf(shape), all));
  auto [best, least] = planWhole(shape, cost);
  best.memory = least.memory();
  if (best.memory <= cost.bytesAvailable)
    return best;
  for (const auto &[dim, extent] :
       {std::pair(SerialSplit::OutChannels, shape.columns),
        std::pair(SerialSplit::Batch, shape.rows),
        std::pair(SerialSplit::Groups, shape.groups)})
    for (const SerialSplit &split : serialSplits(dim, extent)) {
      auto [plan, estimate] = planWhole(partOf(shape, split), cost);
      plan.memory = estimate.memory(split.parts);
      if (plan.memory > cost.bytesAvailable)
        continue;
      estimate.cycles *= split.parts;
      if (estimate.cycles < least.cycles) {
        plan.serial = split;
        best = plan;
        least = estimate;
      }
      break;
    }
  return best;
}

} // namespace poplin
