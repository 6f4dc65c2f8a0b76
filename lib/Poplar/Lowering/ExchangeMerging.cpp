// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All pieces of an exchange are copied at once, so a copy joins those before it
// only if it reads nothing that they write and writes nothing that they touch.

#include "lib/Poplar/Lowering/ExchangeMerging.h"

#include <algorithm>
#include <utility>

namespace poplar::core {

namespace rt = populus::runtime;

namespace {

/// Bytes that a tile may receive in copies that are joined. All that they read
/// and write is live at once, so joining large ones could fill a tile, and
/// beside the time that they take, that of a sync is little.
constexpr std::uint64_t MostBytes = 4096;

/// Pieces among which it does not take long to look for overlaps.
constexpr std::size_t MostPieces = std::size_t(1) << 18;

/// Pieces of one exchange. Loaders refuse those that write to twice as many
/// places; a copy that turns a matrix of halves round has one for each element.
constexpr std::size_t MostPiecesOfOne = std::size_t(1) << 24;

/// Names that are shown of what was joined.
constexpr std::size_t MostNames = 4;

Place sourceOf(const rt::CopyPiece &piece) {
  return {piece.srcTile, piece.src};
}
Place targetOf(const rt::CopyPiece &piece) {
  return {piece.dstTile, piece.dst};
}

} // namespace

void PlaceSet::add(Place place, std::uint32_t bytes) {
  std::uint32_t begin = place.offset, end = place.offset + bytes;
  // Joins what it touches.
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
  return draft.storage.block(place).category == MemoryCategory::Message;
}

void ExchangeMerger::note(const rt::CopyPiece &piece) {
  usesBuffers |= isBuffer(sourceOf(piece)) || isBuffer(targetOf(piece));
  read.add(sourceOf(piece), piece.bytes);
  written.add(targetOf(piece), piece.bytes);
  received[draft.storage.block(targetOf(piece)).tile] += piece.bytes;
}

/// Done only when it must be, since few copies have one behind them.
void ExchangeMerger::notePending() {
  for (; noted != pending.size(); ++noted)
    note(pending[noted]);
}

bool ExchangeMerger::canJoin(const std::vector<rt::CopyPiece> &more) {
  if (pending.size() + more.size() > MostPieces)
    return false;
  notePending();
  std::unordered_map<std::uint32_t, std::uint64_t> all = received;
  for (const rt::CopyPiece &piece : more)
    all[draft.storage.block(targetOf(piece)).tile] += piece.bytes;
  if (std::any_of(all.begin(), all.end(), [](const auto &tileAndBytes) {
        return tileAndBytes.second > MostBytes;
      }))
    return false;
  return std::none_of(more.begin(), more.end(),
                      [&](const rt::CopyPiece &piece) {
                        return written.touches(sourceOf(piece), piece.bytes) ||
                               written.touches(targetOf(piece), piece.bytes) ||
                               read.touches(targetOf(piece), piece.bytes);
                      });
}

void ExchangeMerger::add(const std::string &name,
                         std::vector<rt::CopyPiece> pieces) {
  if (pieces.empty())
    return;
  if (!pending.empty() && !canJoin(pieces))
    finish();
  append(name, std::move(pieces));
}

/// Inputs go to buffers, which have their places whatever is live; so it does
/// not matter how large they are.
bool ExchangeMerger::canJoinInputs(const std::vector<rt::CopyPiece> &inputs) {
  if (pending.size() + inputs.size() > MostPieces)
    return false;
  notePending();
  return !usesBuffers &&
         std::none_of(inputs.begin(), inputs.end(),
                      [&](const rt::CopyPiece &piece) {
                        return written.touches(sourceOf(piece), piece.bytes);
                      });
}

void ExchangeMerger::addInputs(const std::string &name,
                               std::vector<rt::CopyPiece> pieces) {
  if (!pieces.empty()) {
    if (!pending.empty() && !canJoinInputs(pieces))
      finish();
    append(name, std::move(pieces));
  }
  finish();
}

void ExchangeMerger::append(const std::string &name,
                            std::vector<rt::CopyPiece> pieces) {
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

/// Pieces that no other one reads or overwrites in lists of equal length, each
/// of which has its share of what every tile receives.
static std::vector<std::vector<rt::CopyPiece>>
inLists(const std::vector<rt::CopyPiece> &pieces, std::size_t count) {
  std::unordered_map<std::uint32_t, std::size_t> ofBlock, taken;
  for (const rt::CopyPiece &piece : pieces)
    ++ofBlock[piece.dstTile];
  std::vector<std::vector<rt::CopyPiece>> lists(count);
  for (const rt::CopyPiece &piece : pieces)
    lists[taken[piece.dstTile]++ * count / ofBlock[piece.dstTile]].push_back(
        piece);
  return lists;
}

/// Buffers are live around one exchange, so what goes there stays together.
bool ExchangeMerger::canDivide() const {
  return std::none_of(
      pending.begin(), pending.end(), [&](const rt::CopyPiece &piece) {
        return piece.isBroadcast() || isBuffer(targetOf(piece)) ||
               isBuffer(sourceOf(piece));
      });
}

void ExchangeMerger::addExchange(const std::string &name,
                                 std::vector<rt::CopyPiece> pieces) {
  const std::uint32_t id = draft.addExchange(name, std::move(pieces));
  if (id != None)
    done.push_back({id, name});
}

void ExchangeMerger::finish() {
  if (!pending.empty()) {
    const std::string name = joinNames(names);
    if (pending.size() > MostPiecesOfOne && canDivide()) {
      const std::size_t count = 1 + (pending.size() - 1) / MostPiecesOfOne;
      for (std::vector<rt::CopyPiece> &list :
           inLists(std::exchange(pending, {}), count))
        addExchange(name, std::move(list));
    } else {
      addExchange(name, std::move(pending));
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
