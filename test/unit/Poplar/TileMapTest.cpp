// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The map of elements to tiles, against a plain array.

#include "lib/Poplar/Graph/TileMap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

using poplar::core::TileMap;

namespace {

constexpr std::uint64_t Size = 20000;
using Tiles = std::vector<std::optional<std::uint32_t>>;

Tiles tilesOf(const TileMap &map, std::uint64_t begin, std::uint64_t end) {
  Tiles tiles(end - begin);
  std::optional<std::uint32_t> last;
  std::uint64_t lastEnd = begin;
  map.forEach(begin, end,
              [&](std::uint64_t from, std::uint64_t to, std::uint32_t tile) {
                EXPECT_LT(from, to);
                EXPECT_GE(from, lastEnd);
                EXPECT_FALSE(from == lastEnd && last == tile) << "not joined";
                std::fill(tiles.begin() + (from - begin),
                          tiles.begin() + (to - begin), tile);
                last = tile;
                lastEnd = to;
              });
  return tiles;
}

TEST(TileMapTest, IsWhatWasSetLast) {
  std::mt19937 random(1);
  const auto pick = [&](std::uint64_t end) { return random() % end; };
  TileMap map;
  Tiles expected(Size);
  for (unsigned round = 0; round != 20000; ++round) {
    // Mostly single elements, so that there are many blocks.
    const std::uint64_t most = pick(500) == 0 ? Size : pick(10) == 0 ? 100 : 1;
    const std::uint64_t begin = pick(Size);
    const std::uint64_t end = std::min(Size, begin + pick(most + 1));
    const auto tile = static_cast<std::uint32_t>(pick(5));
    map.set(begin, end, tile);
    std::fill(expected.begin() + begin, expected.begin() + end, tile);
    if (round % 100 == 0) {
      ASSERT_TRUE(tilesOf(map, 0, Size) == expected) << round;
      ASSERT_TRUE(tilesOf(map, begin, Size) ==
                  Tiles(expected.begin() + begin, expected.end()));
      ASSERT_TRUE(tilesOf(map, 0, end) ==
                  Tiles(expected.begin(), expected.begin() + end));
    }
  }
}

TEST(TileMapTest, EqualityDoesNotDependOnTheOrder) {
  TileMap forward, backward;
  EXPECT_TRUE(forward == backward);
  for (std::uint32_t i = 0; i != 2000; ++i) {
    forward.set(i, i + 1, i % 3);
    backward.set(1999 - i, 2000 - i, (1999 - i) % 3);
  }
  EXPECT_TRUE(forward == backward);
  backward.set(1000, 1001, 7);
  EXPECT_FALSE(forward == backward);
}

} // namespace
