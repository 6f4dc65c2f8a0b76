// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that store the cycle counter, and the difference to what was stored.

#include "Assembler.h"

#include <gtest/gtest.h>

using namespace populus::runtime;
using namespace populus::runtime::test;

namespace {

/// Stamp, vertices, stamp, on the first two words of the results; returns the
/// words and the cycles of the run.
Outcome runBetweenStamps(std::uint32_t vertices, std::uint32_t lastKind) {
  Executable exe = oneVertex(Assembler()("EXITZ", {15}));
  exe.segments.push_back({0, ResultAt, 8});
  exe.tensors.push_back({ElementType::UnsignedInt, {2}, {1, 1}});
  exe.steps.push_back({StepKind::CycleStamp, 0, 1, "", {}, {}});
  exe.steps.push_back({StepKind::CycleStamp, lastKind, 1, "", {}, {}});
  // A vertex before the stamps, so that the counter does not begin at 0.
  Step sequence{StepKind::Sequence, 0, None, "", {0, 1}, {}};
  sequence.children.insert(sequence.children.end(), vertices, 0);
  sequence.children.push_back(2);
  exe.steps.push_back(sequence);
  exe.programs = {3};
  return run(exe);
}

TEST(CycleStampTest, TheDifferenceIsWhatLiesBetween) {
  const Outcome none = runBetweenStamps(0, 1);
  EXPECT_EQ(none.fault, "");
  EXPECT_EQ(none.results[0], 0u);
  EXPECT_EQ(none.results[1], 0u);
  const Outcome one = runBetweenStamps(1, 1), five = runBetweenStamps(5, 1);
  EXPECT_EQ(one.results[0], one.cycles - none.cycles);
  EXPECT_GT(one.results[0], 0u);
  EXPECT_EQ(five.results[0], 5 * one.results[0]);
  EXPECT_EQ(five.results[1], 0u);
}

TEST(CycleStampTest, ACountIsTheWholeTime) {
  const Outcome difference = runBetweenStamps(2, 1);
  const Outcome count = runBetweenStamps(2, 0);
  EXPECT_GT(count.results[0], difference.results[0]);
  EXPECT_LT(count.results[0], count.cycles);
}

TEST(CycleStampTest, OtherKindsAreRefused) {
  EXPECT_THROW(runBetweenStamps(1, 2), RunError);
}

} // namespace
