// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pieces are packed twice: when they are added, by blocks, and when they are
// resolved. By then, blocks of a tile follow each other, so there are other
// patterns.

#include "lib/Poplar/Lowering/Exchanges.h"

#include "lib/Poplar/Lowering/BufferCategory.h"
#include "lib/Poplar/Lowering/Require.h"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <tuple>

namespace poplar::core {

namespace rt = populus::runtime;

namespace {

/// Joins pieces that continue the previous one on both sides. Moves the rest to
/// the front and returns how many remain.
std::size_t joinPieces(std::span<rt::CopyPiece> pieces) {
  std::size_t kept = 0;
  for (const rt::CopyPiece &piece : pieces) {
    if (piece.bytes == 0)
      continue;
    if (kept != 0) {
      rt::CopyPiece &last = pieces[kept - 1];
      if (last.srcTile == piece.srcTile && last.dstTile == piece.dstTile &&
          last.src + last.bytes == piece.src &&
          last.dst + last.bytes == piece.dst) {
        last.bytes += piece.bytes;
        continue;
      }
    }
    pieces[kept++] = piece;
  }
  return kept;
}

/// Limit on pieces of exchanges whose patterns have not been searched for yet.
constexpr std::size_t MostUnpacked = std::size_t(1) << 22;

/// Orders pieces by destination, for the search for patterns.
bool isBefore(const rt::CopyPiece &a, const rt::CopyPiece &b) {
  return std::tie(a.dstTile, a.dst) < std::tie(b.dstTile, b.dst);
}

/// Sorts pieces by destination and joins neighbours. Returns a block in which
/// two pieces write the same bytes, or None.
std::uint32_t sortPieces(std::vector<rt::CopyPiece> &pieces) {
  std::sort(pieces.begin(), pieces.end(), isBefore);
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    const rt::CopyPiece &a = pieces[i - 1], &b = pieces[i];
    if (a.dstTile == b.dstTile && a.dst + a.bytes > b.dst)
      return a.dstTile;
  }
  pieces.resize(joinPieces(pieces));
  return None;
}

} // namespace

// ---- Adding -----------------------------------------------------------------

rt::CopyPiece Exchanges::encoded(const Piece &piece) {
  return {piece.from.block, piece.from.offset,
          piece.isBroadcast() ? piece.broadcast | rt::CopyPiece::BroadcastFlag
                              : piece.to.block,
          piece.to.offset, piece.bytes};
}

Piece Exchanges::decoded(const rt::CopyPiece &piece) {
  const Place from = {piece.srcTile, piece.src};
  if (piece.isBroadcast())
    return {from, {None, piece.dst}, piece.bytes, piece.broadcast()};
  return {from, {piece.dstTile, piece.dst}, piece.bytes};
}

std::uint32_t Exchanges::add(const std::string &name,
                             const std::vector<Piece> &pieces) {
  std::vector<rt::CopyPiece> list(pieces.size());
  std::transform(pieces.begin(), pieces.end(), list.begin(), encoded);
  // Pieces that are joined here need no sorting later.
  list.resize(joinPieces(list));
  if (list.empty())
    return None;
  list.shrink_to_fit();
  numUnpacked += list.size();
  all.push_back({name, {std::move(list), {}}});
  if (numUnpacked > MostUnpacked)
    pack();
  return static_cast<std::uint32_t>(all.size() - 1);
}

std::uint32_t Exchanges::addBroadcast(std::vector<Place> receivers) {
  broadcasts.push_back(std::move(receivers));
  return static_cast<std::uint32_t>(broadcasts.size() - 1);
}

/// Checks that all receivers of a broadcast are of the same kind. Other code
/// looks only at the first receiver.
void Exchanges::checkReceivers() const {
  for (const std::vector<Place> &receivers : broadcasts) {
    require(!receivers.empty(), "a broadcast has receivers");
    const Block &first = storage.block(receivers.front());
    for (Place receiver : receivers)
      require(isBuffer(storage.block(receiver)) &&
                  storage.block(receiver).operandsOf == first.operandsOf,
              "a broadcast goes to buffers, or to operands of one compute set");
  }
}

/// Joins pieces of the newest exchanges and finds their patterns.
void Exchanges::pack() {
  std::vector<std::uint32_t> overlaps(all.size() - firstUnpacked, None);
  workers.run(overlaps.size(), [&](std::size_t i, unsigned) {
    PackedPieces &packed = all[firstUnpacked + i].packed;
    overlaps[i] = sortPieces(packed.pieces);
    packed = packPieces(std::move(packed.pieces));
  });
  for (std::size_t i = 0; i != overlaps.size(); ++i)
    if (overlaps[i] != None)
      throw graph_connection_error(
          "'" + all[firstUnpacked + i].name +
          "': two vertices write the same elements of " +
          graph.describeVariable(storage.blocks()[overlaps[i]].variable));
  firstUnpacked = all.size();
  numUnpacked = 0;
}

void Exchanges::finish() {
  checkReceivers();
  pack();
}

// ---- Changing ---------------------------------------------------------------

void Exchanges::dropPiecesTo(const std::vector<bool> &blocks) {
  // Receivers of a broadcast that are still wanted keep it.
  for (std::vector<Place> &receivers : broadcasts)
    std::erase_if(receivers, [&](Place place) { return blocks[place.block]; });
  for (Exchange &exchange : all)
    std::erase_if(exchange.packed.pieces, [&](const rt::CopyPiece &piece) {
      return piece.isBroadcast() ? broadcasts[piece.broadcast()].empty()
                                 : blocks[piece.dstTile];
    });
  dropUnusedBroadcasts();
}

/// Drops the broadcasts that no piece names.
void Exchanges::dropUnusedBroadcasts() {
  const auto forEachBroadcast = [&](auto &&visit) {
    for (Exchange &exchange : all)
      for (rt::CopyPiece &piece : exchange.packed.pieces)
        if (piece.isBroadcast())
          visit(piece);
  };
  std::vector<std::uint32_t> newId(broadcasts.size(), None);
  forEachBroadcast(
      [&](const rt::CopyPiece &piece) { newId[piece.broadcast()] = 0; });
  std::uint32_t kept = 0;
  for (std::uint32_t id = 0; id != newId.size(); ++id) {
    if (newId[id] == None)
      continue;
    if (kept != id)
      broadcasts[kept] = std::move(broadcasts[id]);
    newId[id] = kept++;
  }
  broadcasts.resize(kept);
  forEachBroadcast([&](rt::CopyPiece &piece) {
    piece.dstTile = newId[piece.broadcast()] | rt::CopyPiece::BroadcastFlag;
  });
}

std::vector<Piece> Exchanges::piecesOf(std::uint32_t exchange) const {
  std::vector<Piece> pieces;
  forEachPiece(exchange, [&](const Piece &piece) { pieces.push_back(piece); });
  return pieces;
}

void Exchanges::setPieces(std::uint32_t exchange,
                          const std::vector<Piece> &pieces) {
  std::vector<rt::CopyPiece> list(pieces.size());
  std::transform(pieces.begin(), pieces.end(), list.begin(), encoded);
  all[exchange].packed = {std::move(list), {}};
}

// ---- Places to addresses ----------------------------------------------------

PackedPieces Exchanges::resolved(const PackedPieces &packed) const {
  std::vector<rt::CopyPiece> pieces;
  core::forEachPiece(
      packed.pieces, packed.patterns,
      [&](const rt::CopyPiece &piece) { pieces.push_back(piece); });
  std::sort(pieces.begin(), pieces.end(), isBefore);
  const std::vector<Block> &blocks = storage.blocks();
  for (rt::CopyPiece &piece : pieces) {
    piece.src += blocks[piece.srcTile].address;
    piece.srcTile = blocks[piece.srcTile].tile;
    if (!piece.isBroadcast()) {
      piece.dst += blocks[piece.dstTile].address;
      piece.dstTile = blocks[piece.dstTile].tile;
    }
  }
  // Drop pieces whose source and destination got the same memory.
  std::erase_if(pieces, [](const rt::CopyPiece &piece) {
    return piece.srcTile == piece.dstTile && piece.src == piece.dst;
  });
  return packPieces(std::move(pieces));
}

void Exchanges::resolve(rt::Executable &exe) {
  std::vector<PackedPieces> done(all.size());
  workers.run(done.size(), [&](std::size_t i, unsigned) {
    done[i] = resolved(std::exchange(all[i].packed, {}));
  });
  PackedList list(exe.copyPieces, exe.copyPatterns);
  list.reserve(done);
  for (std::size_t i = 0; i != done.size(); ++i)
    exe.exchanges.push_back(
        {std::move(all[i].name), list.add(std::exchange(done[i], {}))});
  for (const std::vector<Place> &receivers : broadcasts) {
    exe.broadcasts.push_back({static_cast<std::uint32_t>(exe.receivers.size()),
                              static_cast<std::uint32_t>(receivers.size())});
    for (Place place : receivers) {
      const Block &block = storage.block(place);
      exe.receivers.push_back({block.tile, block.address + place.offset});
    }
  }
}

} // namespace poplar::core
