// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where operators may be joined or merged. Stages and phases run one after the
// other on the same machine, and what is to be computed again is done with once
// gradients are there: so these keep no operators apart, and a pipelined model
// computes exactly what it does without a pipeline.

#ifndef POPULUS_LIB_POPART_PASSES_JOINING_H
#define POPULUS_LIB_POPART_PASSES_JOINING_H

#include "lib/PopART/IR/Placement.h"

#include <tuple>

namespace populus::popir {

/// What operators have in common that may be joined.
inline auto placeOf(const Placement &placement) {
  return std::tuple(placement.ipu, placement.ioTiles, placement.recomputed);
}

} // namespace populus::popir

#endif
