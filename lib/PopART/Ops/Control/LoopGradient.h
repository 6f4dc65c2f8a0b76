// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of Loop.

#ifndef POPULUS_LIB_POPART_OPS_CONTROL_LOOPGRADIENT_H
#define POPULUS_LIB_POPART_OPS_CONTROL_LOOPGRADIENT_H

#include "lib/PopART/IR/Gradients.h"

namespace populus::popir {

/// Of a loop that runs `tripCount` times, whose operands from `first` on are
/// the arguments of its graph behind the first one, and whose first `carried`
/// results are what it carries.
void differentiateLoop(Gradients &g, std::size_t first, std::size_t carried,
                       std::int64_t tripCount);

} // namespace populus::popir

#endif
