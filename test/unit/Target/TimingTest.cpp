// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests of the timing model against schedules worked out by hand.

#include "runtime/Target/Timing.h"

#include <gtest/gtest.h>

using namespace populus::runtime;
using namespace populus::runtime::timing;

namespace {

const TargetInfo &ipu2() { return *findTarget("ipu2"); }

TEST(TimingTest, OneVertexTakesLaunchAndItsCycles) {
  TileSchedule schedule;
  EXPECT_EQ(schedule.add(60), 0u);
  EXPECT_EQ(schedule.finish(), 71u);
}

TEST(TimingTest, SixVerticesOverlapAndTheSeventhWaits) {
  TileSchedule schedule;
  for (unsigned i = 0; i != 6; ++i)
    EXPECT_EQ(schedule.add(600), i);
  // The sixth starts after six launches.
  EXPECT_EQ(schedule.finish(), 66u + 600u);
  // Worker 0 started after 11 cycles, so it is free at 611.
  EXPECT_EQ(schedule.add(6), 0u);
  EXPECT_EQ(schedule.finish(), 666u);
  EXPECT_EQ(schedule.add(600), 1u);
  // Worker 1 is free at 622, and so is the supervisor.
  EXPECT_EQ(schedule.finish(), 622u + 11u + 600u);
}

TEST(TimingTest, TheFirstFreeWorkerIsTaken) {
  TileSchedule schedule;
  schedule.add(6000);
  schedule.add(12);
  for (unsigned i = 2; i != 6; ++i)
    schedule.add(6000);
  EXPECT_EQ(schedule.next().worker, 1u);
}

TEST(TimingTest, AWholeTileVertexWaitsForAllWorkers) {
  TileSchedule schedule;
  schedule.add(100);
  schedule.addAlone(50);
  EXPECT_EQ(schedule.finish(), 11u + 100u + 11u + 50u);
  EXPECT_EQ(schedule.add(1), 0u);
  EXPECT_EQ(schedule.finish(), 172u + 11u + 1u);
}

TEST(TimingTest, ExchangeIsBoundByTheSlowerDirection) {
  TileTraffic traffic;
  traffic.sentBytes = 400;
  traffic.sentPieces = 1;
  traffic.receivedBytes = 4000;
  traffic.receivedPieces = 10;
  EXPECT_EQ(exchangeCycles(ipu2(), traffic), 52u + 1000u + 20u);
}

TEST(TimingTest, ALongLocalCopyIsDoneByTheWorkers) {
  TileTraffic traffic;
  traffic.localBytes = 8001;
  traffic.localPieces = 1;
  EXPECT_EQ(exchangeCycles(ipu2(), traffic), 288u + 6u + 1001u);
  EXPECT_EQ(exchangeCycles(ipu2(), {}), 0u);
}

TEST(TimingTest, AShortLocalCopyIsSentToTheTileItself) {
  TileTraffic traffic;
  traffic.localBytes = 80;
  traffic.localPieces = 2;
  EXPECT_EQ(exchangeCycles(ipu2(), traffic), 52u + 20u + 4u);
  traffic.receivedBytes = 400;
  traffic.receivedPieces = 10;
  EXPECT_EQ(exchangeCycles(ipu2(), traffic), 52u + 120u + 24u);
}

TEST(TimingTest, SyncAndHostDependOnTheClock) {
  EXPECT_EQ(internalSyncCycles(ipu2()), 133u);
  EXPECT_EQ(internalSyncCycles(*findTarget("ipu21")), 185u);
  // 15.75 MB take a millisecond, and a microsecond to begin.
  EXPECT_EQ(hostTransferCycles(ipu2(), 15'750'000, 4), 1'330'000u + 1'330u);
  // One tile takes four bytes a cycle.
  EXPECT_EQ(hostTransferCycles(ipu2(), 4000, 4000), 1000u + 1330u);
}

} // namespace
