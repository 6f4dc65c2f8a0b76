// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions with all transforms, against the reference in ConvReference.h.

#include "ConvChecks.h"

#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace test;

namespace {

std::vector<ConvParams> allCases() {
  const std::vector<unsigned> zero{0, 0}, one{1, 1};
  const std::vector<bool> no{false, false};
  return {
      params(1, {1, 1}, {1, 1}, 1, 1, 1),
      // LeNet's, and a channel count that does not divide.
      params(1, {28, 28}, {5, 5}, 1, 6, 1,
             In(zero, zero, one, {2, 2}, {2, 2}, no)),
      params(2, {9, 7}, {3, 3}, 5, 7, 1,
             In(zero, zero, one, {1, 1}, {1, 1}, no)),
      // Strides, with padding on one side only.
      params(1, {11, 13}, {3, 4}, 2, 3, 1,
             In(zero, zero, one, {1, 0}, {0, 2}, no), {},
             Out(zero, zero, {2, 3}, zero, zero)),
      // Groups, depthwise.
      params(2, {6, 6}, {3, 3}, 2, 3, 4),
      params(1, {8, 5}, {3, 2}, 1, 1, 9,
             In(zero, zero, one, {1, 1}, {1, 1}, no)),
      // Dilated kernel; dilated input.
      params(1, {12, 10}, {3, 3}, 2, 2, 1,
             In(zero, zero, one, {2, 2}, {2, 2}, no),
             In(zero, zero, {2, 3}, zero, zero, no)),
      params(1, {4, 5}, {3, 3}, 2, 2, 1,
             In(zero, zero, {2, 3}, {2, 2}, {2, 2}, no)),
      // Everything at once.
      params(1, {9, 8}, {4, 3}, 2, 3, 2,
             In({1, 0}, {0, 1}, {2, 1}, {3, 1}, {0, 2}, {true, false}),
             In({0, 1}, {1, 0}, {1, 2}, {1, 0}, {0, 1}, {false, true}),
             Out({1, 0}, {0, 1}, {2, 2}, {0, 1}, {2, 0})),
      // Results that lie wholly in padding.
      params(1, {2, 2}, {2, 2}, 1, 1, 1,
             In(zero, zero, one, {5, 5}, {5, 5}, no)),
      // A kernel as large as the field; 1 x 1.
      params(1, {5, 5}, {5, 5}, 16, 20, 1),
      params(1, {7, 7}, {1, 1}, 32, 9, 1, {}, {},
             Out(zero, zero, {2, 2}, zero, zero)),
      // One dimension.
      params(2, {17}, {4}, 3, 5, 1, In({0}, {0}, {1}, {2}, {1}, {false}), {},
             Out({0}, {0}, {2}, {0}, {0})),
  };
}

} // namespace

POPLIBS_INSTANTIATE();

TEST_P(OnDevices, AllTransforms) {
  expectConvolutions(
      GetParam(), allCases(),
      [](std::size_t count, unsigned seed) {
        return randomValues(count, -1, 1, seed);
      },
      1e-5, 1e-5);
}

// Operands with other layouts than the create functions give.
TEST_P(OnDevices, ForeignLayouts) {
  const ConvParams c = params(2, {6, 7}, {3, 3}, 4, 5, 1);
  const Values in = randomValues(product(inShape(c)), -1, 1, 1);
  const Values weights = randomValues(product(weightsShape(c)), -1, 1, 2);
  Program p(GetParam());
  // Channels innermost.
  const Tensor tIn =
      p.graph.addVariable(FLOAT, {2, 6, 7, 4}, VariableMappingMethod::LINEAR)
          .dimShuffle({0, 3, 1, 2});
  p.write(tIn, in);
  const Tensor tWeights = p.input(weightsShape(c), weights);
  expectNear(
      p.valuesOf(poplin::convolution(p.graph, tIn, tWeights, c, false, p.prog)),
      reference(c, in, weights), 1e-5, 1e-5);
}

TEST_P(OnDevices, TransposeAndFlip) {
  const ConvParams c = params(1, {6, 6}, {3, 2}, 2, 3, 2);
  const Values in = randomValues(product(inShape(c)), -1, 1, 1);
  const Values weights = randomValues(product(weightsShape(c)), -1, 1, 2);
  // Weights as the forward pass has them: channels swapped, kernel flipped.
  Values stored(weights.size());
  std::size_t next = 0;
  forEachIndex(weightsShape(c), [&](const Shape &i) {
    stored[(((i[0] * 2 + i[2]) * 3 + i[1]) * 3 + 2 - i[3]) * 2 + 1 - i[4]] =
        weights[next++];
  });
  Program p(GetParam());
  const Tensor tStored = p.input({2, 2, 3, 3, 2}, stored);
  const Tensor out = poplin::convolution(p.graph, p.input(inShape(c), in),
                                         tStored, c, true, p.prog);
  expectNear(p.valuesOf(out), reference(c, in, weights), 1e-5, 1e-5);
}

TEST_P(OnDevices, HalfAndBias) {
  const ConvParams f = params(2, {5, 5}, {3, 3}, 3, 4, 1);
  ConvParams c = f;
  c.inputType = c.outputType = HALF;
  const Values in = randomIntegers(product(inShape(c)), -2, 2, 1);
  const Values weights = randomIntegers(product(weightsShape(c)), -2, 2, 2);
  const Values bias{1, 2, 3, 4};
  Program p(GetParam());
  const Tensor out = poplin::convolution(
      p.graph, p.input(HALF, inShape(c), in),
      p.input(HALF, weightsShape(c), weights), c, false, p.prog);
  const Tensor tBias = poplin::createBiases(p.graph, out);
  p.write(tBias, bias);
  poplin::addBias(p.graph, out, tBias, p.prog);
  Values expected = reference(f, in, weights);
  for (std::size_t i = 0; i != expected.size(); ++i)
    expected[i] += bias[i / 9 % 4];
  expectNear(p.valuesOf(out), expected);
}

TEST(Convolution, Errors) {
  Program p("cpu");
  const ConvParams c = params(1, {4, 4}, {3, 3}, 1, 1, 1);
  const Tensor in = p.input({1, 1, 4, 4}, Values(16, 1));
  const Tensor weights = p.input({1, 1, 1, 3, 3}, Values(9, 1));
  EXPECT_THROW(poplin::convolution(p.graph, in, in, c, false, p.prog),
               poputil::poplibs_error);
  EXPECT_THROW(params(1, {2, 2}, {3, 3}, 1, 1, 1), poputil::poplibs_error);
  EXPECT_THROW(params(1, {4, 4}, {3}, 1, 1, 1), poputil::poplibs_error);
  EXPECT_THROW(poplin::convolution(p.graph, in, weights, c, false, p.prog, {},
                                   {{"pass", "FWD"}}),
               poplar::invalid_option);
  EXPECT_THROW(
      poplin::createWeights(p.graph, params(1, {}, {}, 1, 1, 1), "weights"),
      poputil::poplibs_error);
}
