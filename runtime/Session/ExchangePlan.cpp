// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adding up the traffic of an exchange. Pieces with one source are one send,
// however many tiles listen, so they are sorted by source.

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

ExchangeCost costOf(const TargetInfo &target,
                    std::span<const CopyPiece> pieces) {
  ExchangeCost cost;
  for (const auto &[tile, load] : trafficOf(pieces)) {
    cost.needsSync |= load.usesFabric();
    cost.cycles = std::max(cost.cycles, timing::exchangeCycles(target, load));
  }
  return cost;
}

} // namespace populus::runtime
