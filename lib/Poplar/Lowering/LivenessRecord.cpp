// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts blocks to parts of variables. Blocks of one variable with the same
// size and liveness become one part with a list of tiles.

#include "lib/Poplar/Lowering/LivenessRecord.h"

#include "lib/Profile/Names.h"

#include <functional>
#include <string>
#include <unordered_map>

namespace poplar::core {

namespace {

class Recorder {
public:
  explicit Recorder(const GraphImpl &graph) : graph(graph) {}

  void add(const Block &block, const std::vector<LiveInterval> &intervals) {
    const std::uint32_t name = nameOf(block);
    std::vector<std::uint32_t> &alike =
        byHash[hashOf(name, block.bytes, intervals)];
    for (std::uint32_t id : alike) {
      VariableLiveness::Part &part = record.parts[id];
      if (part.variable == name && part.bytes == block.bytes &&
          part.intervals == intervals)
        return addTile(part, block.tile);
    }
    alike.push_back(static_cast<std::uint32_t>(record.parts.size()));
    record.parts.push_back(
        {name, block.bytes, intervals, {{block.tile, block.tile + 1}}});
  }

  VariableLiveness record;

private:
  static std::size_t hashOf(std::uint32_t name, std::uint64_t bytes,
                            const std::vector<LiveInterval> &intervals) {
    std::size_t hash = name;
    const auto mix = [&](std::uint64_t value) {
      hash = hash * 0x9e3779b97f4a7c15 + value;
    };
    mix(bytes);
    for (const LiveInterval &interval : intervals) {
      mix(interval.first);
      mix(interval.last);
    }
    return hash;
  }

  static void addTile(VariableLiveness::Part &part, std::uint32_t tile) {
    if (part.tiles.back().end == tile)
      ++part.tiles.back().end;
    else
      part.tiles.push_back({tile, tile + 1});
  }

  std::uint32_t nameOf(const Block &block) {
    const bool isVariable = block.variable != None;
    std::unordered_map<std::uint32_t, std::uint32_t> &names =
        isVariable ? variables : categories;
    const std::uint32_t key = isVariable
                                  ? block.variable
                                  : static_cast<std::uint32_t>(block.category);
    const auto next = static_cast<std::uint32_t>(record.names.size());
    const auto [known, isNew] = names.emplace(key, next);
    if (isNew)
      record.names.push_back(
          isVariable ? graph.variables[block.variable].name
                     : populus::profile::categoryName(block.category));
    return known->second;
  }

  const GraphImpl &graph;
  std::unordered_map<std::uint32_t, std::uint32_t> variables, categories;
  std::unordered_map<std::size_t, std::vector<std::uint32_t>> byHash;
};

} // namespace

VariableLiveness recordLiveness(const GraphImpl &graph, const Storage &storage,
                                const MemoryPlan &memory) {
  Recorder recorder(graph);
  const Liveness &liveness = memory.getLiveness();
  const std::vector<Block> &blocks = storage.blocks();
  for (std::uint32_t id = 0; id != blocks.size(); ++id)
    if (!memory.hasOthersMemory(id) && blocks[id].bytes != 0)
      recorder.add(blocks[id], liveness.isAlwaysLive(id)
                                   ? std::vector<LiveInterval>()
                                   : liveness.of(id));
  recorder.record.stepAt = liveness.stepsByMoment();
  return std::move(recorder.record);
}

} // namespace poplar::core
