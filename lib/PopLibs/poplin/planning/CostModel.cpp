// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of the cost model that are more than a line.

#include "lib/PopLibs/poplin/planning/CostModel.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace poplin {

poplar::Type productType(const poplar::Type &operandType) {
  return operandType == poplar::QUARTER ? poplar::HALF : operandType;
}

CostModel::CostModel(const poplar::Target &target, const poplar::Type &dataType,
                     double memoryProportion, bool halfSums,
                     bool constantWeights)
    : numTiles(std::max(1u, target.getNumTiles())),
      workers(std::max(1u, target.getNumWorkerContexts())),
      elementBytes(target.getTypeSize(dataType)),
      exchangeBytesPerCycle(std::max(1u, target.getExchangeBytesPerCycle())),
      tileBytes(target.getBytesPerTile()),
      bytesAvailable(tileBytes * memoryProportion),
      constantWeights(constantWeights),
      hostVertices(target.getTargetType() == poplar::TargetType::CPU ? 16 : 1),
      twoSets(target.getFp32InFp32OutConvUnitsPerTile() >= 8),
      halfSums(halfSums && isHalf() && twoSets) {
  // A target without a limit on memory says 0.
  if (target.getBytesPerTile() == 0)
    tileBytes = bytesAvailable = std::numeric_limits<double>::infinity();
}

CostModel CostModel::beside(double operandBytes) const {
  // Memory of a product's program besides its data, with some reserve.
  constexpr double CodeAndStacks = 24 * 1024;
  const double left = tileBytes - CodeAndStacks - operandBytes / numTiles;
  CostModel result = *this;
  // If almost nothing is left, no plan fits anyway.
  if (left > tileBytes / 16)
    result.bytesAvailable = std::min(bytesAvailable, left);
  return result;
}

double CostModel::reduction(double results, double depth) const {
  if (depth <= 1)
    return 0;
  const double share = std::ceil(results / depth);
  return step() + exchange(share * (depth - 1) * 4) +
         compute(reducePairBundles(std::ceil(share / workers / 2), depth));
}

double CostModel::groupedReduction(double results, double depth) const {
  const double share = 8 * std::ceil(results / 8 / depth);
  return step() + exchange(share * (depth - 1) * sumBytes()) + 2 * share / 8 +
         compute(
             halfSums
                 ? reduceHalvesBundles(std::ceil(share / workers / 8), depth)
                 : reduceVectorBundles(std::ceil(share / workers / 4), depth));
}

} // namespace poplin
