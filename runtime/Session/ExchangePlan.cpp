// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adding up the traffic of an exchange. Pieces with one source are one send,
// however many tiles listen, so they are sorted by source; a send crosses to
// another IPU once, however many of its tiles listen.

#include "runtime/Session/ExchangePlan.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <tuple>
#include <vector>

namespace populus::runtime {

namespace {

/// What tiles send, once for all receivers. Exchanges have millions of pieces:
/// they are put in order by tile, and then each tile's few as plain numbers.
void addSends(ExchangeTraffic &traffic, std::span<const CopyPiece> pieces) {
  const auto isSent = [](const CopyPiece &piece) {
    return piece.srcTile != piece.dstTile;
  };
  std::vector<std::size_t> ends; // by tile
  for (const CopyPiece &piece : pieces)
    if (isSent(piece)) {
      if (piece.srcTile >= ends.size())
        ends.resize(piece.srcTile + 1);
      ++ends[piece.srcTile];
    }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<std::uint64_t> sources(ends.empty() ? 0 : ends.back());
  // Filled from their ends on, and full in the end.
  std::vector<std::size_t> begins = ends;
  for (const CopyPiece &piece : pieces)
    if (isSent(piece))
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

} // namespace

ExchangeTraffic trafficOf(std::span<const CopyPiece> pieces) {
  ExchangeTraffic traffic;
  // Pieces for one tile follow each other, most often.
  std::uint32_t number = 0;
  timing::TileTraffic *last = nullptr;
  for (const CopyPiece &piece : pieces) {
    if (!last || number != piece.dstTile) {
      number = piece.dstTile;
      last = &traffic[number];
    }
    timing::TileTraffic &tile = *last;
    if (piece.srcTile == piece.dstTile) {
      tile.localBytes += piece.bytes;
      ++tile.localPieces;
    } else {
      tile.receivedBytes += piece.bytes;
      ++tile.receivedPieces;
    }
  }
  addSends(traffic, pieces);
  return traffic;
}

LinkTraffic linkTrafficOf(std::span<const CopyPiece> pieces,
                          std::uint32_t tilesPerIpu) {
  std::vector<CopyPiece> crossing;
  for (const CopyPiece &piece : pieces)
    if (piece.srcTile / tilesPerIpu != piece.dstTile / tilesPerIpu)
      crossing.push_back(piece);
  const auto transferOf = [&](const CopyPiece &piece) {
    return std::make_tuple(piece.srcTile, piece.src, piece.bytes,
                           piece.dstTile / tilesPerIpu);
  };
  std::sort(crossing.begin(), crossing.end(),
            [&](const auto &a, const auto &b) {
              return transferOf(a) < transferOf(b);
            });
  LinkTraffic traffic;
  for (std::size_t i = 0; i != crossing.size(); ++i) {
    const CopyPiece &piece = crossing[i];
    if (i != 0 && transferOf(crossing[i - 1]) == transferOf(piece))
      continue;
    traffic[piece.srcTile / tilesPerIpu].sentBytes += piece.bytes;
    traffic[piece.dstTile / tilesPerIpu].receivedBytes += piece.bytes;
  }
  return traffic;
}

ExchangeCost costOf(const TargetInfo &target, std::uint32_t tilesPerIpu,
                    std::span<const CopyPiece> pieces) {
  ExchangeCost cost;
  for (const auto &[tile, load] : trafficOf(pieces)) {
    if (load.usesFabric())
      cost.syncCycles = timing::internalSyncCycles(target);
    cost.cycles = std::max(cost.cycles, timing::exchangeCycles(target, load));
  }
  for (const auto &[ipu, load] : linkTrafficOf(pieces, tilesPerIpu)) {
    cost.syncCycles = timing::globalSyncCycles(target);
    cost.cycles = std::max(cost.cycles, timing::linkCycles(target, load));
  }
  return cost;
}

} // namespace populus::runtime
