// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exchanges of an unlinked executable. A piece copies bytes between places,
// that is, between offsets in blocks of tile memory, because the addresses of
// blocks are not known yet. resolve() turns places into addresses:
//
//   a piece      block 7 + 0       -> block 9 + 16,      4 bytes
//   resolved     tile 3, 0x4c000   -> tile 5, 0x4c110,   4 bytes
//
// A large program has hundreds of millions of pieces, so they are kept packed
// (CopyPatterns.h) and unpacked when they are visited.

#ifndef POPULUS_LIB_POPLAR_LOWERING_EXCHANGES_H
#define POPULUS_LIB_POPLAR_LOWERING_EXCHANGES_H

#include "lib/Poplar/Lowering/CopyPatterns.h"
#include "lib/Poplar/Lowering/Storage.h"
#include "runtime/Session/WorkerPool.h"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace poplar::core {

/// A copy of bytes from one place to another, or to all receivers of a
/// broadcast.
struct Piece {
  Place from;
  /// The destination. A broadcast has no block here, and the offset is counted
  /// from the place of each receiver.
  Place to;
  std::uint32_t bytes = 0;
  /// A number of Exchanges::addBroadcast(); None for a copy to one place.
  std::uint32_t broadcast = None;

  bool isBroadcast() const { return broadcast != None; }
};

class Exchanges {
public:
  Exchanges(const GraphImpl &graph, const Storage &storage,
            populus::runtime::WorkerPool &workers)
      : graph(graph), storage(storage), workers(workers) {}

  /// Adds an exchange, if there is anything to copy. Returns its number or
  /// None.
  std::uint32_t add(const std::string &name, const std::vector<Piece> &pieces);

  /// Adds the receivers of a broadcast. They are either operand blocks of one
  /// compute set or buffers; finish() checks that.
  std::uint32_t addBroadcast(std::vector<Place> receivers);
  std::span<const Place> receiversOf(std::uint32_t broadcast) const {
    return broadcasts[broadcast];
  }
  /// True if the receivers of a broadcast are operand blocks.
  bool goesToOperands(std::uint32_t broadcast) const {
    return storage.block(broadcasts[broadcast].front()).operandsOf != None;
  }

  std::size_t size() const { return all.size(); }
  std::size_t numBroadcasts() const { return broadcasts.size(); }
  bool isEmpty(std::uint32_t exchange) const {
    return all[exchange].packed.pieces.empty();
  }

  /// Visits the pieces of an exchange.
  template <class Visit>
  void forEachPiece(std::uint32_t exchange, Visit &&visit) const {
    const PackedPieces &packed = all[exchange].packed;
    core::forEachPiece(packed.pieces, packed.patterns,
                       [&](const populus::runtime::CopyPiece &piece) {
                         visit(decoded(piece));
                       });
  }
  /// Visits the pieces of all exchanges.
  template <class Visit> void forEachPiece(Visit &&visit) const {
    for (std::uint32_t exchange = 0; exchange != all.size(); ++exchange)
      forEachPiece(exchange, visit);
  }

  /// Packs the pieces, once all exchanges are added.
  /// \throws graph_connection_error if two pieces of an exchange write the same
  /// bytes.
  void finish();

  /// Removes the pieces to blocks whose entry is true.
  void dropPiecesTo(const std::vector<bool> &blocks);

  /// Moves the exchanges to the executable, once all blocks have an address.
  void resolve(populus::runtime::Executable &exe);

  // For tests that plant mistakes.

  std::vector<Piece> piecesOf(std::uint32_t exchange) const;
  /// Replaces the pieces of an exchange, unchecked.
  void setPieces(std::uint32_t exchange, const std::vector<Piece> &pieces);
  std::vector<Place> &receivers(std::uint32_t broadcast) {
    return broadcasts[broadcast];
  }

private:
  struct Exchange {
    std::string name;
    PackedPieces packed; // encoded
  };

  /// A piece in the form of the executable, so that both forms are packed by
  /// the same code: with blocks for tiles, and offsets for addresses.
  static populus::runtime::CopyPiece encoded(const Piece &piece);
  static Piece decoded(const populus::runtime::CopyPiece &piece);

  void pack();
  void checkReceivers() const;
  void dropUnusedBroadcasts();
  PackedPieces resolved(const PackedPieces &packed) const;

  const GraphImpl &graph;
  const Storage &storage;
  populus::runtime::WorkerPool &workers;
  std::vector<Exchange> all;
  std::vector<std::vector<Place>> broadcasts;
  /// Exchanges from this one on have no patterns yet, and how many pieces.
  std::size_t firstUnpacked = 0, numUnpacked = 0;
};

} // namespace poplar::core

#endif
