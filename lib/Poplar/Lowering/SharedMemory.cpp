// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First fit among the blocks that interfere.

#include "lib/Poplar/Lowering/SharedMemory.h"

#include <algorithm>
#include <tuple>

namespace poplar::core {

/// Where those lie that are placed and live with it, in order.
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
  // Those that do not interfere may overlap, so one that begins lower may still
  // end higher.
  std::sort(
      taken.begin(), taken.end(),
      [](const MemoryRange &a, const MemoryRange &b) { return a.end > b.end; });
  std::uint64_t end = std::min(range.end, block.addressEnd);
  // The address if it ends there at the latest; 0 if there is no room.
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
  // Bytes that come to life at a moment, or are no longer live from it on.
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
