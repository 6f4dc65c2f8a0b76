// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies that bring the same bytes each time. For example, a vertex reads
// weights of another tile: an exchange copies them before each execution. If
// there is enough memory, the copy is made once, when the program is loaded:
// its destination holds the bytes from the start, and nothing else uses that
// memory.

#ifndef POPULUS_LIB_POPLAR_LOWERING_RESIDENTCONSTANTS_H
#define POPULUS_LIB_POPLAR_LOWERING_RESIDENTCONSTANTS_H

#include "lib/Poplar/Lowering/Liveness.h"

#include <cstdint>
#include <span>
#include <vector>

namespace poplar::core {

class ResidentConstants {
public:
  /// Finds blocks that only copies of constant data write, and that are only
  /// read after these copies. \p placeOf gives the block whose memory a block
  /// uses.
  ResidentConstants(const Draft &draft, const Liveness &liveness,
                    const std::vector<std::uint32_t> &placeOf);

  /// Chooses the blocks to keep, with that many bytes available on each tile.
  /// The copies of an exchange are kept on all tiles or on none, because the
  /// slowest tile determines its time.
  std::vector<std::uint32_t> choose(const Draft &draft,
                                    std::vector<std::uint64_t> room) const;

  /// Makes the contents of blocks initial data and removes the copies to them.
  /// The data of variables must already be initial data.
  void keep(Draft &draft, std::span<const std::uint32_t> blocks) const;

private:
  /// Bytes of a block, and their source.
  struct Fill {
    std::uint32_t block, offset, bytes;
    Place source;
  };
  /// Blocks that are filled for the same purpose, one on a tile.
  struct Group {
    std::uint64_t key, total = 0, largest = 0; // bytes
    std::vector<std::uint32_t> blocks;
  };

  std::vector<bool> findData(const Draft &draft) const;
  void findCandidates(const Draft &draft, const Liveness &liveness,
                      const std::vector<std::uint32_t> &placeOf);
  void collectFills(const Draft &draft);
  void dropContradictions();
  void makeGroups(const Draft &draft);
  std::span<const Fill> fillsOf(std::uint32_t block) const;

  std::vector<bool> candidates; // by block
  std::vector<Fill> fills;      // by block and offset
  std::vector<Group> groups;    // those that save the most for a byte first
};

} // namespace poplar::core

#endif
