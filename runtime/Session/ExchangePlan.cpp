// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adding up the traffic of an exchange. Pieces with one source are one send,
// however many tiles listen, so they are sorted by source; a send crosses to
// another IPU once, however many of its tiles listen. What a broadcast brings
// is added up once for all its receivers.

#include "runtime/Session/ExchangePlan.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <tuple>

namespace populus::runtime {

namespace {

/// What tiles send, once for all receivers. Exchanges have millions of pieces:
/// they are put in order by tile, and then each tile's few as plain numbers.
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

/// How often a tile receives a broadcast.
std::uint64_t timesOn(std::span<const Receiver> receivers, std::uint32_t tile) {
  const auto [first, last] = std::equal_range(
      receivers.begin(), receivers.end(), Receiver{tile, 0},
      [](const Receiver &a, const Receiver &b) { return a.tile < b.tile; });
  return static_cast<std::uint64_t>(last - first);
}

/// What comes from other tiles, and what stays on its tile. Returns the pieces
/// that are sent.
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
  LinkTraffic traffic;
  if (executable.numIpus == 1)
    return traffic;
  // Source tile and address, bytes, and the IPU that they go to.
  using Crossing = std::tuple<std::uint32_t, Address, std::uint32_t, unsigned>;
  std::vector<Crossing> crossings;
  for (const CopyPiece &piece : executable.piecesOf(exchange))
    forEachOtherIpu(executable, piece, [&](unsigned ipu) {
      executable.forEachPart(piece, [&](const CopyPiece &part) {
        crossings.push_back({part.srcTile, part.src, part.bytes, ipu});
      });
    });
  std::sort(crossings.begin(), crossings.end());
  crossings.erase(std::unique(crossings.begin(), crossings.end()),
                  crossings.end());
  for (const auto &[tile, address, bytes, ipu] : crossings) {
    traffic[tile / executable.tilesPerIpu].sentBytes += bytes;
    traffic[ipu].receivedBytes += bytes;
  }
  return traffic;
}

ExchangeCost costOf(const TargetInfo &target, const Executable &executable,
                    const Exchange &exchange) {
  ExchangeCost cost;
  for (const auto &[tile, load] : trafficOf(executable, exchange)) {
    if (load.usesFabric())
      cost.syncCycles = timing::internalSyncCycles(target);
    cost.cycles = std::max(cost.cycles, timing::exchangeCycles(target, load));
  }
  for (const auto &[ipu, load] : linkTrafficOf(executable, exchange)) {
    cost.syncCycles = timing::globalSyncCycles(target);
    cost.cycles = std::max(cost.cycles, timing::linkCycles(target, load));
  }
  return cost;
}

} // namespace populus::runtime
