// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pool does every task once, for any number of threads and tasks.

#include "runtime/Session/WorkerPool.h"

#include <gtest/gtest.h>

#include <numeric>

using populus::runtime::WorkerPool;

namespace {

TEST(WorkerPoolTest, EveryIndexIsVisitedOnce) {
  for (unsigned threads : {1u, 2u, 5u}) {
    WorkerPool pool(threads);
    EXPECT_EQ(pool.size(), threads);
    for (std::size_t count : {0u, 1u, 2u, 7u, 1000u}) {
      std::vector<int> visits(count);
      pool.run(count, [&](std::size_t index, unsigned thread) {
        ASSERT_LT(thread, threads);
        ++visits[index];
      });
      EXPECT_EQ(visits, std::vector<int>(count, 1));
    }
  }
}

TEST(WorkerPoolTest, RangesCoverEveryIndexOnce) {
  WorkerPool pool(3);
  for (std::size_t count : {0u, 1u, 2u, 7u, 1000u}) {
    std::vector<int> visits(count);
    pool.runRanges(count,
                   [&](std::size_t first, std::size_t last, unsigned thread) {
                     ASSERT_LT(first, last);
                     ASSERT_LT(thread, pool.size());
                     for (std::size_t index = first; index != last; ++index)
                       ++visits[index];
                   });
    EXPECT_EQ(visits, std::vector<int>(count, 1));
  }
}

TEST(WorkerPoolTest, ThereIsALimit) {
  EXPECT_GE(WorkerPool::wantedThreads(0), 1u);
  EXPECT_EQ(WorkerPool::wantedThreads(7), 7u);
  EXPECT_EQ(WorkerPool::wantedThreads(~0u), WorkerPool::MostThreads);
}

TEST(WorkerPoolTest, ManyRunsInARow) {
  WorkerPool pool(3);
  std::vector<long> sums(64);
  for (int round = 0; round != 500; ++round)
    pool.run(64, [&](std::size_t index, unsigned) { sums[index] += index; });
  for (std::size_t i = 0; i != 64; ++i)
    EXPECT_EQ(sums[i], long(i) * 500);
}

} // namespace
