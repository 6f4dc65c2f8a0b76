// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of exchanges: the busiest tile decides, a broadcast is sent once.

#include "runtime/Session/ExchangePlan.h"

#include <gtest/gtest.h>

#include <vector>

using namespace populus::runtime;

namespace {

constexpr std::uint32_t TilesPerIpu = 200;

ExchangeCost cost(const std::vector<CopyPiece> &pieces) {
  return costOf(*findTarget("ipu2"), TilesPerIpu, pieces);
}

TEST(ExchangePlanTest, NothingCostsNothing) {
  EXPECT_EQ(cost({}).cycles, 0u);
  EXPECT_EQ(cost({}).syncCycles, 0u);
}

TEST(ExchangePlanTest, ABroadcastIsOneSend) {
  std::vector<CopyPiece> pieces;
  for (std::uint32_t tile = 1; tile != 100; ++tile)
    pieces.push_back({0, 64, tile, 64, 400});
  EXPECT_EQ(cost(pieces).cycles, 52u + 100 + 2);
  EXPECT_EQ(cost(pieces).syncCycles, 133u);
}

TEST(ExchangePlanTest, AGatherIsBoundByItsReceiver) {
  std::vector<CopyPiece> pieces;
  for (std::uint32_t tile = 1; tile != 100; ++tile)
    pieces.push_back({tile, 64, 0, 64 + 400 * tile, 400});
  EXPECT_EQ(cost(pieces).cycles, 52u + 99 * (100 + 2));
}

TEST(ExchangePlanTest, LocalCopiesNeedNoSync) {
  const ExchangeCost local = cost({{3, 64, 3, 128, 16}});
  EXPECT_EQ(local.cycles, 52u + 4 + 2);
  EXPECT_EQ(local.syncCycles, 0u);
}

TEST(ExchangePlanTest, IpusMeetAndTheirLinksAreShared) {
  // Each tile of one IPU sends 16,000 bytes to a tile of the next: 3.2 MB take
  // 20 us on the links, 26,600 cycles, after 250 ns; a tile alone needs 4,054.
  std::vector<CopyPiece> pieces;
  for (std::uint32_t tile = 0; tile != TilesPerIpu; ++tile)
    pieces.push_back({tile, 64, TilesPerIpu + tile, 64, 16'000});
  EXPECT_EQ(cost(pieces).cycles, 333u + 26'600u);
  EXPECT_EQ(cost(pieces).syncCycles, 600u);
  // Little data wait for the latency only.
  EXPECT_EQ(cost({{0, 64, TilesPerIpu, 64, 4}}).cycles, 333u);
}

TEST(ExchangePlanTest, ABroadcastCrossesToAnIpuOnce) {
  std::vector<CopyPiece> pieces;
  for (std::uint32_t tile = 1; tile != 3 * TilesPerIpu; ++tile)
    pieces.push_back({0, 64, tile, 64, 400});
  const LinkTraffic traffic = linkTrafficOf(pieces, TilesPerIpu);
  EXPECT_EQ(traffic.at(0).sentBytes, 800u);
  EXPECT_EQ(traffic.at(1).receivedBytes, 400u);
  EXPECT_EQ(traffic.at(2).receivedBytes, 400u);
}

} // namespace
