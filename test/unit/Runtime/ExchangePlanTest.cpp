// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of exchanges: the busiest tile decides, a broadcast is sent once.

#include "runtime/Session/ExchangePlan.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

using namespace populus::runtime;

namespace {

constexpr std::uint32_t TilesPerIpu = 200;

Executable program(std::vector<CopyPiece> pieces) {
  Executable exe;
  exe.numIpus = 3;
  exe.tilesPerIpu = TilesPerIpu;
  exe.copyPieces = std::move(pieces);
  exe.exchanges = {
      {"", {0, static_cast<std::uint32_t>(exe.copyPieces.size())}}};
  return exe;
}

/// One of which each piece goes to the same address of tiles [first, last).
Executable broadcastProgram(std::vector<CopyPiece> pieces, std::uint32_t first,
                            std::uint32_t last) {
  for (CopyPiece &piece : pieces)
    piece.dstTile = CopyPiece::BroadcastFlag;
  Executable exe = program(std::move(pieces));
  for (std::uint32_t tile = first; tile != last; ++tile)
    exe.receivers.push_back({tile, 1024});
  exe.broadcasts = {{0, last - first}};
  return exe;
}

/// The same with a piece for each receiver.
Executable spelledOut(const Executable &exe) {
  std::vector<CopyPiece> pieces;
  for (const CopyPiece &piece : exe.copyPieces)
    exe.forEachCopy(piece,
                    [&](const CopyPiece &copy) { pieces.push_back(copy); });
  return program(std::move(pieces));
}

std::vector<ExchangePart> partsOf(const Executable &exe) {
  return partsOf(*findTarget("ipu2"), exe, exe.exchanges[0]);
}

/// An exchange whose IPUs all meet.
ExchangePart costOf(const Executable &exe) {
  const std::vector<ExchangePart> parts = partsOf(exe);
  EXPECT_LE(parts.size(), 1u);
  return parts.empty() ? ExchangePart() : parts.front();
}

ExchangePart cost(std::vector<CopyPiece> pieces) {
  return costOf(program(std::move(pieces)));
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
  const ExchangePart local = cost({{3, 64, 3, 128, 16}});
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

// IPU 0 and 2 exchange data over the links, IPU 1 within itself.
TEST(ExchangePlanTest, IpusThatExchangeNothingDoNotMeet) {
  const std::vector<ExchangePart> parts =
      partsOf(program({{2 * TilesPerIpu, 64, 0, 64, 4},
                       {TilesPerIpu, 64, TilesPerIpu + 1, 64, 400}}));
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].ipus, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(parts[0].cycles, 333u);
  EXPECT_EQ(parts[0].syncCycles, 600u);
  EXPECT_EQ(parts[1].ipus, std::vector<std::uint32_t>{1});
  EXPECT_EQ(parts[1].cycles, 52u + 100 + 2);
  EXPECT_EQ(parts[1].syncCycles, 133u);
}

TEST(ExchangePlanTest, ABroadcastCrossesToAnIpuOnce) {
  std::vector<CopyPiece> pieces;
  for (std::uint32_t tile = 1; tile != 3 * TilesPerIpu; ++tile)
    pieces.push_back({0, 64, tile, 64, 400});
  const Executable exe = program(pieces);
  const LinkTraffic traffic = linkTrafficOf(exe, exe.exchanges[0]);
  EXPECT_EQ(traffic.at(0).sentBytes, 800u);
  EXPECT_EQ(traffic.at(1).receivedBytes, 400u);
  EXPECT_EQ(traffic.at(2).receivedBytes, 400u);
}

// A broadcast list and separate pieces cost the same; receivers include
// senders.
TEST(ExchangePlanTest, AListOfReceiversCostsWhatItsPiecesCost) {
  const std::vector<CopyPiece> pieces = {
      {0, 64, 0, 0, 400}, {3, 64, 0, 400, 40}, {450, 64, 0, 440, 4}};
  for (const auto &[first, last] : {std::pair(0u, 100u), std::pair(3u, 4u),
                                    std::pair(2u, 3 * TilesPerIpu)}) {
    const Executable list = broadcastProgram(pieces, first, last);
    const Executable single = spelledOut(list);
    EXPECT_EQ(costOf(list).cycles, costOf(single).cycles);
    EXPECT_EQ(costOf(list).syncCycles, costOf(single).syncCycles);
    const ExchangeTraffic a = trafficOf(list, list.exchanges[0]);
    const ExchangeTraffic b = trafficOf(single, single.exchanges[0]);
    ASSERT_EQ(a.size(), b.size());
    for (const auto &[tile, load] : b) {
      EXPECT_EQ(a.at(tile).sentBytes, load.sentBytes);
      EXPECT_EQ(a.at(tile).sentPieces, load.sentPieces);
      EXPECT_EQ(a.at(tile).receivedBytes, load.receivedBytes);
      EXPECT_EQ(a.at(tile).receivedPieces, load.receivedPieces);
      EXPECT_EQ(a.at(tile).localBytes, load.localBytes);
      EXPECT_EQ(a.at(tile).localPieces, load.localPieces);
    }
  }
}

TEST(ExchangePlanTest, APatternCostsWhatItsPartsCost) {
  Executable exe = program({{0, 64, 1, 128, CopyPiece::PatternFlag},
                            {0, 64, 2, 128, CopyPiece::PatternFlag},
                            {450, 64, 1, 0, CopyPiece::PatternFlag | 1}});
  exe.copyPatterns = {{8, 5, 16, 8}, {4, 7, 4, 12}};
  const Executable single = spelledOut(exe);
  EXPECT_EQ(single.copyPieces.size(), 17u);
  EXPECT_EQ(costOf(exe).cycles, costOf(single).cycles);
  EXPECT_EQ(costOf(exe).syncCycles, costOf(single).syncCycles);
  const ExchangeTraffic traffic = trafficOf(exe, exe.exchanges[0]);
  EXPECT_EQ(traffic.at(0).sentPieces, 5u);
  EXPECT_EQ(traffic.at(1).receivedBytes, 68u);
}

} // namespace
