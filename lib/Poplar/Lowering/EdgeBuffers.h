// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers for edges that cannot be pointers to their elements. The buffers of
// all compute sets share a block of a tile, since they live for one step only.
// Elements with initial data go to an operand block of the compute set, where
// they may stay (ResidentConstants.h). Large buffers go to operand blocks as
// well, so that other data can use their memory at other times.

#ifndef POPULUS_LIB_POPLAR_LOWERING_EDGEBUFFERS_H
#define POPULUS_LIB_POPLAR_LOWERING_EDGEBUFFERS_H

#include "lib/Poplar/Lowering/Draft.h"
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

  /// Makes a buffer that a vertex writes; \p layout is the layout of its
  /// pointer.
  Place makeOutput(const populus::archive::Field &field,
                   populus::archive::Layout layout, std::uint64_t bytes);
  /// Makes a buffer that holds the elements of these places before the vertices
  /// run.
  Place gather(const populus::archive::Field &field,
               populus::archive::Layout layout,
               const std::vector<PlaceRun> &places, std::uint64_t bytes);

  /// Allocates the buffers of all tiles.
  void finish();
  /// The pieces of the exchange before the compute set.
  std::vector<Piece> finishInputs() { return before.finish(); }

private:
  Place makeBuffer(const populus::archive::Field &field,
                   populus::archive::Layout layout, std::uint64_t bytes,
                   MemoryCategory use);
  void addUseOnTile(bool interleaved, MemoryCategory use);
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

  /// Ends of each tile's buffers, the category of their use
  /// (BufferCategory.h), and a flag for buffers that vertices write.
  struct TileBuffers {
    std::uint32_t tile;
    std::uint64_t end[2];
    MemoryCategory use[2];
  };
  std::vector<TileBuffers> buffers;
  bool writesBuffers = false;

  // The tile in work; [1] is interleaved memory.
  std::uint32_t tile = 0;
  std::uint64_t bufferEnd[2] = {0, 0};
  MemoryCategory bufferUse[2] = {MemoryCategory::Message,
                                 MemoryCategory::Message};
  std::uint32_t operandBlock[2] = {None, None};
};

} // namespace poplar::core

#endif
