// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants that are alike: libraries make the same numbers and tables again
// and again, which need be in memory once.

#ifndef POPULUS_LIB_POPLAR_LOWERING_CONSTANTSHARING_H
#define POPULUS_LIB_POPLAR_LOWERING_CONSTANTSHARING_H

#include "lib/Poplar/Lowering/Draft.h"

#include <cstdint>
#include <vector>

namespace poplar::core {

/// Enters for each block of a constant the block of an equal one that has its
/// memory, too, if there is one.
void shareConstants(Draft &draft, std::vector<std::uint32_t> &placeOf);

} // namespace poplar::core

#endif
