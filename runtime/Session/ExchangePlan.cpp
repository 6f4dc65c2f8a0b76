// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds up the traffic of an exchange. For example, tile 0 copies 64 bytes to
// tiles 1 and 2, and tile 1 copies 8 bytes to tile 0 and 16 bytes to itself:
//
//              sent   received   local
//    tile 0    64     8                    one send for two receivers
//    tile 1    8      64         16
//    tile 2           64
//
// The exchange takes as long as its busiest tile (timing::exchangeCycles).
// Pieces are sorted by source, because those with one source are one send. The
// traffic of a broadcast is added up once for all its receivers.
//
// Data for several tiles of another IPU cross the link once. IPUs that exchange
// data, directly or through others, form a part, with a sync and cycles of its
// own: if IPU 0 sends to IPU 1, and IPU 2 sends only within itself, the parts
// are {0, 1} and {2}.

#include "runtime/Session/ExchangePlan.h"

#include <algorithm>
#include <compare>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

namespace populus::runtime {

namespace {

/// Counts the sends of tiles, once for all receivers. Exchanges have millions
/// of descriptors: they are put in order by tile, and then each tile's few as
/// plain numbers.
void addSends(ExchangeTraffic &traffic, const std::vector<CopyPiece> &sends) {
  std::vector<std::size_t> ends; // by tile
  for (const CopyPiece &piece : sends) {
    if (piece.srcTile >= ends.size())
      ends.resize(piece.srcTile + 1);
    ++ends[piece.srcTile];
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<std::uint64_t> sources(sends.size());
  // Filled from their ends on, and full in the end.
  std::vector<std::size_t> begins = ends;
  for (const CopyPiece &piece : sends)
    sources[--begins[piece.srcTile]] =
        std::uint64_t(piece.src) << 32 | piece.bytes;
  for (std::size_t tile = 0; tile != ends.size(); ++tile) {
    const auto begin =
        sources.begin() + static_cast<std::ptrdiff_t>(begins[tile]);
    const auto end = sources.begin() + static_cast<std::ptrdiff_t>(ends[tile]);
    if (begin == end)
      continue;
    std::sort(begin, end);
    timing::TileTraffic &sent = traffic[static_cast<std::uint32_t>(tile)];
    for (auto source = begin; source != end; ++source)
      if (source == begin || *source != *std::prev(source)) {
        sent.sentBytes += static_cast<std::uint32_t>(*source);
        ++sent.sentPieces;
      }
  }
}

/// Counts how many times a tile receives a broadcast.
std::uint64_t timesOn(std::span<const Receiver> receivers, std::uint32_t tile) {
  const auto [first, last] = std::equal_range(
      receivers.begin(), receivers.end(), Receiver{tile, 0},
      [](const Receiver &a, const Receiver &b) { return a.tile < b.tile; });
  return static_cast<std::uint64_t>(last - first);
}

/// Adds the traffic from other tiles, and the traffic that stays on its tile.
/// Returns the descriptors that are sent.
class ReceivedTraffic {
public:
  ReceivedTraffic(const Executable &executable, ExchangeTraffic &traffic)
      : executable(executable), traffic(traffic) {}

  std::vector<CopyPiece> add(std::span<const CopyPiece> pieces) {
    for (const CopyPiece &piece : pieces)
      executable.forEachPart(piece, [&](const CopyPiece &part) {
        part.isBroadcast() ? addBroadcast(part) : addPiece(part);
      });
    for (const auto &[broadcast, load] : ofBroadcasts)
      for (const Receiver &receiver : executable.receiversOf(broadcast)) {
        timing::TileTraffic &tile = traffic[receiver.tile];
        tile.receivedBytes += load.receivedBytes;
        tile.receivedPieces += load.receivedPieces;
      }
    // Above, tiles have received what they sent themselves, too.
    for (const auto &[id, load] : fromThemselves) {
      timing::TileTraffic &tile = traffic[id];
      tile.receivedBytes -= load.localBytes;
      tile.receivedPieces -= load.localPieces;
      tile.localBytes += load.localBytes;
      tile.localPieces += load.localPieces;
    }
    return std::move(sends);
  }

private:
  void addPiece(const CopyPiece &piece) {
    // Pieces for one tile follow each other, most often.
    if (!last || lastTile != piece.dstTile) {
      lastTile = piece.dstTile;
      last = &traffic[lastTile];
    }
    timing::TileTraffic &tile = *last;
    if (piece.srcTile == piece.dstTile) {
      tile.localBytes += piece.bytes;
      ++tile.localPieces;
    } else {
      tile.receivedBytes += piece.bytes;
      ++tile.receivedPieces;
      sends.push_back(piece);
    }
  }

  void addBroadcast(const CopyPiece &piece) {
    timing::TileTraffic &load = ofBroadcasts[piece.broadcast()];
    load.receivedBytes += piece.bytes;
    ++load.receivedPieces;
    const auto receivers = executable.receiversOf(piece.broadcast());
    const std::uint64_t own = timesOn(receivers, piece.srcTile);
    if (own != 0) {
      timing::TileTraffic &local = fromThemselves[piece.srcTile];
      local.localBytes += own * piece.bytes;
      local.localPieces += own;
    }
    if (own != receivers.size())
      sends.push_back(piece);
  }

  const Executable &executable;
  ExchangeTraffic &traffic;
  ExchangeTraffic ofBroadcasts;   // by broadcast, what each receiver gets
  ExchangeTraffic fromThemselves; // by tile
  std::vector<CopyPiece> sends;
  std::uint32_t lastTile = 0;
  timing::TileTraffic *last = nullptr;
};

/// The IPUs that a piece goes to, but its own, each at least once.
template <typename Function>
void forEachOtherIpu(const Executable &executable, const CopyPiece &piece,
                     Function function) {
  const std::uint32_t own = piece.srcTile / executable.tilesPerIpu;
  const auto visit = [&](std::uint32_t tile) {
    if (tile / executable.tilesPerIpu != own)
      function(tile / executable.tilesPerIpu);
  };
  if (!piece.isBroadcast())
    return visit(piece.dstTile);
  // Receivers are sorted by tile: the first one of each IPU will do.
  const auto receivers = executable.receiversOf(piece.broadcast());
  for (auto at = receivers.begin(); at != receivers.end();) {
    const std::uint64_t end =
        (std::uint64_t(at->tile / executable.tilesPerIpu) + 1) *
        executable.tilesPerIpu;
    visit(at->tile);
    at = std::partition_point(
        at, receivers.end(),
        [&](const Receiver &receiver) { return receiver.tile < end; });
  }
}

/// Data that go from a tile to another IPU.
struct Crossing {
  std::uint32_t tile;
  Address address;
  std::uint32_t bytes;
  std::uint32_t ipu;

  auto operator<=>(const Crossing &) const = default;
};

/// Each once, however many tiles of the other IPU receive it.
std::vector<Crossing> crossingsOf(const Executable &executable,
                                  const Exchange &exchange) {
  std::vector<Crossing> crossings;
  if (executable.numIpus == 1)
    return crossings;
  for (const CopyPiece &piece : executable.piecesOf(exchange))
    forEachOtherIpu(executable, piece, [&](std::uint32_t ipu) {
      executable.forEachPart(piece, [&](const CopyPiece &part) {
        crossings.push_back({part.srcTile, part.src, part.bytes, ipu});
      });
    });
  std::sort(crossings.begin(), crossings.end());
  crossings.erase(std::unique(crossings.begin(), crossings.end()),
                  crossings.end());
  return crossings;
}

LinkTraffic linkTrafficOf(const Executable &executable,
                          const std::vector<Crossing> &crossings) {
  LinkTraffic traffic;
  for (const Crossing &crossing : crossings) {
    traffic[crossing.tile / executable.tilesPerIpu].sentBytes += crossing.bytes;
    traffic[crossing.ipu].receivedBytes += crossing.bytes;
  }
  return traffic;
}

/// Sets of IPUs, each known by its first one (a union-find structure).
class IpuGroups {
public:
  explicit IpuGroups(std::uint32_t count) : parents(count) {
    std::iota(parents.begin(), parents.end(), 0);
  }

  std::uint32_t find(std::uint32_t ipu) const {
    while (parents[ipu] != ipu)
      ipu = parents[ipu];
    return ipu;
  }

  void join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    parents[std::max(a, b)] = std::min(a, b);
  }

private:
  std::vector<std::uint32_t> parents;
};

} // namespace

ExchangeTraffic trafficOf(const Executable &executable,
                          const Exchange &exchange) {
  ExchangeTraffic traffic;
  addSends(
      traffic,
      ReceivedTraffic(executable, traffic).add(executable.piecesOf(exchange)));
  return traffic;
}

LinkTraffic linkTrafficOf(const Executable &executable,
                          const Exchange &exchange) {
  return linkTrafficOf(executable, crossingsOf(executable, exchange));
}

std::vector<ExchangePart> partsOf(const TargetInfo &target,
                                  const Executable &executable,
                                  const Exchange &exchange) {
  IpuGroups groups(executable.numIpus);
  const std::vector<Crossing> crossings = crossingsOf(executable, exchange);
  for (const Crossing &crossing : crossings)
    groups.join(crossing.tile / executable.tilesPerIpu, crossing.ipu);

  std::map<std::uint32_t, ExchangePart> parts; // by the first IPU of each
  std::set<std::uint32_t> ipus;
  for (const auto &[tile, load] : trafficOf(executable, exchange)) {
    const std::uint32_t ipu = tile / executable.tilesPerIpu;
    ipus.insert(ipu);
    ExchangePart &part = parts[groups.find(ipu)];
    if (load.usesFabric())
      part.syncCycles = timing::internalSyncCycles(target);
    part.cycles = std::max(part.cycles, timing::exchangeCycles(target, load));
  }
  for (const auto &[ipu, load] : linkTrafficOf(executable, crossings)) {
    ExchangePart &part = parts[groups.find(ipu)];
    part.syncCycles = timing::globalSyncCycles(target);
    part.cycles = std::max(part.cycles, timing::linkCycles(target, load));
  }

  for (std::uint32_t ipu : ipus)
    parts[groups.find(ipu)].ipus.push_back(ipu);
  std::vector<ExchangePart> result;
  for (auto &[first, part] : parts)
    result.push_back(std::move(part));
  return result;
}

} // namespace populus::runtime
