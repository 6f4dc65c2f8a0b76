// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of Loop.

#ifndef POPULUS_LIB_POPART_OPS_CONTROL_LOOPGRADIENT_H
#define POPULUS_LIB_POPART_OPS_CONTROL_LOOPGRADIENT_H

#include "lib/PopART/IR/Gradients.h"

namespace populus::popir {

/// Differentiates a loop of `tripCount` iterations. Its operands from `first`
/// on bind to the graph's arguments behind the iteration number; its first
/// `carried` results are carried.
void differentiateLoop(Gradients &g, std::size_t first, std::size_t carried,
                       std::int64_t tripCount);

} // namespace populus::popir

#endif
