// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adding up the traffic of an exchange. Pieces with one source are one send,
// however many tiles listen, so they are sorted by source; a send crosses to
// another IPU once, however many of its tiles listen.

#include "runtime/Session/ExchangePlan.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace populus::runtime {

namespace {

auto sourceOf(const CopyPiece &piece) {
  return std::tie(piece.srcTile, piece.src, piece.bytes);
}

void addSends(ExchangeTraffic &traffic, std::vector<CopyPiece> pieces) {
  std::sort(pieces.begin(), pieces.end(), [](const auto &a, const auto &b) {
    return sourceOf(a) < sourceOf(b);
  });
  const CopyPiece *last = nullptr;
  for (const CopyPiece &piece : pieces) {
    if (!last || sourceOf(*last) != sourceOf(piece)) {
      timing::TileTraffic &tile = traffic[piece.srcTile];
      tile.sentBytes += piece.bytes;
      ++tile.sentPieces;
    }
    last = &piece;
  }
}

} // namespace

ExchangeTraffic trafficOf(std::span<const CopyPiece> pieces) {
  ExchangeTraffic traffic;
  std::vector<CopyPiece> sends;
  for (const CopyPiece &piece : pieces) {
    timing::TileTraffic &tile = traffic[piece.dstTile];
    if (piece.srcTile == piece.dstTile) {
      tile.localBytes += piece.bytes;
      ++tile.localPieces;
    } else {
      tile.receivedBytes += piece.bytes;
      ++tile.receivedPieces;
      sends.push_back(piece);
    }
  }
  addSends(traffic, std::move(sends));
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
