// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers are laid out tile by tile in the order of the vertices. So tiles with
// the same vertices have the same groups at the same distances. For example,
// vertices of tiles 0 and 1 read rows a and b of 16 bytes:
//
//              block   buffer of a   buffer of b
//    tile 0    B0      offset 0      offset 16
//    tile 1    B1      offset 0      offset 16
//
// Group {a} has the buffers (B0, 0) and (B1, 0), group {b} has (B0, 16) and
// (B1, 16). These differ only by 16 bytes, so both groups share one broadcast:
//
//    broadcast 0    receivers (B0, 0), (B1, 0)
//    pieces         a -> broadcast 0 + 0,    b -> broadcast 0 + 16
//
// The executable then has one list of receivers, and two pieces instead of
// four.

#include "lib/Poplar/Lowering/Gathering.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace poplar::core {

namespace {

constexpr std::uint64_t HashFactor = 0x9e3779b97f4a7c15;

std::uint64_t hashOf(const std::vector<PlaceRun> &places) {
  std::uint64_t hash = places.size();
  for (const PlaceRun &run : places)
    hash =
        (hash ^ run.place.block ^ std::uint64_t(run.bytes) << 32) * HashFactor +
        run.place.offset;
  return hash ^ hash >> 32;
}

/// The broadcasts of a compute set. Broadcasts with equal receivers are made
/// once.
class BroadcastList {
public:
  explicit BroadcastList(Exchanges &exchanges) : exchanges(exchanges) {}

  struct Target {
    std::uint32_t broadcast, offset;
  };
  Target find(const std::vector<Place> &buffers) {
    std::uint64_t hash = buffers.size();
    for (const Place &buffer : buffers)
      hash = (hash ^ buffer.block) * HashFactor +
             (buffer.offset - buffers.front().offset);
    const auto [first, last] = known.equal_range(hash);
    for (auto it = first; it != last; ++it) {
      const auto receivers = exchanges.receiversOf(it->second);
      const std::uint32_t base = receivers.front().offset;
      if (base <= buffers.front().offset &&
          std::equal(receivers.begin(), receivers.end(), buffers.begin(),
                     buffers.end(), [&](Place a, Place b) {
                       return a.block == b.block &&
                              a.offset - base ==
                                  b.offset - buffers.front().offset;
                     }))
        return {it->second, buffers.front().offset - base};
    }
    const std::uint32_t id = exchanges.addBroadcast(buffers);
    known.emplace(hash, id);
    return {id, 0};
  }

private:
  Exchanges &exchanges;
  std::unordered_multimap<std::uint64_t, std::uint32_t> known;
};

} // namespace

bool Gathering::isOf(const Group &group, std::uint64_t hash,
                     const std::vector<PlaceRun> &places) const {
  return group.hash == hash && group.numPieces == places.size() &&
         std::equal(
             places.begin(), places.end(),
             pieces.begin() + static_cast<std::ptrdiff_t>(group.firstPiece),
             [](const PlaceRun &run, const Piece &piece) {
               return run.place == piece.from && run.bytes == piece.bytes;
             });
}

void Gathering::growTable() {
  table.assign(std::max<std::size_t>(table.size() * 2, 64), None);
  for (Id id = 0; id != groups.size(); ++id) {
    std::size_t slot = groups[id].hash & (table.size() - 1);
    while (table[slot] != None)
      slot = (slot + 1) & (table.size() - 1);
    table[slot] = id;
  }
}

void Gathering::addPieces(const std::vector<PlaceRun> &places, Place buffer) {
  for (const PlaceRun &run : places) {
    pieces.push_back({run.place, buffer, run.bytes});
    buffer.offset += run.bytes;
  }
}

Gathering::Id Gathering::find(const std::vector<PlaceRun> &places) {
  if (groups.size() * 2 >= table.size())
    growTable();
  const std::uint64_t hash = hashOf(places);
  std::size_t slot = hash & (table.size() - 1);
  for (; table[slot] != None; slot = (slot + 1) & (table.size() - 1))
    if (isOf(groups[table[slot]], hash, places))
      return table[slot];
  const auto id = static_cast<Id>(groups.size());
  table[slot] = id;
  groups.push_back({hash, pieces.size(),
                    static_cast<std::uint32_t>(places.size()), None, Place()});
  addPieces(places, {None, 0});
  return id;
}

std::span<const Place> Gathering::buffersOf(Id id) const {
  const Group &group = groups[id];
  if (group.list != None)
    return lists[group.list];
  return {&group.buffer, group.buffer.block == None ? 0u : 1u};
}

void Gathering::addBuffer(Id id, Place buffer) {
  Group &group = groups[id];
  if (group.buffer.block == None) {
    group.buffer = buffer;
    return;
  }
  if (group.list == None) {
    group.list = static_cast<std::uint32_t>(lists.size());
    lists.push_back({group.buffer});
  }
  lists[group.list].push_back(buffer);
}

void Gathering::addOwn(const std::vector<PlaceRun> &places, Place buffer) {
  addPieces(places, buffer);
}

void Gathering::moveBuffers(
    const std::unordered_map<std::uint32_t, std::uint32_t> &to) {
  const auto move = [&](Place &place) {
    if (const auto found = to.find(place.block); found != to.end())
      place.block = found->second;
  };
  for (Group &group : groups)
    move(group.buffer);
  for (std::vector<Place> &list : lists)
    for (Place &place : list)
      move(place);
}

std::vector<Piece> Gathering::finish() {
  BroadcastList broadcasts(exchanges);
  for (const Group &group : groups) {
    BroadcastList::Target target = {None, group.buffer.offset};
    if (group.list != None)
      target = broadcasts.find(lists[group.list]);
    for (std::uint32_t i = 0; i != group.numPieces; ++i) {
      Piece &piece = pieces[group.firstPiece + i];
      piece.broadcast = target.broadcast;
      piece.to.block = piece.isBroadcast() ? None : group.buffer.block;
      piece.to.offset += target.offset;
    }
  }
  return std::move(pieces);
}

} // namespace poplar::core
