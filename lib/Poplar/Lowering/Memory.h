// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Giving every block an address. On an IPU, code comes first, at the start of
// region 0, then stacks, and the blocks fill the rest of both regions; blocks
// that must be interleaved go to region 1, to its start. Where something does
// not fit then, they go to its end, so that the others may lie across both
// regions. Blocks that are not always live come last and share what is left. A
// native tile's memory is as large as its blocks.

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

  /// The message if the data alone is more than a tile can hold, so that
  /// nothing else need be tried.
  std::optional<std::string> checkData() const;

  /// Allocates; `fixed` says for each tile what comes before its blocks.
  /// Returns the message if it does not fit; addresses then go on past the end.
  std::optional<std::string> allocate(const std::vector<FixedMemory> &fixed);

  /// Gives the constants for which there was room their data, which that of
  /// variables has to be already.
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
  bool allocateNative(std::uint32_t tile, const FixedMemory &fixed);
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
  /// The blocks of a tile that share memory, in the order of their placing.
  std::vector<std::uint32_t> sharedBlocks(std::uint32_t tile) const;

  Draft &draft;
  Liveness liveness;
  /// By block: the block that has its memory, too, or None.
  std::vector<std::uint32_t> placeOf;
  std::vector<std::vector<std::uint32_t>> byTile; // blocks with memory
  std::optional<ResidentConstants> constants;
  std::vector<std::uint32_t> kept;                   // of them
  std::vector<std::vector<LiveInterval>> liveBefore; // parallel to kept
};

} // namespace poplar::core

#endif
