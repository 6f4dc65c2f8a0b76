// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions whose channels are groups of their own: all transforms, channels
// that do and do not fill their groups, types, biases, and how well their
// cycles are known in advance.

#include "ConvChecks.h"

using namespace poplar;
using namespace test;
using namespace test::transforms;

namespace {

std::vector<ConvParams> channelwiseCases() {
  return {
      params(1, {6, 7}, {3, 3}, 1, 1, 64),
      params(1, {7, 7}, {3, 3}, 1, 1, 112, padded),
      params(1, {9, 10}, {3, 3}, 1, 1, 48, padded, {}, strided),
      // Channels that do not fill their groups.
      params(2, {5, 6}, {3, 3}, 1, 1, 20, padded),
      params(1, {8, 5}, {2, 3}, 1, 1, 5),
      // More padding than kernel, so that some windows have no element.
      params(1, {3, 4}, {2, 2}, 1, 1, 16, In(zero, zero, one, {3, 2}, two, no)),
      params(1, {8, 9}, {5, 5}, 1, 1, 32, In(zero, zero, one, two, two, no)),
      // A dilated kernel, a dilated input.
      params(1, {11, 9}, {3, 3}, 1, 1, 16, In(zero, zero, one, two, two, no),
             In(zero, zero, two, zero, zero, no)),
      params(1, {4, 5}, {2, 2}, 1, 1, 16, In(zero, zero, two, one, one, no)),
      // Everything at once.
      params(1, {9, 8}, {4, 3}, 1, 1, 33,
             In({1, 0}, {0, 1}, {2, 1}, {3, 1}, {0, 2}, {true, false}),
             In({0, 1}, {1, 0}, {1, 2}, {1, 0}, {0, 1}, {false, true}),
             Out({1, 0}, {0, 1}, {2, 2}, {0, 1}, {2, 0})),
      // One dimension.
      params(1, {37}, {4}, 1, 1, 16, In({0}, {0}, {1}, {2}, {1}, {false}), {},
             Out({0}, {0}, {2}, {0}, {0})),
  };
}

void runCases(const char *device, const Type &type, const Type &outType) {
  std::vector<ConvParams> cases;
  for (const ConvParams &c : channelwiseCases())
    cases.push_back(withTypes(c, type, outType));
  // The matrix unit with several groups for one is cheaper for some of them:
  // 9,235 cycles instead of 12,478 for 112 channels of halves.
  unsigned channelwise = 0, others = 0;
  expectConvolutions(
      device, cases, integersTo(3), 0, 0,
      [&](const Graph &graph, const ConvParams &c) {
        if (graph.getTarget().getNumTiles() == 7 && c.numConvGroups % 16 == 0)
          ++(methodOf(graph, c) == poplin::ConvMethod::Channelwise ? channelwise
                                                                   : others);
      });
  EXPECT_GE(channelwise, others);
}

} // namespace

POPLIBS_INSTANTIATE();

TEST_P(OnDevices, ChannelwiseHalf) { runCases(GetParam(), HALF, HALF); }
TEST_P(OnDevices, ChannelwiseFloat) { runCases(GetParam(), FLOAT, FLOAT); }
TEST_P(OnDevices, ChannelwiseHalfToFloat) { runCases(GetParam(), HALF, FLOAT); }

TEST_P(OnDevices, ChannelwiseBias) {
  for (const Type &type : {HALF, FLOAT})
    for (std::size_t channels : {32u, 21u})
      expectBiased(
          GetParam(),
          withType(params(1, {6, 6}, {3, 3}, 1, 1, channels, padded), type));
}

// Products of halves are rounded, sums are not.
TEST_P(OnDevices, ChannelwisePrecision) {
  const ConvParams c = params(1, {5, 5}, {3, 3}, 1, 1, 16);
  expectPrecise(GetParam(), withType(c, HALF), 1.0 / 2048, 1e-3);
  expectPrecise(GetParam(), withType(c, FLOAT), 1e-5, 1e-5);
}

TEST(ChannelwiseConv, CyclesAreKnown) {
  for (const Type &type : {HALF, FLOAT})
    for (const ConvParams &c : {
             params(1, {14, 14}, {3, 3}, 1, 1, 96, padded),
             params(1, {28, 28}, {3, 3}, 1, 1, 32, padded, {}, strided),
             params(1, {14, 14}, {5, 5}, 1, 1, 64,
                    In(zero, zero, one, two, two, no)),
             params(1, {7, 7}, {3, 3}, 1, 1, 128, padded),
         }) {
      const ConvParams typed = withType(c, type);
      const double exact = cyclesOfProducts("ipu16", typed);
      const double estimate = cyclesOfProducts("model16", typed);
      EXPECT_NEAR(estimate / exact, 1, 0.15) << exact << typed;
    }
}
