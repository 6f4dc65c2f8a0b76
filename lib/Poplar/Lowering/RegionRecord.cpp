// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes bytes by region and use from the addresses of blocks. A block across
// the end of a region counts in both regions.

#include "lib/Poplar/Lowering/RegionRecord.h"

#include <algorithm>
#include <array>

namespace poplar::core {

namespace rt = populus::runtime;

namespace {

using RegionUse = VariableLiveness::RegionUse;

constexpr std::size_t Regions = 3;
constexpr auto Kinds = static_cast<std::size_t>(MemoryCategory::Count) + 1;

class Recorder {
public:
  explicit Recorder(const Draft &draft)
      : draft(draft), uses(draft.tiles.size()), shared(draft.tiles.size()) {
    const rt::TargetInfo &target = *draft.target.info;
    begin = draft.isNative() ? 0 : target.regions[0].begin;
    ends = {begin + target.regions[0].size(), begin + target.bytesPerTile(),
            ~std::uint64_t(0)};
  }

  void add(const Block &block, bool isShared) {
    split(block.address, block.address + block.bytes,
          uses[block.tile][static_cast<std::size_t>(block.category)][isShared]);
    if (isShared)
      shared[block.tile].push_back(
          {block.address, block.address + block.bytes});
  }

  /// Code and stacks, which come first.
  void add(const rt::TileMemory &tile) {
    for (MemoryCategory category :
         {MemoryCategory::VertexCode, MemoryCategory::Stack}) {
      const auto kind = static_cast<std::size_t>(category);
      uses[tile.tile][kind][0][0] += tile.byCategory[kind];
    }
  }

  std::vector<RegionUse> finish() {
    std::vector<RegionUse> list;
    for (std::uint32_t tile = 0; tile != uses.size(); ++tile) {
      addShared(tile);
      for (std::size_t kind = 0; kind != Kinds; ++kind)
        for (std::size_t isShared = 0; isShared != 2; ++isShared)
          for (std::size_t region = 0; region != Regions; ++region)
            if (const std::uint64_t bytes = uses[tile][kind][isShared][region])
              list.push_back({tile, static_cast<MemoryCategory>(kind),
                              static_cast<std::uint32_t>(region), isShared != 0,
                              bytes});
    }
    return list;
  }

private:
  using ByRegion = std::array<std::uint64_t, Regions>;

  void split(std::uint64_t from, std::uint64_t to, ByRegion &bytes) const {
    for (std::size_t region = 0; region != Regions && from < to; ++region) {
      const std::uint64_t end = std::min(to, ends[region]);
      if (end > from) {
        bytes[region] += end - from;
        from = end;
      }
    }
  }

  /// The memory that blocks share, each byte once.
  void addShared(std::uint32_t tile) {
    auto &ranges = shared[tile];
    std::sort(ranges.begin(), ranges.end());
    std::uint64_t end = 0;
    for (const auto &[from, to] : ranges) {
      split(std::max(from, end), to, uses[tile][Kinds - 1][1]);
      end = std::max(end, to);
    }
  }

  const Draft &draft;
  std::uint64_t begin;
  std::array<std::uint64_t, Regions> ends;                      // addresses
  std::vector<std::array<std::array<ByRegion, 2>, Kinds>> uses; // by tile
  std::vector<std::vector<std::pair<std::uint64_t, std::uint64_t>>> shared;
};

} // namespace

std::vector<RegionUse> recordRegions(const Draft &draft,
                                     const MemoryPlan &memory) {
  if (!draft.target.info->isIpu())
    return {};
  Recorder recorder(draft);
  const std::vector<Block> &blocks = draft.storage.blocks();
  for (std::uint32_t id = 0; id != blocks.size(); ++id)
    if (!memory.hasOthersMemory(id) && blocks[id].bytes != 0)
      recorder.add(blocks[id], !memory.getLiveness().isAlwaysLive(id));
  for (const rt::TileMemory &tile : draft.exe.memory)
    recorder.add(tile);
  return recorder.finish();
}

} // namespace poplar::core
