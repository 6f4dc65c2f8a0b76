// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The placement that operators must share to be fused or merged. Pipeline
// stages count, since they work on different micro-batches at a time; phases
// and requests to recompute do not, since recomputation is resolved before.

#ifndef POPULUS_LIB_POPART_PASSES_JOINING_H
#define POPULUS_LIB_POPART_PASSES_JOINING_H

#include "lib/PopART/IR/Placement.h"

#include <tuple>

namespace populus::popir {

/// The fields that have to be equal.
inline auto placeOf(const Placement &placement) {
  return std::tuple(placement.ipu, placement.stage, placement.ioTiles,
                    placement.recomputed);
}

} // namespace populus::popir

#endif
