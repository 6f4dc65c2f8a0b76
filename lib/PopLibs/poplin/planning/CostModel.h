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

/// The type in which operands of a type are multiplied: HALF for QUARTER.
poplar::Type productType(const poplar::Type &operandType);

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

  /// Model with operands and results of that many bytes, spread evenly over all
  /// tiles, besides code and stacks.
  CostModel beside(double operandBytes) const;

  /// Cycles of a worker's loop. A worker issues once in as many cycles as there
  /// are workers.
  double compute(double bundles) const { return bundles * workers; }
  double exchange(double bytes) const { return bytes / exchangeBytesPerCycle; }
  /// Cycles for exchanging weights that tiles share. Constant weights are not
  /// exchanged in each step, but cost memory.
  double weights(double bytes) const {
    return exchange(bytes) * (constantWeights ? 0.25 : 1);
  }
  bool constantWeights;
  /// Useful number of vertices for a product: several on the CPU device, whose
  /// only tile runs its vertices on all threads of the host.
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
  /// True if the matrix unit has two sets of accumulators for floats.
  bool twoSets;
  /// True if the unit accumulates halves in half, which needs two sets.
  bool halfSums;
  double sumBytes() const { return halfSums ? 2 : 4; }
  /// Estimated cycles of the operations that follow on the results of a tile:
  /// an activation, a sum, the exchange.
  double afterwards(double results) const { return 3 * results; }
  /// Penalty for exceeding the available share of memory.
  double memory(double bytes) const {
    return bytes > bytesAvailable ? 1e6 * (bytes / bytesAvailable) : 0;
  }
};

} // namespace poplin

#endif
