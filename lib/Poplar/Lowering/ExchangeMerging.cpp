// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merging of copies. All pieces of an exchange are copied at the same time, so
// a copy may join the pending ones only if the order does not matter:
//
//    pending   B <- A     (reads A, writes B)
//    new       D <- C     joins: one exchange { B <- A, D <- C }
//              C <- B     does not join: it reads B, which is being written
//              B <- C     does not join: both write B
//              A <- C     does not join: it overwrites A, which is being read
//              C <- A     joins: two copies may read A
//
// A copy that cannot join ends the pending exchange and starts the next one.
// Pieces are byte ranges of blocks, so copies to different parts of one tensor
// do join. `read` and `written` hold the ranges that the pending pieces touch.
// They are computed lazily: most exchanges have one copy only.
//
// Two limits bound the merge. The operands of joined copies are live at the
// same time, so a tile may receive only a few bytes (MostBytes); the sync that
// merging saves costs little compared with a large copy anyway. Searching for
// overlaps must not take long (MostPieces).
//
// The inputs of a compute set are the last to join. Their destinations are
// buffers, which have memory whatever is live, so their size is not limited.

#include "lib/Poplar/Lowering/ExchangeMerging.h"

#include "lib/Poplar/Lowering/BufferCategory.h"

#include <algorithm>
#include <utility>

namespace poplar::core {

namespace rt = populus::runtime;

namespace {

/// Maximum number of bytes that a tile may receive in joined copies. Their
/// operands are live at the same time, so joining large copies could fill a
/// tile. The sync saved is small compared with a large copy.
constexpr std::uint64_t MostBytes = 4096;

/// Maximum number of pieces that are searched for overlaps.
constexpr std::size_t MostPieces = std::size_t(1) << 18;

/// Maximum number of pieces of one exchange. Loaders refuse exchanges that
/// write to more than twice as many places. The transpose of a matrix of halves
/// has a piece for each element.
constexpr std::size_t MostPiecesOfOne = std::size_t(1) << 24;

/// Maximum number of names in the name of a merged exchange.
constexpr std::size_t MostNames = 4;

} // namespace

void PlaceSet::add(Place place, std::uint32_t bytes) {
  std::uint32_t begin = place.offset, end = place.offset + bytes;
  // Merge with adjacent and overlapping ranges.
  auto next = ends.upper_bound({place.block, end});
  while (next != ends.begin()) {
    const auto other = std::prev(next);
    if (other->first.first != place.block || other->second < begin)
      break;
    begin = std::min(begin, other->first.second);
    end = std::max(end, other->second);
    next = ends.erase(other);
  }
  ends.emplace_hint(next, std::make_pair(place.block, begin), end);
}

bool PlaceSet::touches(Place place, std::uint32_t bytes) const {
  const auto next = ends.lower_bound({place.block, place.offset + bytes});
  if (next == ends.begin())
    return false;
  const auto last = std::prev(next);
  return last->first.first == place.block && last->second > place.offset;
}

bool ExchangeMerger::isBuffer(Place place) const {
  return core::isBuffer(storage.block(place));
}

void ExchangeMerger::note(const Piece &piece) {
  usesBuffers |= isBuffer(piece.from) || isBuffer(piece.to);
  read.add(piece.from, piece.bytes);
  written.add(piece.to, piece.bytes);
  received[storage.block(piece.to).tile] += piece.bytes;
}

/// Records pending pieces lazily, since few copies are followed by another one.
void ExchangeMerger::notePending() {
  for (; noted != pending.size(); ++noted)
    note(pending[noted]);
}

bool ExchangeMerger::canJoin(const std::vector<Piece> &more) {
  if (pending.size() + more.size() > MostPieces)
    return false;
  notePending();
  std::unordered_map<std::uint32_t, std::uint64_t> all = received;
  for (const Piece &piece : more)
    all[storage.block(piece.to).tile] += piece.bytes;
  if (std::any_of(all.begin(), all.end(), [](const auto &tileAndBytes) {
        return tileAndBytes.second > MostBytes;
      }))
    return false;
  return std::none_of(more.begin(), more.end(), [&](const Piece &piece) {
    return written.touches(piece.from, piece.bytes) ||
           written.touches(piece.to, piece.bytes) ||
           read.touches(piece.to, piece.bytes);
  });
}

void ExchangeMerger::add(const std::string &name, std::vector<Piece> pieces) {
  if (pieces.empty())
    return;
  if (!pending.empty() && !canJoin(pieces))
    finish();
  append(name, std::move(pieces));
}

/// Inputs go to buffers, which have memory whatever is live. Their size is not
/// limited.
bool ExchangeMerger::canJoinInputs(const std::vector<Piece> &inputs) {
  if (pending.size() + inputs.size() > MostPieces)
    return false;
  notePending();
  return !usesBuffers &&
         std::none_of(inputs.begin(), inputs.end(), [&](const Piece &piece) {
           return written.touches(piece.from, piece.bytes);
         });
}

void ExchangeMerger::addInputs(const std::string &name,
                               std::vector<Piece> pieces) {
  if (!pieces.empty()) {
    if (!pending.empty() && !canJoinInputs(pieces))
      finish();
    append(name, std::move(pieces));
  }
  finish();
}

void ExchangeMerger::append(const std::string &name,
                            std::vector<Piece> pieces) {
  if (pending.empty())
    pending = std::move(pieces);
  else
    pending.insert(pending.end(), pieces.begin(), pieces.end());
  if (std::find(names.begin(), names.end(), name) == names.end())
    names.push_back(name);
}

std::string joinNames(const std::vector<std::string> &names) {
  std::string joined = names.front();
  for (std::size_t i = 1; i != std::min(names.size(), MostNames); ++i)
    joined += "+" + names[i];
  return names.size() > MostNames ? joined + "+..." : joined;
}

/// Splits pieces into lists, so that each list gets an equal share of the
/// pieces for every destination. No piece may read or overwrite bytes of
/// another.
static std::vector<std::vector<Piece>> inLists(const std::vector<Piece> &pieces,
                                               std::size_t count) {
  std::unordered_map<std::uint32_t, std::size_t> ofBlock, taken;
  for (const Piece &piece : pieces)
    ++ofBlock[piece.to.block];
  std::vector<std::vector<Piece>> lists(count);
  for (const Piece &piece : pieces)
    lists[taken[piece.to.block]++ * count / ofBlock[piece.to.block]].push_back(
        piece);
  return lists;
}

/// Buffers are live during one exchange only, so an exchange with buffers is
/// not divided.
bool ExchangeMerger::canDivide() const {
  return std::none_of(pending.begin(), pending.end(), [&](const Piece &piece) {
    return piece.isBroadcast() || isBuffer(piece.to) || isBuffer(piece.from);
  });
}

void ExchangeMerger::addExchange(const std::string &name,
                                 const std::vector<Piece> &pieces) {
  const std::uint32_t id = exchanges.add(name, pieces);
  if (id != None)
    done.push_back({id, name});
}

void ExchangeMerger::finish() {
  if (!pending.empty()) {
    const std::string name = joinNames(names);
    if (pending.size() > MostPiecesOfOne && canDivide()) {
      const std::size_t count = 1 + (pending.size() - 1) / MostPiecesOfOne;
      for (const std::vector<Piece> &list :
           inLists(std::exchange(pending, {}), count))
        addExchange(name, list);
    } else {
      addExchange(name, std::exchange(pending, {}));
    }
  }
  pending.clear();
  noted = 0;
  received.clear();
  names.clear();
  read.clear();
  written.clear();
  usesBuffers = false;
}

} // namespace poplar::core
