// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions whose channels are groups of their own: all transforms, channels
// that do and do not fill their groups, types, biases, and how well their
// cycles are known in advance.

#include "ConvReference.h"

#include "lib/PopLibs/poplin/ConvOperands.h"

using namespace poplar;
using namespace test;

namespace {

const std::vector<unsigned> zero{0, 0}, one{1, 1}, two{2, 2};
const std::vector<bool> no{false, false};
const In padded(zero, zero, one, one, one, no);
const Out strided(zero, zero, two, zero, zero);

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

ConvParams withTypes(ConvParams params, const Type &in, const Type &out) {
  params.inputType = in;
  params.outputType = out;
  return params;
}

bool isChannelwise(const Graph &graph, const ConvParams &params) {
  return poplin::planConv(
             poplin::convShape(params),
             poplin::CostModel(graph.getTarget(), params.inputType, 0.6))
             .method == poplin::ConvMethod::Channelwise;
}

/// Runs all cases on integers, whose sums are exact in every order.
void runCases(const char *device, const Type &type, const Type &outType) {
  Program p(device);
  std::vector<std::string> outs;
  std::vector<Values> expected;
  for (const ConvParams &c : channelwiseCases()) {
    const ConvParams typed = withTypes(c, type, outType);
    if (p.graph.getTarget().getNumTiles() == 7 && c.numConvGroups % 16 == 0) {
      EXPECT_TRUE(isChannelwise(p.graph, typed)) << outs.size();
    }
    const Values in = randomIntegers(product(inShape(c)), -3, 3, 1);
    const Values weights = randomIntegers(product(weightsShape(c)), -3, 3, 2);
    const Tensor tIn = poplin::createInput(p.graph, typed, "in");
    const Tensor tWeights = poplin::createWeights(p.graph, typed, "weights");
    p.write(tIn, in);
    p.write(tWeights, weights);
    outs.push_back(p.output(
        poplin::convolution(p.graph, tIn, tWeights, typed, false, p.prog)));
    expected.push_back(reference(c, in, weights));
  }
  p.run();
  for (std::size_t i = 0; i != outs.size(); ++i) {
    SCOPED_TRACE(i);
    expectNear(p.result(outs[i]), expected[i], 0, 0);
  }
}

} // namespace

POPLIBS_INSTANTIATE();

TEST_P(OnDevices, ChannelwiseHalf) { runCases(GetParam(), HALF, HALF); }
TEST_P(OnDevices, ChannelwiseFloat) { runCases(GetParam(), FLOAT, FLOAT); }
TEST_P(OnDevices, ChannelwiseHalfToFloat) { runCases(GetParam(), HALF, FLOAT); }

TEST_P(OnDevices, ChannelwiseBias) {
  for (const Type &type : {HALF, FLOAT})
    for (std::size_t channels : {32u, 21u}) {
      const ConvParams c = withTypes(
          params(1, {6, 6}, {3, 3}, 1, 1, channels, padded), type, type);
      const Values in = randomIntegers(product(inShape(c)), -1, 1, 1);
      const Values weights = randomIntegers(product(weightsShape(c)), -1, 1, 2);
      const Values biases = randomIntegers(channels, -9, 9, 3);
      Program p(GetParam());
      const Tensor out = poplin::convolutionWithBias(
          p.graph, p.input(type, inShape(c), in),
          p.input(type, weightsShape(c), weights),
          p.input(type, {channels}, biases), c, p.prog);
      Values expected = reference(c, in, weights);
      for (std::size_t i = 0; i != expected.size(); ++i)
        expected[i] += biases[i / 36];
      expectNear(p.valuesOf(out), expected, 0, 0);
    }
}

// Fractions: products of halves are rounded, sums are not.
TEST_P(OnDevices, ChannelwisePrecision) {
  const ConvParams c = params(1, {5, 5}, {3, 3}, 1, 1, 16);
  const auto fractions = [](std::size_t count, unsigned seed) {
    Values values = randomIntegers(count, -1000, 1000, seed);
    for (double &value : values)
      value /= 1024;
    return values;
  };
  const Values in = fractions(product(inShape(c)), 1);
  const Values weights = fractions(product(weightsShape(c)), 2);
  for (const Type &type : {HALF, FLOAT}) {
    Program p(GetParam());
    const ConvParams typed = withTypes(c, type, type);
    const Tensor out = poplin::convolution(
        p.graph, p.input(type, inShape(c), in),
        p.input(type, weightsShape(c), weights), typed, false, p.prog);
    expectNear(p.valuesOf(out), reference(c, in, weights),
               type == HALF ? 1.0 / 2048 : 1e-5, type == HALF ? 1e-3 : 1e-5);
  }
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
      const ConvParams typed = withTypes(c, type, type);
      const double exact = cyclesOfProducts("ipu16", typed);
      const double estimate = cyclesOfProducts("model16", typed);
      EXPECT_NEAR(estimate / exact, 1, 0.15) << exact << typed;
    }
}
