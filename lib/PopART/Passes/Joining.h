// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The placement that operators must share to be fused or merged. Pipeline
// stages, phases and requests to recompute do not count: stages run one after
// the other, and recomputation is resolved before. So a pipelined model
// computes exactly what it does without a pipeline.

#ifndef POPULUS_LIB_POPART_PASSES_JOINING_H
#define POPULUS_LIB_POPART_PASSES_JOINING_H

#include "lib/PopART/IR/Placement.h"

#include <tuple>

namespace populus::popir {

/// The fields that have to be equal.
inline auto placeOf(const Placement &placement) {
  return std::tuple(placement.ipu, placement.ioTiles, placement.recomputed);
}

} // namespace populus::popir

#endif
