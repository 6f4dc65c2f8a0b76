// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First-fit allocation. Only blocks that are live at the same time as the new
// one are obstacles:
//
//    address  0x00    0x40    0x80    0xc0
//             |  A    |  B    |       |         A, B and C are placed
//                     |  C            |         B and C are never live together
//
//    D is live with A and B: it goes to 0x80, over a part of C.
//    E is live with A and C: it goes to 0xc0.
//
// The order in which blocks are placed decides how well they pack;
// MemoryPlan::sharedBlocks() gives the largest first.

#include "lib/Poplar/Lowering/SharedMemory.h"

#include <algorithm>
#include <tuple>

namespace poplar::core {

/// Lists the ranges of placed blocks that interfere with \p id, by address.
void SharedMemory::findTaken(std::uint32_t id) {
  taken.clear();
  for (std::uint32_t other : placed)
    if (liveness.interfere(id, other))
      taken.push_back(
          {blocks[other].address,
           blocks[other].address + alignUp(blocks[other].bytes, WordBytes)});
  std::sort(taken.begin(), taken.end(),
            [](const MemoryRange &a, const MemoryRange &b) {
              return a.begin < b.begin;
            });
}

bool SharedMemory::putAt(std::uint32_t id, std::uint64_t address) {
  blocks[id].address = static_cast<Address>(address);
  placed.push_back(id);
  return true;
}

bool SharedMemory::place(std::uint32_t id,
                         std::span<const MemoryRange> ranges) {
  const Block &block = blocks[id];
  const std::uint64_t bytes = alignUp(block.bytes, WordBytes);
  findTaken(id);
  for (const MemoryRange &range : ranges) {
    std::uint64_t address = alignUp(range.begin, block.align);
    for (const MemoryRange &other : taken) {
      if (address + bytes <= other.begin)
        break;
      if (other.end > address)
        address = alignUp(other.end, block.align);
    }
    if (address + bytes <= std::min(range.end, block.addressEnd))
      return putAt(id, address);
  }
  return false;
}

bool SharedMemory::placeLast(std::uint32_t id, const MemoryRange &range) {
  const Block &block = blocks[id];
  const std::uint64_t bytes = alignUp(block.bytes, WordBytes);
  findTaken(id);
  // Two of the blocks may overlap if they do not interfere with each other. So
  // the one that begins lower may end higher.
  std::sort(
      taken.begin(), taken.end(),
      [](const MemoryRange &a, const MemoryRange &b) { return a.end > b.end; });
  std::uint64_t end = std::min(range.end, block.addressEnd);
  // Highest address of the block if it ends at `end` or before; 0 without room.
  const auto addressBelow = [&](std::uint64_t end) {
    return end < bytes ? 0 : (end - bytes) / block.align * block.align;
  };
  for (const MemoryRange &other : taken) {
    if (addressBelow(end) >= other.end)
      break;
    end = std::min(end, other.begin);
  }
  return addressBelow(end) >= std::max<std::uint64_t>(range.begin, 1) &&
         putAt(id, addressBelow(end));
}

LivePeak findPeak(const Liveness &liveness, const std::vector<Block> &blocks,
                  std::span<const std::uint32_t> onTile) {
  // Number of bytes that become live, or cease to be live, at a moment.
  struct Change {
    std::uint32_t moment;
    std::int64_t bytes;
  };
  std::vector<Change> changes;
  for (std::uint32_t id : onTile) {
    const auto bytes =
        static_cast<std::int64_t>(alignUp(blocks[id].bytes, WordBytes));
    if (!liveness.isAlwaysLive(id))
      for (const LiveInterval &interval : liveness.of(id)) {
        changes.push_back({interval.first, bytes});
        changes.push_back({interval.last + 1, -bytes});
      }
  }
  std::sort(changes.begin(), changes.end(),
            [](const Change &a, const Change &b) {
              return std::tie(a.moment, a.bytes) < std::tie(b.moment, b.bytes);
            });
  LivePeak peak;
  std::int64_t live = 0;
  for (const Change &change : changes) {
    live += change.bytes;
    if (live > static_cast<std::int64_t>(peak.bytes))
      peak = {static_cast<std::uint64_t>(live), change.moment};
  }
  return peak;
}

} // namespace poplar::core
