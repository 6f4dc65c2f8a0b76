// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory on the tiles of a compute set for edges that cannot be pointers to
// their elements. The buffers of all compute sets share a block of a tile,
// since they live for one step only. Elements that have initial data go to an
// operand block of the compute set, where they may be kept
// (ResidentConstants.h), and so do all buffers where they are large, so that
// other data can have their memory at other times.

#ifndef POPULUS_LIB_POPLAR_LOWERING_EDGEBUFFERS_H
#define POPULUS_LIB_POPLAR_LOWERING_EDGEBUFFERS_H

#include "lib/Poplar/Lowering/Gathering.h"

#include <cstdint>
#include <string>
#include <vector>

namespace poplar::core {

class EdgeBuffers {
public:
  /// Makes the buffers of the compute set that is added to the draft next.
  EdgeBuffers(Draft &draft, std::string name);

  void beginTile(std::uint32_t tile);
  void finishTile();

  /// A buffer that a vertex writes; \p layout is that of the pointer to it.
  Place makeOutput(const populus::archive::Field &field,
                   populus::archive::Layout layout, std::uint64_t bytes);
  /// A buffer that holds the elements at these places before the vertices run.
  Place gather(const populus::archive::Field &field,
               populus::archive::Layout layout,
               const std::vector<PlaceRun> &places, std::uint64_t bytes);

  /// Gives the buffers of all tiles their memory.
  void finish();
  /// The pieces of the exchange before the compute set.
  std::vector<populus::runtime::CopyPiece> finishInputs() {
    return before.finish();
  }

private:
  Place makeBuffer(const populus::archive::Field &field,
                   populus::archive::Layout layout, std::uint64_t bytes);
  Place makeOperand(const populus::archive::Field &field,
                    populus::archive::Layout layout, std::uint64_t bytes);
  bool haveInitialData(const std::vector<PlaceRun> &places) const;
  bool wantsOwnBlocks() const;
  void moveToOwnBlocks();
  [[noreturn]] void fail() const;

  Draft &draft;
  const std::string name;
  const std::uint32_t id; // of the executable
  Gathering before;
  /// First pointer and region of this compute set in the draft.
  const std::size_t firstPointer, firstRegion;

  /// The ends of each tile's buffers, and whether vertices write to some.
  struct TileBuffers {
    std::uint32_t tile;
    std::uint64_t end[2];
  };
  std::vector<TileBuffers> buffers;
  bool writesBuffers = false;

  // The tile in work; [1] is interleaved memory.
  std::uint32_t tile = 0;
  std::uint64_t bufferEnd[2] = {0, 0};
  std::uint32_t operandBlock[2] = {None, None};
};

} // namespace poplar::core

#endif
