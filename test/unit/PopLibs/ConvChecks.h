// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the tests of convolution methods: runs cases against the reference
// of ConvReference.h, also with biases and fractions.

#ifndef POPULUS_TEST_UNIT_POPLIBS_CONVCHECKS_H
#define POPULUS_TEST_UNIT_POPLIBS_CONVCHECKS_H

#include "ConvReference.h"

#include "lib/PopLibs/poplin/convolution/ConvOperands.h"

#include <functional>

namespace test {

/// Parts of ConvParams of two dimensions.
namespace transforms {

inline const std::vector<unsigned> zero{0, 0}, one{1, 1}, two{2, 2};
inline const std::vector<bool> no{false, false};
inline const In padded(zero, zero, one, one, one, no);
inline const Out strided(zero, zero, two, zero, zero);

} // namespace transforms

inline ConvParams withTypes(ConvParams params, const poplar::Type &in,
                            const poplar::Type &out) {
  params.inputType = in;
  params.outputType = out;
  return params;
}

inline ConvParams withType(const ConvParams &params, const poplar::Type &type) {
  return withTypes(params, type, type);
}

/// The method that the planner chooses for a convolution.
inline poplin::ConvMethod methodOf(const poplar::Graph &graph,
                                   const ConvParams &params) {
  return poplin::planConv(
             poplin::convShape(params),
             poplin::CostModel(graph.getTarget(), params.inputType, 0.6))
      .method;
}

/// Operands: values by their number and a seed.
using Operands = std::function<Values(std::size_t, unsigned)>;

/// Integers, whose sums are exact in every order.
inline Operands integersTo(int most) {
  return [most](std::size_t count, unsigned seed) {
    return randomIntegers(count, -most, most, seed);
  };
}

/// Runs all cases in one program. \p look sees each of them first.
inline void expectConvolutions(
    const char *device, const std::vector<ConvParams> &cases,
    const Operands &operands, double relative, double absolute,
    const std::function<void(const poplar::Graph &, const ConvParams &)> &look =
        {},
    const poplar::OptionFlags &options = {}) {
  Program p(device);
  std::vector<std::string> outs;
  std::vector<Values> expected;
  for (const ConvParams &c : cases) {
    SCOPED_TRACE(outs.size());
    if (look)
      look(p.graph, c);
    const Values in = operands(product(inShape(c)), 1);
    const Values weights = operands(product(weightsShape(c)), 2);
    const poplar::Tensor tIn = poplin::createInput(p.graph, c, "in", options);
    const poplar::Tensor tWeights =
        poplin::createWeights(p.graph, c, "weights", options);
    p.write(tIn, in);
    p.write(tWeights, weights);
    outs.push_back(p.output(poplin::convolution(
        p.graph, tIn, tWeights, c, false, p.prog, "conv", options)));
    expected.push_back(reference(c, in, weights));
  }
  p.run();
  for (std::size_t i = 0; i != outs.size(); ++i) {
    SCOPED_TRACE(i);
    expectNear(p.result(outs[i]), expected[i], relative, absolute);
  }
}

/// A convolution of integers with a bias for each output channel.
inline void expectBiased(const char *device, const ConvParams &c,
                         const poplar::OptionFlags &options = {}) {
  const std::size_t channels = c.getNumOutputChans();
  const Values in = randomIntegers(product(inShape(c)), -1, 1, 1);
  const Values weights = randomIntegers(product(weightsShape(c)), -1, 1, 2);
  const Values biases = randomIntegers(channels, -9, 9, 3);
  Program p(device);
  const poplar::Tensor out = poplin::convolutionWithBias(
      p.graph, p.input(c.inputType, inShape(c), in),
      p.input(c.inputType, weightsShape(c), weights),
      p.input(c.inputType, {channels}, biases), c, p.prog, "conv", options);
  Values expected = reference(c, in, weights);
  const std::size_t field = expected.size() / c.batchSize / channels;
  for (std::size_t i = 0; i != expected.size(); ++i)
    expected[i] += biases[i / field % channels];
  expectNear(p.valuesOf(out), expected, 0, 0);
}

/// A convolution of fractions that a half can hold.
inline void expectPrecise(const char *device, const ConvParams &c,
                          double relative, double absolute,
                          const poplar::OptionFlags &options = {}) {
  const auto fractions = [](std::size_t count, unsigned seed) {
    Values values = randomIntegers(count, -1000, 1000, seed);
    for (double &value : values)
      value /= 1024;
    return values;
  };
  const Values in = fractions(product(inShape(c)), 1);
  const Values weights = fractions(product(weightsShape(c)), 2);
  Program p(device);
  const poplar::Tensor out =
      poplin::convolution(p.graph, p.input(c.inputType, inShape(c), in),
                          p.input(c.inputType, weightsShape(c), weights), c,
                          false, p.prog, "conv", options);
  expectNear(p.valuesOf(out), reference(c, in, weights), relative, absolute);
}

} // namespace test

#endif
