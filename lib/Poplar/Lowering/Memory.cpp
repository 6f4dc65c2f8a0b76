// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First-fit allocation in the order of the blocks or of their size, so that the
// result depends on the program only.

#include "lib/Poplar/Lowering/Memory.h"

#include "lib/Poplar/Lowering/ConstantSharing.h"
#include "lib/Poplar/Lowering/CopyElimination.h"

#include <algorithm>
#include <map>

namespace poplar::core {

namespace rt = populus::runtime;

namespace {

/// Free memory [begin, end), used from its begin, or from its end.
struct Gap {
  std::uint64_t begin, end;

  bool take(Block &block) {
    const std::uint64_t address = alignUp(begin, block.align);
    if (address + block.bytes > std::min(end, block.addressEnd))
      return false;
    block.address = static_cast<Address>(address);
    begin = alignUp(address + block.bytes, WordBytes);
    return true;
  }

  bool takeLast(Block &block) {
    const std::uint64_t limit = std::min(end, block.addressEnd);
    const std::uint64_t bytes = alignUp(block.bytes, WordBytes);
    if (limit < begin + bytes)
      return false;
    const std::uint64_t address = (limit - bytes) / block.align * block.align;
    if (address < begin)
      return false;
    block.address = static_cast<Address>(address);
    end = address;
    return true;
  }
};

std::string number(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t i = digits.size(); i > 3; i -= 3)
    digits.insert(i - 3, 1, ',');
  return digits;
}

const char *categoryName(MemoryCategory category) {
  switch (category) {
  case MemoryCategory::Message:
  case MemoryCategory::OutputEdge:
  case MemoryCategory::Rearrangement:
    return "message buffers";
  case MemoryCategory::VertexInstanceState:
    return "vertex state";
  case MemoryCategory::VertexFieldData:
    return "vertex field data";
  default:
    return "other data";
  }
}

/// Vertex state has another size on the host, so the memory check of an IPU
/// Model leaves it out.
bool isState(const Block &block) {
  return block.category == MemoryCategory::VertexInstanceState ||
         block.category == MemoryCategory::VertexFieldData;
}

} // namespace

MemoryPlan::MemoryPlan(Draft &draft)
    : draft(draft), liveness(draft),
      placeOf(shareCopies(draft.exe, draft.exchanges, draft.storage, liveness)),
      byTile(draft.tiles.size()) {
  shareConstants(draft.graph, draft.storage, placeOf);
  const std::vector<Block> &blocks = draft.storage.blocks();
  for (std::uint32_t i = 0; i != blocks.size(); ++i)
    if (placeOf[i] == None)
      byTile[blocks[i].tile].push_back(i);
}

std::uint64_t MemoryPlan::dataBytes(std::uint32_t tile) const {
  std::uint64_t bytes =
      findPeak(liveness, draft.storage.blocks(), byTile[tile]).bytes;
  for (std::uint32_t id : byTile[tile]) {
    const Block &block = draft.storage.blocks()[id];
    if (!isShared(id) && (!draft.isNative() || !isState(block)))
      bytes += alignUp(block.bytes, WordBytes);
  }
  return bytes;
}

// Largest blocks first, because they are hardest to place. Blocks of equal size
// are in the order of their first live moment, which leaves the fewest gaps.
std::vector<std::uint32_t> MemoryPlan::sharedBlocks(std::uint32_t tile) const {
  const std::vector<Block> &blocks = draft.storage.blocks();
  std::vector<std::uint32_t> shared;
  for (std::uint32_t id : byTile[tile])
    if (isShared(id))
      shared.push_back(id);
  std::stable_sort(
      shared.begin(), shared.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::make_pair(blocks[b].bytes, liveness.of(a).front().first) <
               std::make_pair(blocks[a].bytes, liveness.of(b).front().first);
      });
  return shared;
}

std::string MemoryPlan::describeUser(const Block &block) const {
  if (block.variable != None)
    return draft.graph.describeVariable(block.variable);
  if (block.operandsOf != None)
    return "message buffers of '" +
           draft.exe.computeSets[block.operandsOf].name + "'";
  return categoryName(block.category);
}

std::string MemoryPlan::describeFull(std::uint32_t tile,
                                     const FixedMemory &fixed,
                                     std::size_t numFull) const {
  // Lists the largest users at the moment of peak memory: variables one by one,
  // the rest by kind.
  const LivePeak peak =
      findPeak(liveness, draft.storage.blocks(), byTile[tile]);
  std::map<std::string, std::uint64_t> users;
  for (std::uint32_t id : byTile[tile]) {
    const Block &block = draft.storage.blocks()[id];
    if (isShared(id) && !liveness.isLiveAt(id, peak.moment))
      continue;
    users[describeUser(block)] += block.bytes;
  }
  if (fixed.code)
    users["code"] = fixed.code;
  if (fixed.stacks)
    users["stacks"] = fixed.stacks;
  std::vector<std::pair<std::uint64_t, std::string>> largest;
  for (const auto &[name, bytes] : users)
    largest.emplace_back(bytes, name);
  std::sort(largest.begin(), largest.end(), [](const auto &a, const auto &b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  const std::uint64_t needed = dataBytes(tile) + fixed.code + fixed.stacks;
  const std::uint64_t available = draft.target.info->bytesPerTile();
  std::string text = "out of memory: tile " + std::to_string(tile) + " needs " +
                     number(needed) + " bytes";
  if (needed > available)
    text += ", " + number(needed - available) + " more than the " +
            number(available) + " bytes it has";
  else
    text += " of " + number(available) +
            ", but not in the memory regions where they must be";
  text += "; largest users:";
  for (std::size_t i = 0; i != std::min<std::size_t>(5, largest.size()); ++i)
    text += (i ? ", " : " ") + largest[i].second + " " +
            number(largest[i].first) + " bytes";
  if (numFull > 1)
    text += "; " + number(numFull) + " tiles do not fit";
  return text + "; " + describeWayOut();
}

/// Suggests a remedy, which depends on whether the data would fit if it were
/// evenly spread.
std::string MemoryPlan::describeWayOut() const {
  std::uint64_t needed = 0;
  for (std::uint32_t tile = 0; tile != byTile.size(); ++tile)
    needed += dataBytes(tile);
  const std::uint64_t ofAnIpu =
      std::uint64_t(draft.target.info->bytesPerTile()) * draft.exe.tilesPerIpu;
  const std::uint64_t available = ofAnIpu * draft.exe.numIpus;
  if (needed <= available)
    return "the data of all tiles takes " +
           number(std::max<std::uint64_t>(needed * 100 / available, 1)) +
           "% of their memory: spread it more evenly, or over more tiles or "
           "IPUs";
  return "the data of all tiles takes " + number(needed) + " bytes: use " +
         number((needed + ofAnIpu - 1) / ofAnIpu) +
         " IPUs or more, or more tiles of each";
}

std::optional<std::string> MemoryPlan::checkData() const {
  if (!draft.target.info->isIpu())
    return std::nullopt;
  const std::uint64_t available = draft.target.info->bytesPerTile();
  std::size_t numFull = 0;
  std::uint32_t worst = 0;
  std::uint64_t most = 0;
  for (std::uint32_t tile = 0; tile != byTile.size(); ++tile) {
    const std::uint64_t bytes = dataBytes(tile);
    numFull += bytes > available;
    if (bytes > most) {
      worst = tile;
      most = bytes;
    }
  }
  if (numFull == 0)
    return std::nullopt;
  return describeFull(worst, {}, numFull);
}

/// Memory that blocks share, each byte counted once.
std::uint32_t MemoryPlan::sharedBytes(std::uint32_t tile) const {
  std::vector<MemoryRange> ranges;
  for (std::uint32_t id : byTile[tile]) {
    const Block &block = draft.storage.blocks()[id];
    if (isShared(id))
      ranges.push_back({block.address, block.address + block.bytes});
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const MemoryRange &a, const MemoryRange &b) {
              return a.begin < b.begin;
            });
  std::uint64_t bytes = 0, end = 0;
  for (const MemoryRange &range : ranges) {
    const std::uint64_t begin = std::max(range.begin, end);
    if (range.end > begin)
      bytes += range.end - begin;
    end = std::max(end, range.end);
  }
  return static_cast<std::uint32_t>(bytes);
}

void MemoryPlan::recordUse(std::uint32_t tile, const FixedMemory &fixed) {
  rt::TileMemory use;
  use.tile = tile;
  const auto at = [&](MemoryCategory category) -> std::uint32_t & {
    return use.byCategory[static_cast<std::size_t>(category)];
  };
  for (std::uint32_t id : byTile[tile]) {
    const Block &block = draft.storage.blocks()[id];
    const auto bytes = static_cast<std::uint32_t>(block.bytes);
    (isShared(id) ? use.overlapped : at(block.category)) += bytes;
  }
  use.afterOverlapping = sharedBytes(tile);
  at(MemoryCategory::VertexCode) = fixed.code;
  at(MemoryCategory::Stack) = fixed.stacks;
  const Address begin =
      draft.isNative() ? 0 : draft.target.info->regions[0].begin;
  use.includingGaps = draft.exe.memoryEnd[tile] - begin;
  if (use.includingGaps != 0)
    draft.exe.memory.push_back(use);
}

bool MemoryPlan::allocateNative(std::uint32_t tile) {
  std::vector<Block> &blocks = draft.storage.blocks();
  Gap all = {0, std::uint64_t(1) << 32};
  for (std::uint32_t id : byTile[tile])
    if (!isShared(id) && !all.take(blocks[id]))
      return false;
  std::uint64_t end = all.begin;
  const MemoryRange rest = {all.begin, all.end};
  SharedMemory shared(liveness, blocks);
  for (std::uint32_t id : sharedBlocks(tile)) {
    if (!shared.place(id, {&rest, 1}))
      return false;
    end = std::max(end,
                   blocks[id].address + alignUp(blocks[id].bytes, WordBytes));
  }
  draft.exe.memoryEnd[tile] = static_cast<Address>(end);
  return true;
}

bool MemoryPlan::allocateTile(std::uint32_t tile, const FixedMemory &fixed) {
  const rt::TargetInfo &info = *draft.target.info;
  std::vector<Block> &blocks = draft.storage.blocks();
  const std::uint64_t begin =
      std::uint64_t(info.regions[0].begin) + fixed.code + fixed.stacks;
  Gap upper = {std::max<std::uint64_t>(begin, info.regions[1].begin),
               info.regions[1].end};
  // Code is executed from region 0 only.
  bool fits =
      begin <= info.regions[1].end && fixed.code <= info.regions[0].size();
  bool hasInterleaved = false;
  // Blocks that do not fit are placed behind the end of memory.
  std::uint64_t behind = std::max<std::uint64_t>(begin, info.regions[1].end);
  const auto spill = [&](Block &block) {
    block.address = static_cast<Address>(alignUp(behind, block.align));
    behind = block.address + alignUp(block.bytes, WordBytes);
    fits = false;
  };
  for (std::uint32_t id : byTile[tile])
    if (blocks[id].interleaved) {
      hasInterleaved = true;
      if (!isShared(id) && !upper.take(blocks[id]))
        spill(blocks[id]);
    }
  // Without interleaved blocks the two regions act as one.
  Gap lower = {begin, hasInterleaved
                          ? std::max<std::uint64_t>(begin, info.regions[0].end)
                          : upper.end};
  // Blocks that only low addresses can reach come first.
  for (bool confined : {true, false})
    for (std::uint32_t id : byTile[tile]) {
      Block &block = blocks[id];
      if (isShared(id) || block.interleaved || block.isConfined() != confined ||
          lower.take(block) || (hasInterleaved && upper.take(block)))
        continue;
      spill(block);
    }
  const MemoryRange rest[] = {{lower.begin, lower.end},
                              {upper.begin, hasInterleaved ? upper.end : 0}};
  SharedMemory shared(liveness, blocks);
  for (std::uint32_t id : sharedBlocks(tile))
    if (!shared.place(id, blocks[id].interleaved ? std::span(rest).subspan(1)
                                                 : std::span(rest)))
      spill(blocks[id]);
  setMemoryEnd(tile, begin);
  return fits;
}

/// The same as allocateTile() with interleaved blocks at the end of region 1.
/// Returns false if they do not fit either; the addresses are then meaningless.
bool MemoryPlan::allocateInterleavedLast(std::uint32_t tile,
                                         const FixedMemory &fixed) {
  const rt::TargetInfo &info = *draft.target.info;
  std::vector<Block> &blocks = draft.storage.blocks();
  const std::uint64_t begin =
      std::uint64_t(info.regions[0].begin) + fixed.code + fixed.stacks;
  if (fixed.code > info.regions[0].size())
    return false;
  Gap upper = {std::max<std::uint64_t>(begin, info.regions[1].begin),
               info.regions[1].end};
  for (std::uint32_t id : byTile[tile])
    if (blocks[id].interleaved && !isShared(id) && !upper.takeLast(blocks[id]))
      return false;
  Gap lower = {begin, upper.end};
  for (bool confined : {true, false})
    for (std::uint32_t id : byTile[tile])
      if (!isShared(id) && !blocks[id].interleaved &&
          blocks[id].isConfined() == confined && !lower.take(blocks[id]))
        return false;
  const MemoryRange rest = {lower.begin, lower.end};
  SharedMemory shared(liveness, blocks);
  const std::vector<std::uint32_t> sharing = sharedBlocks(tile);
  for (std::uint32_t id : sharing)
    if (blocks[id].interleaved &&
        !shared.placeLast(id, {std::max(rest.begin, upper.begin), rest.end}))
      return false;
  for (std::uint32_t id : sharing)
    if (!blocks[id].interleaved && !shared.place(id, {&rest, 1}))
      return false;
  setMemoryEnd(tile, begin);
  return true;
}

void MemoryPlan::setMemoryEnd(std::uint32_t tile, std::uint64_t begin) {
  auto end = static_cast<Address>(begin);
  for (std::uint32_t id : byTile[tile]) {
    const Block &block = draft.storage.blocks()[id];
    end = std::max(end, static_cast<Address>(block.address +
                                             alignUp(block.bytes, WordBytes)));
  }
  draft.exe.memoryEnd[tile] = end;
}

bool MemoryPlan::allocateIpu(std::uint32_t tile, const FixedMemory &fixed) {
  if (allocateTile(tile, fixed) || allocateInterleavedLast(tile, fixed))
    return true;
  // Assigns addresses past the end of memory.
  return allocateTile(tile, fixed);
}

/// Lets constants use that many quarters of the free memory.
void MemoryPlan::chooseConstants(const std::vector<FixedMemory> &fixed,
                                 unsigned quarters) {
  const std::uint64_t available = draft.target.info->bytesPerTile();
  std::vector<std::uint64_t> room(byTile.size());
  draft.workers.run(byTile.size(), [&](std::size_t i, unsigned) {
    const std::uint64_t used = dataBytes(static_cast<std::uint32_t>(i)) +
                               fixed[i].code + fixed[i].stacks;
    room[i] = used < available ? (available - used) * quarters / 4 : 0;
  });
  kept = constants->choose(draft, std::move(room));
  for (std::uint32_t id : kept) {
    liveBefore.push_back(liveness.keepAlive(id));
    draft.storage.blocks()[id].category = MemoryCategory::Constant;
  }
}

void MemoryPlan::releaseConstants() {
  for (std::size_t i = 0; i != kept.size(); ++i) {
    Block &block = draft.storage.blocks()[kept[i]];
    block.category = block.operandsOf != None ? MemoryCategory::Message
                                              : MemoryCategory::Variable;
    liveness.restore(kept[i], std::move(liveBefore[i]));
  }
  kept.clear();
  liveBefore.clear();
}

void MemoryPlan::keepConstants() { constants->keep(draft, kept); }

/// By tile, whether it fits.
std::vector<std::uint8_t>
MemoryPlan::allocateTiles(const std::vector<FixedMemory> &fixed) {
  draft.exe.memoryEnd.assign(byTile.size(), 0);
  // Bytes instead of bits, so that threads can write them independently.
  std::vector<std::uint8_t> fits(byTile.size());
  draft.workers.run(byTile.size(), [&](std::size_t i, unsigned) {
    const auto tile = static_cast<std::uint32_t>(i);
    fits[i] = draft.isNative() ? allocateNative(tile)
                               : allocateIpu(tile, fixed[tile]);
  });
  return fits;
}

std::optional<std::string>
MemoryPlan::allocate(const std::vector<FixedMemory> &fixed) {
  constants.emplace(draft, liveness, placeOf);
  // Gaps between blocks make a part of the free memory unusable. A CPU has no
  // exchange to save.
  std::vector<std::uint8_t> fits;
  for (unsigned quarters : {3, 1, 0}) {
    if (draft.target.info->isIpu())
      chooseConstants(fixed, quarters);
    fits = allocateTiles(fixed);
    if (kept.empty() ||
        std::find(fits.begin(), fits.end(), false) == fits.end())
      break;
    releaseConstants();
  }
  std::size_t numFull = 0;
  std::uint32_t worst = 0;
  std::uint64_t worstBytes = 0;
  for (std::uint32_t tile = 0; tile != byTile.size(); ++tile) {
    recordUse(tile, fixed[tile]);
    if (fits[tile])
      continue;
    ++numFull;
    const std::uint64_t bytes =
        dataBytes(tile) + fixed[tile].code + fixed[tile].stacks;
    if (bytes > worstBytes) {
      worst = tile;
      worstBytes = bytes;
    }
  }
  std::vector<Block> &blocks = draft.storage.blocks();
  for (std::uint32_t i = 0; i != blocks.size(); ++i)
    if (placeOf[i] != None)
      blocks[i].address = blocks[placeOf[i]].address;
  if (numFull == 0)
    return std::nullopt;
  return describeFull(worst, fixed[worst], numFull);
}

} // namespace poplar::core
