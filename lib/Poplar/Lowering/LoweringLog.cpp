// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums are over blocks; blocks in the memory of others count once. Nothing is
// summed unless the level is on.

#include "lib/Poplar/Lowering/LoweringLog.h"

#include "lib/Poplar/Support/Log.h"
#include "lib/Profile/Names.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace poplar::core {

void logGraph(const GraphImpl &graph, std::size_t numTiles) {
  if (!isLogged(LogLevel::Info))
    return;
  log(LogLevel::Info,
      "compiling a graph of " + std::to_string(graph.variables.size()) +
          " variables, " + std::to_string(graph.vertices.size()) +
          " vertices and " + std::to_string(graph.computeSets.size()) +
          " compute sets for " + std::to_string(numTiles) + " tiles");
}

void logMemory(const Storage &storage, const MemoryPlan &memory,
               const populus::runtime::TargetInfo &target, std::size_t numTiles,
               std::size_t numSteps) {
  if (!isLogged(LogLevel::Debug))
    return;
  std::vector<std::map<MemoryCategory, std::uint64_t>> uses(numTiles);
  std::vector<std::uint64_t> bytes(numTiles);
  const std::vector<Block> &blocks = storage.blocks();
  for (std::uint32_t id = 0; id != blocks.size(); ++id) {
    if (blocks[id].bytes == 0 || memory.hasOthersMemory(id))
      continue;
    uses[blocks[id].tile][blocks[id].category] += blocks[id].bytes;
    bytes[blocks[id].tile] += blocks[id].bytes;
  }
  const auto fullest = std::max_element(bytes.begin(), bytes.end());
  std::string text = std::to_string(numSteps) + " steps";
  if (target.isIpu())
    text += "; the fullest tile is " + std::to_string(fullest - bytes.begin()) +
            ", with " + std::to_string(*fullest) +
            " bytes besides its code, of " +
            std::to_string(target.bytesPerTile());
  log(LogLevel::Debug, text);
  if (!isLogged(LogLevel::Trace))
    return;
  for (std::size_t tile = 0; tile != uses.size(); ++tile) {
    std::string line = "tile " + std::to_string(tile) + ":";
    for (const auto &[category, size] : uses[tile])
      line += std::string(" ") + populus::profile::categoryName(category) +
              " " + std::to_string(size);
    log(LogLevel::Trace, line);
  }
}

} // namespace poplar::core
