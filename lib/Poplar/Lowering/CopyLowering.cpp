// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All pieces of an exchange are copied at once. A copy that reads bytes which
// it also overwrites is therefore split in two: to a buffer on the
// destination's tile, and from there to the destination.

#include "lib/Poplar/Lowering/CopyLowering.h"

#include "lib/Poplar/Graph/Access.h"
#include "lib/Poplar/Lowering/BufferCategory.h"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <tuple>
#include <unordered_set>

namespace poplar::core {

namespace rt = populus::runtime;

namespace {

/// Splits the places of both sides at each other's ends. Pieces that would copy
/// bytes to themselves are omitted.
std::vector<Piece> matchPlaces(const std::vector<PlaceRun> &from,
                               const std::vector<PlaceRun> &to) {
  std::vector<Piece> pieces;
  std::size_t i = 0, j = 0;
  std::uint32_t doneFrom = 0, doneTo = 0; // bytes of from[i], to[j]
  while (i != from.size() && j != to.size()) {
    const std::uint32_t bytes =
        std::min(from[i].bytes - doneFrom, to[j].bytes - doneTo);
    const Place source = {from[i].place.block, from[i].place.offset + doneFrom};
    const Place target = {to[j].place.block, to[j].place.offset + doneTo};
    if (source != target)
      pieces.push_back({source, target, bytes});
    doneFrom += bytes;
    doneTo += bytes;
    if (doneFrom == from[i].bytes) {
      ++i;
      doneFrom = 0;
    }
    if (doneTo == to[j].bytes) {
      ++j;
      doneTo = 0;
    }
  }
  return pieces;
}

/// Returns true if a piece reads bytes that some piece writes. Only blocks that
/// are on both sides are checked; most copies have none.
bool readsWhatItWrites(const std::vector<Piece> &pieces) {
  struct Written {
    std::uint32_t block, begin, end;
  };
  std::unordered_set<std::uint32_t> sources;
  for (const Piece &piece : pieces)
    sources.insert(piece.from.block);
  std::vector<Written> written;
  for (const Piece &piece : pieces)
    if (sources.contains(piece.to.block))
      written.push_back(
          {piece.to.block, piece.to.offset, piece.to.offset + piece.bytes});
  if (written.empty())
    return false;
  std::sort(written.begin(), written.end(),
            [](const Written &a, const Written &b) {
              return std::tie(a.block, a.begin) < std::tie(b.block, b.begin);
            });
  return std::any_of(pieces.begin(), pieces.end(), [&](const Piece &piece) {
    // Writes do not overlap, so only the last one that begins before the
    // end of what is read can reach into it.
    const auto after = std::lower_bound(
        written.begin(), written.end(),
        std::make_tuple(piece.from.block, piece.from.offset + piece.bytes),
        [](const Written &w, const auto &key) {
          return std::make_tuple(w.block, w.begin) < key;
        });
    if (after == written.begin())
      return false;
    const Written &last = *std::prev(after);
    return last.block == piece.from.block && last.end > piece.from.offset;
  });
}

/// Number of replicas of a copy, which is the same in each.
std::uint32_t replicasOfCopy(const Draft &draft, const std::string &name,
                             const TensorView &source,
                             const TensorView &destination) {
  const std::uint32_t to = draft.replicasOf(destination);
  const std::uint32_t from = draft.replicasOf(source);
  if (from != 1 && from != to)
    throw graph_replication_error(
        "'" + name + "': the source has " + std::to_string(from) +
        " replicas, the destination " + std::to_string(to) +
        "; use Graph::getNonReplicatedTensor");
  return to;
}

/// Adds pieces that may read bytes which they overwrite.
void addPieces(Draft &draft, ExchangeMerger &exchanges, const std::string &name,
               std::vector<Piece> pieces) {
  if (!readsWhatItWrites(pieces))
    return exchanges.add(name, std::move(pieces));
  std::vector<Piece> out;
  std::vector<std::uint64_t> used(draft.tiles.size());
  for (Piece &piece : pieces) {
    const Place target = piece.to;
    const std::uint32_t tile = draft.storage.block(target).tile;
    // Small pieces lie side by side, so that they can be joined.
    const Place buffer =
        draft.bufferPlace(tile, false, static_cast<std::uint32_t>(used[tile]));
    used[tile] += piece.bytes;
    Block &block = draft.buffers(tile, false);
    addUse(block, MemoryCategory::Rearrangement);
    block.bytes = std::max(block.bytes, alignUp(used[tile], WordBytes));
    out.push_back({buffer, target, piece.bytes});
    piece.to = buffer;
  }
  exchanges.add(name, std::move(pieces));
  exchanges.add(name, std::move(out));
}

} // namespace

void lowerCopy(Draft &draft, ExchangeMerger &exchanges, const std::string &name,
               const TensorView &source, const TensorView &destination) {
  const std::uint32_t replicas =
      replicasOfCopy(draft, name, source, destination);
  std::vector<Piece> pieces = matchPlaces(draft.storage.placesOf(source),
                                          draft.storage.placesOf(destination));
  for (std::uint32_t r = 1; r != replicas; ++r) {
    const std::vector<Piece> more =
        matchPlaces(draft.storage.placesOf(source, r),
                    draft.storage.placesOf(destination, r));
    pieces.insert(pieces.end(), more.begin(), more.end());
  }
  addPieces(draft, exchanges, name, std::move(pieces));
}

void lowerReplicaCopies(Draft &draft, ExchangeMerger &exchanges,
                        const std::string &name,
                        const std::vector<ReplicaCopy> &copies) {
  std::vector<Piece> pieces;
  for (const ReplicaCopy &copy : copies) {
    const TensorView &source = Access::view(draft.graph, copy.source);
    const TensorView &destination = Access::view(draft.graph, copy.destination);
    const std::uint32_t replicas =
        replicasOfCopy(draft, name, source, destination);
    for (const auto &[from, to] : copy.receivers) {
      if (from >= replicas || to >= replicas)
        throw graph_replication_error("'" + name + "': a copy from replica " +
                                      std::to_string(from) + " to replica " +
                                      std::to_string(to) + " of tensors with " +
                                      std::to_string(replicas) + " replicas");
      const std::vector<Piece> more =
          matchPlaces(draft.storage.placesOf(source, from),
                      draft.storage.placesOf(destination, to));
      pieces.insert(pieces.end(), more.begin(), more.end());
    }
  }
  addPieces(draft, exchanges, name, std::move(pieces));
}

} // namespace poplar::core
