// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fetching ahead of time changes nothing, comes to an end, and is harmless
// where regions are wrong.

#include "runtime/Emulator/Windows/Ahead.h"

#include <gtest/gtest.h>

#include <vector>

using namespace populus::runtime;
using populus::runtime::emulator::Ahead;

namespace {

constexpr Address First = 0x4c000;

TEST(AheadTest, NothingIsFetchedOfNothing) {
  Ahead ahead;
  EXPECT_FALSE(ahead.hasMore());
  ahead.fetch();
  ahead.fetchPages();
  EXPECT_FALSE(ahead.hasMore());
}

TEST(AheadTest, PagesDoNotCountAsFetched) {
  const std::vector<char> memory(1 << 16);
  const std::vector<VertexRegion> regions = {{First, 0, 0},
                                             {First + 4000, 40000, 0}};
  const Ahead ahead(regions, memory.data(), First);
  ahead.fetchPages();
  EXPECT_TRUE(ahead.hasMore());
}

TEST(AheadTest, ALittleAtATimeUntilItsEnd) {
  const std::vector<char> memory(1 << 16);
  const std::vector<VertexRegion> regions = {
      {First, 4, 0}, {First + 64, 0, 0}, {First + 100, 40000, 0}};
  Ahead ahead(regions, memory.data(), First);
  unsigned calls = 0;
  for (; ahead.hasMore(); ++calls)
    ahead.fetch();
  EXPECT_GT(calls, 10u);
  EXPECT_LT(calls, 100u);
}

TEST(AheadTest, RegionsOutsideMemoryAreHarmless) {
  const std::vector<char> memory(64);
  const std::vector<VertexRegion> regions = {{0, 0xffffffff, 0},
                                             {0xffffffff, 0xffffffff, 0}};
  Ahead ahead(regions, memory.data(), First);
  ahead.fetchPages();
  for (unsigned call = 0; call != 1000; ++call)
    ahead.fetch();
  EXPECT_TRUE(ahead.hasMore());
}

} // namespace
