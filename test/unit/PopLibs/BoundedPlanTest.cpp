// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans keep to the memory that they may use, and are right however they do.

#include "RandomPlans.h"

using namespace poplar;
using namespace test;

namespace {

/// Runs seeds [first, end) and counts what plans do.
void runSeeds(unsigned first, unsigned end) {
  unsigned bounded = 0, inSteps = 0, inParts = 0;
  for (unsigned seed = first; seed != end; ++seed) {
    const PlanOutcome o = RandomPlan(seed).run();
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + o.description);
    EXPECT_TRUE(o.right);
    EXPECT_TRUE(o.keepsWord()) << "bound " << o.bound << ", planned "
                               << o.planned << ", used " << o.used;
    bounded += o.isBounded();
    inSteps += o.steps != 1;
    inParts += o.parts != 1;
  }
  EXPECT_GT(bounded, (end - first) / 2);
  EXPECT_GT(inSteps, 0u);
  EXPECT_GT(inParts, 0u);
}

} // namespace

TEST(BoundedPlans, RightAndWithinTheirBound) { runSeeds(0, 40); }
