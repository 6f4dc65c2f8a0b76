// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of few channels, several of which the matrix unit takes for one: all
// transforms, groups that do not fill it, types, biases, and what it is worth.

#include "ConvChecks.h"

#include "lib/PopLibs/poplin/planning/CombinedGroups.h"

using namespace poplar;
using namespace test;
using namespace test::transforms;

namespace {

std::vector<ConvParams> groupedCases() {
  return {
      // Groups that fill the unit's.
      params(1, {10, 10}, {3, 3}, 4, 4, 8, padded),
      params(1, {8, 9}, {3, 3}, 8, 8, 6, padded, {}, strided),
      params(2, {12, 7}, {1, 1}, 2, 2, 16),
      // A depth multiplier; channels that do not fill the unit's groups.
      params(1, {10, 9}, {3, 3}, 1, 3, 16, padded),
      params(1, {9, 9}, {3, 3}, 3, 5, 4, padded),
      params(1, {8, 8}, {2, 3}, 5, 2, 9),
      // A dilated kernel; everything at once.
      params(1, {11, 9}, {3, 3}, 4, 4, 4, In(zero, zero, one, two, two, no),
             In(zero, zero, two, zero, zero, no)),
      params(1, {9, 8}, {4, 3}, 2, 3, 6,
             In({1, 0}, {0, 1}, {2, 1}, {3, 1}, {0, 2}, {true, false}),
             In({0, 1}, {1, 0}, {1, 2}, {1, 0}, {0, 1}, {false, true}),
             Out({1, 0}, {0, 1}, {2, 2}, {0, 1}, {2, 0})),
  };
}

poplin::ConvPlan planOf(const Graph &graph, const ConvParams &params) {
  return poplin::planConv(
      poplin::convShape(params),
      poplin::CostModel(graph.getTarget(), params.inputType, 0.6));
}

std::uint64_t cyclesOf(const char *device, const ConvParams &c) {
  Program p(device);
  const Tensor in = p.input(c.inputType, inShape(c),
                            randomIntegers(product(inShape(c)), -1, 1));
  const Tensor weights = p.input(c.inputType, weightsShape(c),
                                 randomIntegers(product(weightsShape(c))));
  poplin::convolution(p.graph, in, weights, c, false, p.prog);
  return p.cycles();
}

} // namespace

POPLIBS_INSTANTIATE_ON("cpu", "model7", "model64", "ipu1", "ipu7");

TEST_P(OnDevices, SmallGroups) {
  for (const Type &type : {FLOAT, HALF}) {
    std::vector<ConvParams> cases;
    for (const ConvParams &c : groupedCases())
      cases.push_back(withType(c, type));
    bool together = false;
    expectConvolutions(GetParam(), cases, integersTo(2), 0, 0,
                       [&](const Graph &graph, const ConvParams &c) {
                         together |= planOf(graph, c).groupsTogether != 1;
                       });
    EXPECT_TRUE(together);
    expectBiased(GetParam(), cases[0]);
    expectBiased(GetParam(), cases[3]);
  }
}

TEST_P(OnDevices, SmallGroupsToOtherTypes) {
  expectConvolutions(GetParam(), {withTypes(groupedCases()[0], HALF, FLOAT)},
                     integersTo(2), 0, 0);
  expectConvolutions(GetParam(), {withType(groupedCases()[0], HALF)},
                     integersTo(2), 0, 0, {}, {{"partialsType", "half"}});
}

TEST(GroupedConv, NumbersOfGroups) {
  const auto numbers = [](std::size_t groups, std::size_t channels) {
    return poplin::groupsWorthATry(
        poplin::convShape(params(1, {4, 4}, {1, 1}, channels, 1, groups)));
  };
  EXPECT_EQ(numbers(32, 4), (Shape{2, 4}));
  EXPECT_EQ(numbers(9, 2), (Shape{3}));
  EXPECT_EQ(numbers(12, 1), (Shape{2, 3, 4, 6, 12}));
  EXPECT_EQ(numbers(4, 16), Shape());
  EXPECT_EQ(numbers(1, 4), Shape());
}

// The estimate is what planning compares, so it must be near.
TEST(GroupedConv, CyclesAreKnown) {
  for (const Type &type : {HALF, FLOAT})
    for (const ConvParams &c :
         {params(1, {28, 28}, {3, 3}, 4, 4, 32, padded),
          params(1, {14, 14}, {3, 3}, 8, 8, 32, padded)}) {
      const ConvParams typed = withType(c, type);
      const double exact = cyclesOf("ipu16", typed);
      const double modelled = cyclesOf("model16", typed);
      EXPECT_NEAR(modelled / exact, 1, 0.05) << exact << typed;
    }
}
