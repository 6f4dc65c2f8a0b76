// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies between variables that lie on the same tiles in the same order. Where
// the old variable is not needed once the new one has its value, both can have
// the same memory, and nothing need be copied.

#ifndef POPULUS_LIB_POPLAR_LOWERING_COPYELIMINATION_H
#define POPULUS_LIB_POPLAR_LOWERING_COPYELIMINATION_H

#include "lib/Poplar/Lowering/Draft.h"
#include "lib/Poplar/Lowering/Liveness.h"

#include <cstdint>
#include <vector>

namespace poplar::core {

/// By block: the block that has its memory in its place, or None. What a block
/// stands for is added to its needs in the draft and to its liveness.
std::vector<std::uint32_t> shareCopies(Draft &draft, Liveness &liveness);

} // namespace poplar::core

#endif
