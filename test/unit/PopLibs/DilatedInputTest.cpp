// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions of dilated inputs (ConvPhases.h): all ways in which kernel,
// dilation and borders can meet, against the reference of ConvReference.h.

#include "ConvChecks.h"

#include "lib/PopLibs/poplin/convolution/ConvPhases.h"

using namespace poplar;
using namespace test;
using poplin::ConvPhases;

namespace {

/// A convolution of six elements in one dimension.
ConvParams stretched(std::size_t kernel, unsigned dilation, unsigned lower,
                     unsigned upper, bool flip) {
  return params(2, {6}, {kernel}, 2, 3, 1,
                In({0}, {0}, {dilation}, {lower}, {upper}, {flip}),
                In({0}, {0}, {1}, {0}, {0}, {!flip}));
}

std::vector<ConvParams> inOneDimension() {
  std::vector<ConvParams> cases;
  for (std::size_t kernel = 1; kernel != 6; ++kernel)
    for (unsigned dilation = 2; dilation != 5; ++dilation)
      for (unsigned lower = 0; lower != 4; ++lower)
        cases.push_back(stretched(kernel, dilation, lower, (lower + kernel) % 3,
                                  (lower & 1) != 0));
  return cases;
}

std::vector<ConvParams> inMoreDimensions() {
  const std::vector<unsigned> zero{0, 0}, one{1, 1};
  const std::vector<bool> no{false, false};
  return {
      // Upsampling networks have this one.
      params(1, {8, 8}, {2, 2}, 16, 8, 1, In(zero, zero, {2, 2}, one, one, no)),
      params(1, {5, 7}, {4, 4}, 3, 5, 1,
             In(zero, zero, {2, 2}, {2, 2}, {2, 2}, no)),
      // One dimension alone, and groups.
      params(2, {6, 5}, {3, 3}, 2, 3, 4, In(zero, zero, {1, 3}, one, one, no)),
      // Fewer taps than the dilation, truncated operands and results.
      params(1, {7, 6}, {2, 1}, 2, 2, 1,
             In({1, 0}, {0, 2}, {3, 2}, {2, 0}, {1, 1}, {true, false}),
             In({1, 0}, {0, 0}, one, zero, zero, {false, true}),
             Out({1, 2}, {0, 1}, one, {1, 0}, {0, 2})),
      // A kernel that is larger than the input.
      params(1, {3, 4}, {4, 5}, 2, 2, 1,
             In(zero, zero, {2, 2}, {2, 2}, one, no)),
      // Nothing but padding.
      params(1, {2, 2}, {2, 2}, 1, 2, 1,
             In(zero, zero, {2, 2}, {7, 7}, zero, no), {},
             Out(zero, {8, 8}, one, zero, zero)),
      // Depthwise.
      params(1, {6, 6}, {3, 3}, 1, 1, 8, In(zero, zero, {2, 2}, one, one, no)),
  };
}

Values smallIntegers(std::size_t count, unsigned seed) {
  return randomIntegers(count, -4, 4, seed);
}

} // namespace

POPLIBS_INSTANTIATE();

TEST_P(OnDevices, DilatedInOneDimension) {
  expectConvolutions(GetParam(), inOneDimension(), smallIntegers, 0, 0);
}

TEST_P(OnDevices, DilatedInMoreDimensions) {
  expectConvolutions(GetParam(), inMoreDimensions(), smallIntegers, 0, 0);
}

// The bias is added inside where each phase meets a tap, else to the whole.
TEST_P(OnDevices, DilatedWithBias) {
  Program p(GetParam());
  std::vector<std::string> outs;
  std::vector<Values> expected;
  for (const ConvParams &c :
       {stretched(4, 2, 1, 1, false), stretched(1, 3, 0, 2, false),
        inMoreDimensions()[3], inMoreDimensions().back()}) {
    const Values in = smallIntegers(product(inShape(c)), 1);
    const Values weights = smallIntegers(product(weightsShape(c)), 2);
    const Values bias = smallIntegers(c.getNumOutputChans(), 3);
    outs.push_back(p.output(poplin::convolutionWithBias(
        p.graph, p.input(inShape(c), in), p.input(weightsShape(c), weights),
        p.input({bias.size()}, bias), c, p.prog)));
    expected.push_back(reference(c, in, weights));
    const std::size_t field = product(c.getOutputFieldShape());
    for (std::size_t i = 0; i != expected.back().size(); ++i)
      expected.back()[i] += bias[i / field % bias.size()];
  }
  p.run();
  for (std::size_t i = 0; i != outs.size(); ++i) {
    SCOPED_TRACE(i);
    expectNear(p.result(outs[i]), expected[i]);
  }
}

TEST(DilatedInput, IsNotStored) {
  // Twice the field from kernels of two: one tap of four times the channels.
  const ConvParams twice = inMoreDimensions()[0];
  const ConvParams inner = ConvPhases::of(twice)->params();
  EXPECT_EQ(inner.kernelShape, (Shape{1, 1}));
  EXPECT_EQ(inner.outputChannelsPerConvGroup, 32u);
  // Kernels that do not divide have taps of zeros, no results too many.
  const ConvParams odd = ConvPhases::of(stretched(5, 2, 4, 4, false))->params();
  EXPECT_EQ(odd.kernelShape, (Shape{3}));
  // Depthwise ones stay so.
  const ConvParams depthwise =
      ConvPhases::of(inMoreDimensions().back())->params();
  EXPECT_EQ(depthwise.numConvGroups, 32u);
  EXPECT_EQ(depthwise.outputChannelsPerConvGroup, 1u);
  // Phases without taps are not computed.
  const ConvParams one = ConvPhases::of(stretched(1, 3, 0, 0, false))->params();
  EXPECT_EQ(one.outputChannelsPerConvGroup, 3u);
}

TEST(DilatedInput, OtherGeometriesStay) {
  EXPECT_FALSE(ConvPhases::of(params(1, {6}, {3}, 2, 2, 1)));
  ConvParams strided = stretched(3, 2, 1, 1, false);
  strided.outputTransform.stride = {2};
  EXPECT_FALSE(ConvPhases::of(strided));
}

// Weights that are made for a convolution lie as its phases use them.
TEST(DilatedInput, WeightsAreMade) {
  Program p("cpu");
  for (const ConvParams &c :
       {stretched(4, 2, 1, 1, true), stretched(3, 2, 1, 1, false)})
    EXPECT_EQ(poplin::createWeights(p.graph, c, "weights").shape(),
              weightsShape(c));
}
