// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Record of the use of the regions of tiles' memory, for reports.

#ifndef POPULUS_LIB_POPLAR_LOWERING_REGIONRECORD_H
#define POPULUS_LIB_POPLAR_LOWERING_REGIONRECORD_H

#include "lib/Poplar/Lowering/Memory.h"
#include "lib/Poplar/Lowering/VariableLiveness.h"

#include <vector>

namespace poplar::core {

/// Needs a draft whose memory is allocated.
std::vector<VariableLiveness::RegionUse>
recordRegions(const Draft &draft, const MemoryPlan &memory);

} // namespace poplar::core

#endif
