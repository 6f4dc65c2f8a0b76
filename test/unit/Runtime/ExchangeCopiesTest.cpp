// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The copies of exchanges, against the same made piece by piece.

#include "runtime/Session/ExchangeCopies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

using namespace populus::runtime;

namespace {

constexpr std::uint32_t Tiles = 20;
/// Half of a tile's memory: sources are in the first half, destinations in the
/// second.
constexpr std::uint32_t HalfBytes = 1 << 17;

class ExchangeCopiesTest : public testing::Test {
protected:
  ExchangeCopiesTest() {
    exe.device = DeviceKind::IpuModel;
    exe.target = "ipu2";
    exe.numIpus = 1;
    exe.tilesPerIpu = Tiles;
    exe.tileSetup.assign(Tiles, None);
    exe.memoryEnd.assign(Tiles, 2 * HalfBytes);
    exe.exchanges.resize(1);
  }

  std::uint32_t pick(std::uint32_t end) {
    return std::uniform_int_distribution<std::uint32_t>(0, end - 1)(random);
  }

  /// Pieces one behind the other, some with a gap between them, from `begin` to
  /// some place before `end`.
  void addPieces(std::uint32_t dstTile, Address begin, Address end) {
    constexpr std::uint32_t Sizes[] = {1,  4,  12,  32,  32,
                                       32, 96, 256, 300, 20000};
    for (std::uint32_t i = 0; i != 700; ++i) {
      const std::uint32_t bytes = Sizes[pick(std::size(Sizes))];
      if (pick(4) == 0)
        begin += 4;
      if (begin + bytes > end)
        return;
      exe.copyPieces.push_back(
          {pick(Tiles), pick(HalfBytes - bytes), dstTile, begin, bytes});
      begin += bytes;
    }
  }

  /// Some tiles receive what the pieces bring, some of them twice.
  std::uint32_t addBroadcast(Address first, Address second) {
    exe.broadcasts.push_back(
        {static_cast<std::uint32_t>(exe.receivers.size()), 0});
    std::uint32_t &count = exe.broadcasts.back().count;
    for (std::uint32_t tile = 0; tile != Tiles; ++tile)
      for (Address address : {first, second})
        if (pick(3) != 0) {
          exe.receivers.push_back({tile, HalfBytes + address});
          ++count;
        }
    return static_cast<std::uint32_t>(exe.broadcasts.size() - 1) |
           CopyPiece::BroadcastFlag;
  }

  static std::vector<std::uint8_t> contents(const DeviceMemory &memory) {
    std::vector<std::uint8_t> bytes(Tiles * 2 * HalfBytes);
    std::memcpy(bytes.data(), memory.at(0, 0), bytes.size());
    return bytes;
  }

  std::mt19937 random{1};
  Executable exe;
};

TEST_F(ExchangeCopiesTest, AreThoseOfThePieces) {
  addPieces(addBroadcast(0, 32768), 0, 32768);
  exe.copyPatterns = {{32, 5, 64, 40}, {3, 400, 0u - 7, 5}};
  for (std::uint32_t tile = 0; tile != Tiles; ++tile) {
    addPieces(tile, HalfBytes + 65536, HalfBytes + 98304);
    for (std::uint32_t i : {0, 1})
      exe.copyPieces.push_back({pick(Tiles), 4096 + pick(4096), tile,
                                HalfBytes + 122880 + 1024 * i,
                                CopyPiece::PatternFlag | i});
  }
  addPieces(addBroadcast(98304, 110592), 0, 12288);
  exe.exchanges[0].pieces.count =
      static_cast<std::uint32_t>(exe.copyPieces.size());

  const DeviceMemory memory(exe);
  std::vector<std::uint8_t> expected(Tiles * 2 * HalfBytes);
  std::generate(expected.begin(), expected.end(), std::ref(random));
  std::memcpy(memory.at(0, 0), expected.data(), expected.size());
  for (const CopyPiece &piece : exe.copyPieces)
    exe.forEachCopy(piece, [&](const CopyPiece &copy) {
      std::memcpy(&expected[copy.dstTile * 2 * HalfBytes + copy.dst],
                  &expected[copy.srcTile * 2 * HalfBytes + copy.src],
                  copy.bytes);
    });

  const ExchangeCopies copies(exe, exe.exchanges[0]);
  for (std::size_t task = copies.numTasks(); task-- != 0;)
    copies.run(task, exe, memory);
  EXPECT_TRUE(contents(memory) == expected);
}

TEST_F(ExchangeCopiesTest, AreSharedAmongTasks) {
  const std::uint32_t broadcast = addBroadcast(0, 4096);
  for (std::uint32_t i = 0; i != 1000; ++i)
    exe.copyPieces.push_back({0, 4 * i, i < 700 ? broadcast : 1, 4 * i, 4});
  exe.exchanges[0].pieces.count = 1000;
  EXPECT_GT(ExchangeCopies(exe, exe.exchanges[0]).numTasks(), 3u);
}

TEST_F(ExchangeCopiesTest, NothingIsNoTask) {
  EXPECT_EQ(ExchangeCopies(exe, exe.exchanges[0]).numTasks(), 0u);
}

} // namespace
