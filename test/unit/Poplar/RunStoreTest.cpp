// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of runs come back as they were, in few bytes where they are regular.

#include "lib/Poplar/Graph/RunStore.h"

#include <gtest/gtest.h>

#include <random>

using poplar::core::Run;
using poplar::core::RunStore;

namespace {

using Runs = std::vector<Run>;

void expectSame(const Runs &actual, const Runs &expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i != actual.size(); ++i) {
    EXPECT_EQ(actual[i].variable, expected[i].variable) << i;
    EXPECT_EQ(actual[i].offset, expected[i].offset) << i;
    EXPECT_EQ(actual[i].stride, expected[i].stride) << i;
    EXPECT_EQ(actual[i].count, expected[i].count) << i;
  }
}

TEST(RunStore, RowsOfAFieldAreOneEntry) {
  RunStore store;
  Runs rows;
  for (int row = 0; row != 1000; ++row)
    rows.push_back({7, 5000 + 3000 * row, 1, 16});
  const std::uint64_t list = store.add(rows);
  expectSame(store.get(list), rows);
  EXPECT_LT(store.numBytes(), 32u);
}

TEST(RunStore, EqualListsAreStoredOnce) {
  RunStore store;
  const Runs a{{1, 0, 1, 5}, {1, 6, 1, 5}}, b{{1, 0, 1, 5}, {1, 8, 1, 5}};
  const std::uint64_t first = store.add(a), second = store.add(b);
  EXPECT_NE(first, second);
  EXPECT_EQ(store.add(a), first);
  EXPECT_EQ(store.add(b), second);
  expectSame(store.get(first), a);
  expectSame(store.get(second), b);
  expectSame(store.get(store.add({})), {});
}

// Lists of all sizes, with strides in both directions, regular for a while.
TEST(RunStore, RandomLists) {
  std::mt19937_64 random(1);
  const auto upTo = [&](std::uint64_t end) { return random() % end; };
  RunStore store;
  std::vector<std::pair<std::uint64_t, Runs>> lists;
  for (int i = 0; i != 2000; ++i) {
    Runs runs;
    poplar::core::Run run;
    std::int64_t step = 0;
    for (std::uint64_t left = upTo(20); left != 0; --left) {
      if (upTo(3) == 0)
        run.variable = static_cast<std::uint32_t>(random() >> (32 + upTo(32)));
      if (upTo(4) == 0)
        step = static_cast<std::int64_t>(random() >> (30 + upTo(30))) -
               static_cast<std::int64_t>(random() >> (30 + upTo(30)));
      if (upTo(4) == 0)
        run.stride = static_cast<std::int64_t>(upTo(400)) - 200;
      if (upTo(4) == 0)
        run.count = 1 + (random() >> (20 + upTo(44)));
      run.offset += step;
      runs.push_back(run);
    }
    const std::uint64_t list = store.add(runs);
    lists.emplace_back(list, std::move(runs));
  }
  for (const auto &[list, runs] : lists)
    expectSame(store.get(list), runs);
}

} // namespace
