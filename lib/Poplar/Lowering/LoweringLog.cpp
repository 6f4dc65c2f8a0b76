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

void logGraph(const Draft &draft) {
  if (!isLogged(LogLevel::Info))
    return;
  const GraphImpl &graph = draft.graph;
  log(LogLevel::Info,
      "compiling a graph of " + std::to_string(graph.variables.size()) +
          " variables, " + std::to_string(graph.vertices.size()) +
          " vertices and " + std::to_string(graph.computeSets.size()) +
          " compute sets for " + std::to_string(draft.tiles.size()) + " tiles");
}

void logMemory(const Draft &draft, const MemoryPlan &memory) {
  if (!isLogged(LogLevel::Debug))
    return;
  std::vector<std::map<MemoryCategory, std::uint64_t>> uses(draft.tiles.size());
  std::vector<std::uint64_t> bytes(draft.tiles.size());
  const std::vector<Block> &blocks = draft.storage.blocks();
  for (std::uint32_t id = 0; id != blocks.size(); ++id) {
    if (blocks[id].bytes == 0 || memory.hasOthersMemory(id))
      continue;
    uses[blocks[id].tile][blocks[id].category] += blocks[id].bytes;
    bytes[blocks[id].tile] += blocks[id].bytes;
  }
  const auto fullest = std::max_element(bytes.begin(), bytes.end());
  std::string text = std::to_string(draft.exe.steps.size()) + " steps";
  if (draft.target.info->isIpu())
    text += "; the fullest tile is " + std::to_string(fullest - bytes.begin()) +
            ", with " + std::to_string(*fullest) +
            " bytes besides its code, of " +
            std::to_string(draft.target.info->bytesPerTile());
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
