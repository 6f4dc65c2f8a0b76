// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates of what a division of work over tiles costs, in cycles of the whole
// device, from the machine's properties as poplar::Target gives them. Plans are
// compared by these, so what counts is that they are right relative to another.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_PLANNING_COSTMODEL_H
#define POPULUS_LIB_POPLIBS_POPLIN_PLANNING_COSTMODEL_H

#include <poplar/Target.hpp>
#include <poplar/Type.hpp>

#include <cstddef>

namespace poplin {

/// Bundles of poplin::ReduceAdd.
constexpr double reducePairBundles(double pairs, double depth) {
  return 26 + pairs * (15 + depth);
}
/// Bundles of poplin::ReduceAddVector, which only converts sums of one tile.
constexpr double reduceVectorBundles(double fours, double depth) {
  return depth == 1 ? 17 + fours : 9 + fours * (6.5 + depth);
}
/// Bundles of poplin::ReduceAddHalves.
constexpr double reduceHalvesBundles(double eights, double depth) {
  return 9 + eights * (10.5 + depth);
}

struct CostModel {
  CostModel(const poplar::Target &target, const poplar::Type &dataType,
            double memoryProportion, bool halfSums = false,
            bool constantWeights = false);

  std::size_t numTiles;
  std::size_t workers;
  std::size_t elementBytes;
  double exchangeBytesPerCycle;
  /// The memory of a tile, and what of it temporary data may use.
  double tileBytes;
  double bytesAvailable;

  /// The same where operands and results of so many bytes, evenly on all tiles,
  /// are there too, beside code and stacks.
  CostModel beside(double operandBytes) const;

  /// Cycles of a worker's loop, which issues once in as many cycles as there
  /// are workers.
  double compute(double bundles) const { return bundles * workers; }
  double exchange(double bytes) const { return bytes / exchangeBytesPerCycle; }
  /// The same for weights that tiles share. Those that never change need not be
  /// exchanged in each step; what they cost is memory.
  double weights(double bytes) const {
    return exchange(bytes) * (constantWeights ? 0.25 : 1);
  }
  bool constantWeights;
  /// Vertices worth having for one product: on the CPU device, whose only tile
  /// runs its vertices on all threads of the host, several.
  std::size_t hostVertices;
  /// The fixed cost of a step: synchronisation, launch of vertices.
  double step() const { return 200; }
  /// Adding up partial sums of \p depth tiles, \p results on each.
  double reduction(double results, double depth) const;
  /// The same for results in groups of channels (ReduceAddVector, or
  /// ReduceAddHalves), also of one
  /// tile, where they are only converted.
  double groupedReduction(double results, double depth) const;
  bool isHalf() const { return elementBytes == 2; }
  /// Whether the matrix unit has two sets of accumulators for floats.
  bool twoSets;
  /// Whether that unit's sums of halves are halves, which needs two sets.
  bool halfSums;
  double sumBytes() const { return halfSums ? 2 : 4; }
  /// What is done with the results of a tile afterwards takes about this long,
  /// on top of what computes them: an activation, a sum, the exchange.
  double afterwards(double results) const { return 3 * results; }
  /// A penalty for what does not fit in the share of memory that may be used.
  double memory(double bytes) const {
    return bytes > bytesAvailable ? 1e6 * (bytes / bytesAvailable) : 0;
  }
};

} // namespace poplin

#endif
