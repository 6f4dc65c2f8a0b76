// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assigns an address to every block. On an IPU code comes first, at the start
// of region 0, then stacks; blocks fill the rest of both regions:
//
//    region 0                              region 1
//    | code | stacks | blocks ........... | interleaved | blocks ......... |
//
// Interleaved blocks must be in region 1 and are placed at its start. If
// another block then does not fit, they are placed at its end instead, so that
// the others may extend over both regions. Blocks that are not always live come
// last and share the rest. On a native device a tile's memory is as large as
// its blocks.

#ifndef POPULUS_LIB_POPLAR_LOWERING_MEMORY_H
#define POPULUS_LIB_POPLAR_LOWERING_MEMORY_H

#include "lib/Poplar/Lowering/Draft.h"
#include "lib/Poplar/Lowering/ResidentConstants.h"
#include "lib/Poplar/Lowering/SharedMemory.h"

#include <optional>
#include <string>
#include <vector>

namespace poplar::core {

/// Contents of the start of a tile's memory.
struct FixedMemory {
  std::uint32_t code = 0;
  std::uint32_t stacks = 0;
};

class MemoryPlan {
public:
  explicit MemoryPlan(Draft &draft);

  /// Returns an error message if the data alone exceeds a tile's memory.
  /// Nothing else need be tried then.
  std::optional<std::string> checkData() const;

  /// Allocates blocks; `fixed` gives the contents before the blocks of each
  /// tile. Returns an error message if a tile is too full; addresses then
  /// continue past the end.
  std::optional<std::string> allocate(const std::vector<FixedMemory> &fixed);

  /// Writes the data of resident constants for which there was room. The data
  /// of variables must have been written before.
  void keepConstants();

  const Liveness &getLiveness() const { return liveness; }

  /// Returns true if a block lies in the memory of another one.
  bool hasOthersMemory(std::uint32_t block) const {
    return placeOf[block] != None;
  }

private:
  std::vector<std::uint8_t>
  allocateTiles(const std::vector<FixedMemory> &fixed);
  void chooseConstants(const std::vector<FixedMemory> &fixed,
                       unsigned quarters);
  void releaseConstants();
  bool allocateIpu(std::uint32_t tile, const FixedMemory &fixed);
  bool allocateTile(std::uint32_t tile, const FixedMemory &fixed);
  bool allocateInterleavedLast(std::uint32_t tile, const FixedMemory &fixed);
  void setMemoryEnd(std::uint32_t tile, std::uint64_t begin);
  bool allocateNative(std::uint32_t tile);
  void recordUse(std::uint32_t tile, const FixedMemory &fixed);
  std::string describeUser(const Block &block) const;
  std::string describeFull(std::uint32_t tile, const FixedMemory &fixed,
                           std::size_t numFull) const;
  std::string describeWayOut() const;
  std::uint64_t dataBytes(std::uint32_t tile) const;
  std::uint32_t sharedBytes(std::uint32_t tile) const;
  bool isShared(std::uint32_t block) const {
    return !liveness.isAlwaysLive(block);
  }
  /// Blocks of a tile that share memory, in the order in which they are placed.
  std::vector<std::uint32_t> sharedBlocks(std::uint32_t tile) const;

  Draft &draft;
  Liveness liveness;
  /// For each block: the block whose memory it uses, or None.
  std::vector<std::uint32_t> placeOf;
  std::vector<std::vector<std::uint32_t>> byTile; // blocks with memory
  std::optional<ResidentConstants> constants;
  std::vector<std::uint32_t> kept;                   // of them
  std::vector<std::vector<LiveInterval>> liveBefore; // parallel to kept
};

} // namespace poplar::core

#endif
