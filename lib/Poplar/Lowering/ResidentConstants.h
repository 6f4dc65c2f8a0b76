// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies that bring the same bytes each time. What a vertex reads of weights
// that lie on other tiles is copied to its tile before it runs, in every step
// of the program. Where there is memory for it, such a copy is done once, when
// the program is loaded: its destination then holds the bytes from the start
// and nothing else lies there.

#ifndef POPULUS_LIB_POPLAR_LOWERING_RESIDENTCONSTANTS_H
#define POPULUS_LIB_POPLAR_LOWERING_RESIDENTCONSTANTS_H

#include "lib/Poplar/Lowering/Liveness.h"

#include <cstdint>
#include <span>
#include <vector>

namespace poplar::core {

class ResidentConstants {
public:
  /// Looks for blocks that are written by nothing but copies of data that
  /// nothing writes, and read only after that. \p placeOf says which blocks
  /// have the memory of others.
  ResidentConstants(const Draft &draft, const Liveness &liveness,
                    const std::vector<std::uint32_t> &placeOf);

  /// Which of them to keep if tiles have so many bytes for them. Copies of one
  /// exchange are kept on all tiles or on none, as it takes as long as the
  /// slowest tile.
  std::vector<std::uint32_t> choose(const Draft &draft,
                                    std::vector<std::uint64_t> room) const;

  /// Makes the contents of blocks initial data, which the data of variables
  /// already is, and removes the copies to them.
  void keep(Draft &draft, std::span<const std::uint32_t> blocks) const;

private:
  /// Bytes of a block and where they are copied from.
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
