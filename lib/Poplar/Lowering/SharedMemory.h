// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocates the blocks of one tile that are not always live. Each gets the
// lowest, or the highest, address at which it overlaps no block that is live at
// the same time.

#ifndef POPULUS_LIB_POPLAR_LOWERING_SHAREDMEMORY_H
#define POPULUS_LIB_POPLAR_LOWERING_SHAREDMEMORY_H

#include "lib/Poplar/Lowering/Liveness.h"

#include <cstdint>
#include <span>
#include <vector>

namespace poplar::core {

/// Addresses [begin, end).
struct MemoryRange {
  std::uint64_t begin, end;
};

class SharedMemory {
public:
  SharedMemory(const Liveness &liveness, std::vector<Block> &blocks)
      : liveness(liveness), blocks(blocks) {}

  /// Gives a block an address in the first range that has room for it.
  bool place(std::uint32_t block, std::span<const MemoryRange> ranges);
  /// Gives a block the highest address in a range.
  bool placeLast(std::uint32_t block, const MemoryRange &range);

private:
  void findTaken(std::uint32_t block);
  bool putAt(std::uint32_t block, std::uint64_t address);

  const Liveness &liveness;
  std::vector<Block> &blocks;
  std::vector<std::uint32_t> placed;
  std::vector<MemoryRange> taken; // by what the block in work must not touch
};

/// Moment at which the blocks of a tile that are not always live need the most
/// memory, and the number of bytes.
struct LivePeak {
  std::uint64_t bytes = 0;
  std::uint32_t moment = 0;
};
LivePeak findPeak(const Liveness &liveness, const std::vector<Block> &blocks,
                  std::span<const std::uint32_t> onTile);

} // namespace poplar::core

#endif
