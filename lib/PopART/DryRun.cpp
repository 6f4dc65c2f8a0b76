// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory comes from the profile's figures, with the gaps between variables, as
// ipu-run --info has it; cycles from the estimates of vertices and the planned
// exchanges.

#include "lib/PopART/DryRun.h"

#include "lib/Poplar/Engine/ExecutableAccess.h"
#include "lib/Profile/GraphFigures.h"
#include "runtime/Session/CycleEstimate.h"

#include <algorithm>
#include <numeric>

namespace populus::popir {

Estimate estimate(const poplar::Executable &executable) {
  const populus::runtime::Executable &data = populus::access(executable);
  populus::profile::MemoryFigures memory =
      populus::profile::memoryFigures(data);
  Estimate result;
  result.tiles = memory.includingGapsByTile.size();
  if (!memory.includingGapsByTile.empty()) {
    result.fullestTile = *std::ranges::max_element(memory.includingGapsByTile);
    result.averageTile =
        std::accumulate(memory.includingGapsByTile.begin(),
                        memory.includingGapsByTile.end(), std::uint64_t(0)) /
        result.tiles;
  }
  result.cycles = populus::runtime::estimateCycles(data, 0).total;
  result.secondsAtClock = static_cast<double>(result.cycles) /
                          populus::runtime::targetOf(data).clockHz;
  return result;
}

} // namespace populus::popir
