// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the vertices of a compute set read from elsewhere: the pieces of the
// exchange before it. Many vertices often read the same elements (each row of a
// product reads all columns), so elements are looked up before pieces are made
// for them: tiles that need the same become the receivers of a broadcast, and
// the vertices of one tile share a buffer.

#ifndef POPULUS_LIB_POPLAR_LOWERING_GATHERING_H
#define POPULUS_LIB_POPLAR_LOWERING_GATHERING_H

#include "lib/Poplar/Lowering/Draft.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace poplar::core {

class Gathering {
public:
  explicit Gathering(Draft &draft) : draft(draft) {}

  /// A group of elements and all buffers that receive it.
  using Id = std::uint32_t;

  /// The group of elements that lie at these places.
  Id find(const std::vector<PlaceRun> &places);

  /// Its buffers, in the order in which they were added.
  std::span<const Place> buffersOf(Id id) const;

  /// Adds a buffer; the tiles of a group's buffers come in order.
  void addBuffer(Id id, Place buffer);

  /// Elements for a buffer of one vertex, which writes them, too.
  void addOwn(const std::vector<PlaceRun> &places, Place buffer);

  /// Moves buffers that lie in certain blocks to the same places of others.
  void moveBuffers(const std::unordered_map<std::uint32_t, std::uint32_t> &to);

  /// The pieces, once all is added.
  std::vector<populus::runtime::CopyPiece> finish();

private:
  struct Group {
    std::uint64_t hash;
    std::uint64_t firstPiece; // with offsets in the buffer as destinations
    std::uint32_t numPieces;
    std::uint32_t list = None; // of lists; None: no more than one buffer
    Place buffer;
  };
  bool isOf(const Group &group, std::uint64_t hash,
            const std::vector<PlaceRun> &places) const;
  void growTable();
  void addPieces(const std::vector<PlaceRun> &places, Place buffer);

  Draft &draft;
  std::vector<populus::runtime::CopyPiece> pieces;
  std::vector<Group> groups;
  std::vector<std::vector<Place>> lists;
  /// Open addressing: where the hash of a group says, or behind it.
  std::vector<Id> table;
};

} // namespace poplar::core

#endif
