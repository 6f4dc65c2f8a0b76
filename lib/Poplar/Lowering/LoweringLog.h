// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of the log about a graph that is lowered (POPLAR_LOG_LEVEL): its
// size at INFO, the fullest tile at DEBUG, the memory of each tile at TRACE.

#ifndef POPULUS_LIB_POPLAR_LOWERING_LOWERINGLOG_H
#define POPULUS_LIB_POPLAR_LOWERING_LOWERINGLOG_H

#include "lib/Poplar/Lowering/Memory.h"

#include <cstddef>

namespace poplar::core {

void logGraph(const GraphImpl &graph, std::size_t numTiles);

/// Logs the fullest tile, and each tile's memory by category. `memory` has
/// addresses already.
void logMemory(const Storage &storage, const MemoryPlan &memory,
               const populus::runtime::TargetInfo &target, std::size_t numTiles,
               std::size_t numSteps);

} // namespace poplar::core

#endif
