// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands that the vertices of a compute set read from elsewhere, as pieces of
// the exchange before it. Vertices often read the same elements; each row of a
// matrix product reads all columns. So operands are looked up by their elements
// before pieces are made: tiles that need the same elements become receivers of
// one broadcast, and the vertices of one tile share a buffer.

#ifndef POPULUS_LIB_POPLAR_LOWERING_GATHERING_H
#define POPULUS_LIB_POPLAR_LOWERING_GATHERING_H

#include "lib/Poplar/Lowering/Exchanges.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace poplar::core {

class Gathering {
public:
  /// \p exchanges gets the broadcasts.
  explicit Gathering(Exchanges &exchanges) : exchanges(exchanges) {}

  /// A group of elements and all buffers that receive it.
  using Id = std::uint32_t;

  /// Returns the group of the elements at these places.
  Id find(const std::vector<PlaceRun> &places);

  /// Buffers of a group, in the order in which they were added.
  std::span<const Place> buffersOf(Id id) const;

  /// Adds a buffer. The buffers of a group must come in the order of tiles.
  void addBuffer(Id id, Place buffer);

  /// Adds a buffer of elements that one vertex reads and writes.
  void addOwn(const std::vector<PlaceRun> &places, Place buffer);

  /// Moves buffers from some blocks to the same offsets in others.
  void moveBuffers(const std::unordered_map<std::uint32_t, std::uint32_t> &to);

  /// Returns the pieces of the exchange. Nothing can be added afterwards.
  std::vector<Piece> finish();

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

  Exchanges &exchanges;
  std::vector<Piece> pieces;
  std::vector<Group> groups;
  std::vector<std::vector<Place>> lists;
  /// Hash table with open addressing.
  std::vector<Id> table;
};

} // namespace poplar::core

#endif
