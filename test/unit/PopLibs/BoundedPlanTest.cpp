// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans keep to the memory that they may use, and are right however they do.

#include "RandomPlans.h"

#include <set>

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

// The same vertices as host code.
TEST(BoundedPlans, OnTheModel) {
  unsigned inSteps = 0;
  for (unsigned seed = 100; seed != 120; ++seed) {
    const PlanOutcome o = RandomPlan(seed, "model").run();
    EXPECT_TRUE(o.right) << "seed " << seed << ", " << o.description;
    inSteps += o.steps != 1;
  }
  EXPECT_GT(inSteps, 0u);
}

// Biases belong to the output channels of all parts, and to the first step
// only.
TEST(BoundedPlans, Biases) {
  const ConvParams conv =
      withType(params(2, {6, 5}, {3, 3}, 32, 48, 2, transforms::padded), HALF);
  const Values in = randomIntegers(product(inShape(conv)), -1, 1, 1);
  const Values weights = randomIntegers(product(weightsShape(conv)), -1, 1, 2);
  const Values biases = randomIntegers(conv.getNumOutputChans(), -9, 9, 3);
  Values expected = reference(conv, in, weights);
  const std::size_t field = 6 * 5;
  for (std::size_t i = 0; i != expected.size(); ++i)
    expected[i] += biases[i / field % biases.size()];
  std::set<poplin::SerialSplit::Dim> dims;
  bool inSteps = false;
  for (const char *proportion :
       {"0.025", "0.02", "0.01", "0.006", "0.004", "0.002"}) {
    SCOPED_TRACE(proportion);
    Program p("ipu4");
    const poplin::ConvPlan plan = poplin::planConv(
        poplin::convShape(conv),
        poplin::CostModel(p.graph.getTarget(), HALF, std::stod(proportion)));
    if (plan.serial.parts != 1)
      dims.insert(plan.serial.dim);
    inSteps |= plan.inSteps != 1;
    const OptionFlags options{{"availableMemoryProportion", proportion}};
    const Tensor w = poplin::createWeights(p.graph, conv, "weights", options);
    p.write(w, weights);
    EXPECT_EQ(p.valuesOf(poplin::convolutionWithBias(
                  p.graph, p.input(HALF, inShape(conv), in), w,
                  p.input(HALF, {biases.size()}, biases), conv, p.prog, "conv",
                  options)),
              expected);
  }
  EXPECT_TRUE(inSteps);
  EXPECT_FALSE(dims.empty());
}
