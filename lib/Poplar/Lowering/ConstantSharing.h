// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sharing of equal constants. Libraries make the same numbers and tables
// repeatedly, but memory needs them only once.

#ifndef POPULUS_LIB_POPLAR_LOWERING_CONSTANTSHARING_H
#define POPULUS_LIB_POPLAR_LOWERING_CONSTANTSHARING_H

#include "lib/Poplar/Lowering/Storage.h"

#include <cstdint>
#include <vector>

namespace poplar::core {

/// For each block of a constant, stores the block of an equal constant whose
/// memory it shares, if there is one.
void shareConstants(const GraphImpl &graph, Storage &storage,
                    std::vector<std::uint32_t> &placeOf);

} // namespace poplar::core

#endif
