// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of exchanges: the busiest tile decides, a broadcast is sent once.

#include "runtime/Session/ExchangePlan.h"

#include <gtest/gtest.h>

#include <vector>

using namespace populus::runtime;

namespace {

ExchangeCost cost(const std::vector<CopyPiece> &pieces) {
  return costOf(*findTarget("ipu2"), pieces);
}

TEST(ExchangePlanTest, NothingCostsNothing) {
  EXPECT_EQ(cost({}).cycles, 0u);
  EXPECT_FALSE(cost({}).needsSync);
}

TEST(ExchangePlanTest, ABroadcastIsOneSend) {
  std::vector<CopyPiece> pieces;
  for (std::uint32_t tile = 1; tile != 100; ++tile)
    pieces.push_back({0, 64, tile, 64, 400});
  EXPECT_EQ(cost(pieces).cycles, 52u + 100 + 2);
  EXPECT_TRUE(cost(pieces).needsSync);
}

TEST(ExchangePlanTest, AGatherIsBoundByItsReceiver) {
  std::vector<CopyPiece> pieces;
  for (std::uint32_t tile = 1; tile != 100; ++tile)
    pieces.push_back({tile, 64, 0, 64 + 400 * tile, 400});
  EXPECT_EQ(cost(pieces).cycles, 52u + 99 * (100 + 2));
}

TEST(ExchangePlanTest, LocalCopiesNeedNoSync) {
  const ExchangeCost local = cost({{3, 64, 3, 128, 16}});
  EXPECT_EQ(local.cycles, 288u + 6 + 2);
  EXPECT_FALSE(local.needsSync);
}

} // namespace
