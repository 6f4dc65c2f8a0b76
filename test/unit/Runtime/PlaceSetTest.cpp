// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of places against a table of bytes.

#include "runtime/Format/PlaceSet.h"

#include <gtest/gtest.h>

#include <random>
#include <tuple>

using namespace populus::runtime;

namespace {

constexpr std::uint32_t NumMemories = 4;
constexpr std::uint32_t Bytes = 64;

using Place = std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>;

/// The number of places that contain each byte.
struct Table {
  unsigned uses[NumMemories][Bytes] = {};

  explicit Table(const std::vector<Place> &places) {
    for (const auto &[memory, begin, end] : places)
      for (std::uint64_t byte = begin; byte != end; ++byte)
        ++uses[memory][byte];
  }
  bool hasTwice() const {
    for (const auto &memory : uses)
      for (unsigned count : memory)
        if (count > 1)
          return true;
    return false;
  }
  bool reachesInto(std::uint32_t memory, std::uint64_t begin,
                   std::uint64_t end) const {
    for (std::uint64_t byte = begin; byte != end; ++byte)
      if (uses[memory][byte] != 0)
        return true;
    return false;
  }
};

TEST(PlaceSetTest, IsATableOfBytes) {
  std::mt19937 random(1);
  const auto below = [&](std::uint32_t limit) { return random() % limit; };
  PlaceSet set(NumMemories); // used again and again
  unsigned disjoint = 0;
  for (unsigned round = 0; round != 2000; ++round) {
    std::vector<Place> places(below(8));
    for (auto &[memory, begin, end] : places) {
      memory = below(NumMemories);
      begin = below(Bytes);
      end = begin + 1 + below(std::min<std::uint32_t>(16, Bytes - begin));
    }
    const Table table(places);
    set.assign([&](auto add) {
      for (const auto &[memory, begin, end] : places)
        add(memory, begin, end);
    });
    ASSERT_EQ(set.join() != None, table.hasTwice());
    if (table.hasTwice())
      continue;
    ++disjoint;
    for (std::uint32_t memory = 0; memory != NumMemories; ++memory)
      for (std::uint64_t begin = 0; begin != Bytes; ++begin)
        for (std::uint64_t end : {begin + 1, std::uint64_t(Bytes)})
          ASSERT_EQ(set.reachesInto(memory, begin, end),
                    table.reachesInto(memory, begin, end));
  }
  EXPECT_GT(disjoint, 500u);
}

TEST(PlaceSetTest, NeighboursAreOnePlace) {
  PlaceSet set(2);
  set.assign([](auto add) {
    add(1, 8, 16);
    add(0, 100, 200);
    add(1, 20, 24);
    add(1, 0, 8);
    add(1, 16, 18);
  });
  ASSERT_EQ(set.join(), None);
  std::vector<Place> places;
  set.forEach(
      [&](std::uint32_t memory, std::uint64_t begin, std::uint64_t end) {
        places.emplace_back(memory, begin, end);
      });
  EXPECT_EQ(places,
            (std::vector<Place>{{1, 0, 18}, {1, 20, 24}, {0, 100, 200}}));
}

} // namespace
