// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions over fields of any number of dimensions with their gradients,
// against one loop over all products in double: each contributes to a result,
// to an element of the input's gradient and to one of the weights'.

#include "Harness.h"

#include <poplin/ConvUtil.hpp>
#include <poplin/Convolution.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

using namespace poplar;
using namespace test;
using poplin::ConvParams;

namespace {

using In = ConvParams::InputTransform;
using Out = ConvParams::OutputTransform;

/// A dimension after a transform: the index that each place has, -1 for zeros.
std::vector<long> places(std::size_t size, const In &t, unsigned dim) {
  std::vector<long> list;
  for (std::size_t i = t.truncationLower[dim];
       i != size - t.truncationUpper[dim]; ++i) {
    if (!list.empty())
      list.insert(list.end(), t.dilation[dim] - 1, -1);
    list.push_back(static_cast<long>(i));
  }
  list.insert(list.begin(), t.paddingLower[dim], -1);
  list.insert(list.end(), t.paddingUpper[dim], -1);
  if (t.flip[dim])
    std::reverse(list.begin(), list.end());
  return list;
}

/// The untransformed index of a result along a dimension, -1 for padding.
long origin(const ConvParams &p, unsigned dim, std::size_t out) {
  const Out &t = p.outputTransform;
  if (out < t.paddingLower[dim] ||
      out >= p.getOutputSize(dim) - t.paddingUpper[dim])
    return -1;
  return t.truncationLower[dim] + (out - t.paddingLower[dim]) * t.stride[dim];
}

std::size_t flat(const Shape &shape, const Shape &index) {
  std::size_t at = 0;
  for (std::size_t i = 0; i != shape.size(); ++i)
    at = at * shape[i] + index[i];
  return at;
}

/// Calls visit(result, input, weight) for every product; indices are those of
/// the field and the kernel.
template <class F> void forEachProduct(const ConvParams &p, F visit) {
  const unsigned dims = p.getNumFieldDims();
  std::vector<std::vector<long>> inputs, kernels;
  Shape taps;
  for (unsigned d = 0; d != dims; ++d) {
    inputs.push_back(places(p.inputFieldShape[d], p.inputTransform, d));
    kernels.push_back(places(p.kernelShape[d], p.kernelTransform, d));
    taps.push_back(kernels[d].size());
  }
  const Shape field = p.getOutputFieldShape();
  forEachIndex(field, [&](const Shape &out) {
    forEachIndex(taps, [&](const Shape &tap) {
      Shape in, weight;
      for (unsigned d = 0; d != dims; ++d) {
        const long at = origin(p, d, out[d]);
        if (at < 0 || inputs[d][at + tap[d]] < 0 || kernels[d][tap[d]] < 0)
          return;
        in.push_back(inputs[d][at + tap[d]]);
        weight.push_back(kernels[d][tap[d]]);
      }
      visit(flat(field, out), flat(p.inputFieldShape, in),
            flat(p.kernelShape, weight));
    });
  });
}

struct Reference {
  Values out, inGradient, weightsGradient;
};

Reference reference(const ConvParams &p, const Values &in,
                    const Values &weights, const Values &gradient) {
  const std::size_t field = product(p.inputFieldShape);
  const std::size_t kernel = product(p.kernelShape);
  const std::size_t outField = product(p.getOutputFieldShape());
  const std::size_t ic = p.inputChannelsPerConvGroup;
  const std::size_t oc = p.outputChannelsPerConvGroup;
  Reference r{Values(p.batchSize * p.getNumOutputChans() * outField),
              Values(in.size()), Values(weights.size())};
  forEachProduct(p, [&](std::size_t o, std::size_t i, std::size_t k) {
    for (std::size_t b = 0; b != p.batchSize; ++b)
      for (std::size_t g = 0; g != p.numConvGroups; ++g)
        for (std::size_t co = 0; co != oc; ++co)
          for (std::size_t ci = 0; ci != ic; ++ci) {
            const std::size_t out =
                ((b * p.numConvGroups + g) * oc + co) * outField + o;
            const std::size_t x =
                ((b * p.numConvGroups + g) * ic + ci) * field + i;
            const std::size_t w = ((g * oc + co) * ic + ci) * kernel + k;
            r.out[out] += in[x] * weights[w];
            r.inGradient[x] += gradient[out] * weights[w];
            r.weightsGradient[w] += gradient[out] * in[x];
          }
  });
  return r;
}

Shape inShape(const ConvParams &p) {
  Shape shape{p.batchSize, p.getNumInputChans()};
  shape.insert(shape.end(), p.inputFieldShape.begin(), p.inputFieldShape.end());
  return shape;
}

Shape weightsShape(const ConvParams &p) {
  Shape shape{p.numConvGroups, p.outputChannelsPerConvGroup,
              p.inputChannelsPerConvGroup};
  shape.insert(shape.end(), p.kernelShape.begin(), p.kernelShape.end());
  return shape;
}

const ConvParams Cases[] = {
    // One dimension, stride that does not divide.
    {FLOAT,
     FLOAT,
     2,
     {11},
     {3},
     2,
     3,
     1,
     In({0}, {0}, {1}, {1}, {1}, {false}),
     In(1),
     Out({0}, {0}, {3}, {0}, {0})},
    // Two dimensions, groups, padding.
    {FLOAT,
     FLOAT,
     2,
     {6, 5},
     {3, 2},
     2,
     2,
     3,
     In({0, 0}, {0, 0}, {1, 1}, {1, 0}, {1, 1}, {false, false}),
     In(2),
     Out(2)},
    // Every transform.
    {FLOAT,
     FLOAT,
     1,
     {7, 6},
     {4, 3},
     2,
     1,
     1,
     In({1, 0}, {0, 1}, {2, 1}, {1, 2}, {0, 1}, {true, false}),
     In({0, 1}, {1, 0}, {2, 2}, {1, 0}, {0, 1}, {false, true}),
     Out({1, 0}, {0, 1}, {2, 1}, {0, 1}, {1, 0})},
    // Three dimensions.
    {FLOAT,
     FLOAT,
     1,
     {4, 5, 3},
     {2, 3, 3},
     2,
     3,
     1,
     In({0, 0, 0}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1},
        {false, false, false}),
     In(3),
     Out({0, 0, 0}, {0, 0, 0}, {2, 1, 1}, {0, 0, 0}, {0, 0, 0})},
    {FLOAT,
     FLOAT,
     2,
     {6, 2, 3},
     {3, 1, 2},
     1,
     2,
     2,
     In({1, 0, 0}, {0, 0, 0}, {2, 1, 1}, {0, 0, 1}, {2, 0, 0},
        {true, false, false}),
     In({0, 0, 0}, {1, 0, 0}, {2, 1, 1}, {0, 0, 0}, {1, 0, 0},
        {true, false, true}),
     Out({0, 0, 0}, {1, 0, 0}, {2, 1, 1}, {1, 0, 0}, {2, 0, 0})},
    // Four, with one channel and a kernel of one element.
    {FLOAT, FLOAT, 1, {2, 1, 2, 3}, {1, 1, 1, 1}, 1, 1, 1},
};

} // namespace

POPLIBS_INSTANTIATE();

TEST_P(OnDevices, AnyFieldAndGradients) {
  Program p(GetParam());
  std::vector<std::string> outs, inputs, weights;
  std::vector<Reference> expected;
  for (const ConvParams &c : Cases) {
    const Values inData = randomIntegers(product(inShape(c)));
    const Values weightsData =
        randomIntegers(product(weightsShape(c)), -4, 4, 3);
    const Tensor in = poplin::createInput(p.graph, c, "in");
    const Tensor w = poplin::createWeights(p.graph, c, "weights");
    ASSERT_EQ(w.shape(), weightsShape(c));
    p.write(in, inData);
    p.write(w, weightsData);
    const Tensor out = poplin::convolution(p.graph, in, w, c, false, p.prog);
    outs.push_back(p.output(out));
    const Values gradientData = randomIntegers(out.numElements(), -4, 4, 4);
    const Tensor gradient = p.input(out.shape(), gradientData);
    const Tensor inGradient = poplin::convolution(
        p.graph, gradient, w, poplin::getGradientParams(c), true, p.prog);
    EXPECT_EQ(inGradient.shape(), inShape(c));
    inputs.push_back(p.output(inGradient));
    weights.push_back(p.output(
        poplin::calculateWeightDeltas(p.graph, gradient, in, c, p.prog)));
    expected.push_back(reference(c, inData, weightsData, gradientData));
  }
  p.run();
  for (std::size_t i = 0; i != outs.size(); ++i) {
    SCOPED_TRACE(i);
    expectNear(p.result(outs[i]), expected[i].out);
    expectNear(p.result(inputs[i]), expected[i].inGradient);
    expectNear(p.result(weights[i]), expected[i].weightsGradient);
  }
}

TEST_P(OnDevices, HalfFieldOfThreeDimensions) {
  ConvParams c(HALF, 2, {3, 4, 4}, {2, 3, 3}, 3, 2, 1);
  const Values in = randomIntegers(product(inShape(c)), -2, 2);
  const Values weights = randomIntegers(product(weightsShape(c)), -2, 2, 3);
  Program p(GetParam());
  const Tensor out = poplin::convolution(
      p.graph, p.input(HALF, inShape(c), in),
      p.input(HALF, weightsShape(c), weights), c, false, p.prog);
  const Values zeros(out.numElements());
  expectNear(p.valuesOf(out), reference(c, in, weights, zeros).out);
}

TEST_P(OnDevices, Updates) {
  const ConvParams &c = Cases[1];
  const Values in = randomIntegers(product(inShape(c)));
  const Values weightsData = randomIntegers(product(weightsShape(c)), -4, 4, 3);
  Program p(GetParam());
  const Tensor weights = p.input(weightsShape(c), weightsData);
  const Tensor biases = p.input({6}, {1, 2, 3, 4, 5, 6});
  Shape outShape{2, 6};
  for (std::size_t extent : c.getOutputFieldShape())
    outShape.push_back(extent);
  const Values gradient = randomIntegers(product(outShape), -4, 4, 5);
  const Tensor deltas = p.input(outShape, gradient);
  poplin::convolutionWeightUpdate(p.graph, deltas, weights,
                                  p.input(inShape(c), in), c, -0.5f, p.prog);
  poplin::convolutionBiasUpdate(p.graph, deltas, biases, p.input({}, {2}), {},
                                p.prog);
  const auto weightsOut = p.output(weights), biasesOut = p.output(biases);
  p.run();
  Values expected = reference(c, in, weightsData, gradient).weightsGradient;
  for (std::size_t i = 0; i != expected.size(); ++i)
    expected[i] = weightsData[i] - 0.5 * expected[i];
  expectNear(p.result(weightsOut), expected);
  Values sums{1, 2, 3, 4, 5, 6};
  const std::size_t field = product(c.getOutputFieldShape());
  for (std::size_t i = 0; i != gradient.size(); ++i)
    sums[i / field % 6] += 2 * gradient[i];
  expectNear(p.result(biasesOut), sums);
}

// Channels lie side by side, as convolutions leave them: the places of the
// products' operands are brought together by vertices that transpose.
TEST_P(OnDevices, WeightDeltasOfGroupedChannels) {
  for (const Type &type : {FLOAT, HALF})
    for (unsigned stride : {1u, 2u}) {
      const ConvParams c(
          type, type, 2, {13, 18}, {3, 3}, 32, 16, 1,
          In({0, 0}, {0, 0}, {1, 1}, {1, 1}, {1, 1}, {false, false}), In(2),
          Out({0, 0}, {0, 0}, {stride, stride}, {0, 0}, {0, 0}));
      const Values in = randomIntegers(product(inShape(c)), -2, 2);
      Shape outShape{2, 16};
      for (std::size_t extent : c.getOutputFieldShape())
        outShape.push_back(extent);
      const Values gradient = randomIntegers(product(outShape), -2, 2, 5);
      Program p(GetParam());
      const auto grouped = [&](const Tensor &t) {
        const Tensor copy = p.graph.addVariable(type, t.dimRoll(1, 3).shape());
        poputil::mapTensorLinearly(p.graph, copy, 16, 16);
        p.prog.add(poplar::program::Copy(t, copy.dimRoll(3, 1)));
        return copy.dimRoll(3, 1);
      };
      const Tensor deltas = poplin::calculateWeightDeltas(
          p.graph, grouped(p.input(type, outShape, gradient)),
          grouped(p.input(type, inShape(c), in)), c, p.prog);
      SCOPED_TRACE(stride);
      expectNear(p.valuesOf(deltas),
                 reference(c, in, Values(product(weightsShape(c))), gradient)
                     .weightsGradient);
    }
}

TEST(ConvGradient, Errors) {
  Program p("cpu");
  const ConvParams &c = Cases[1];
  const Tensor in = p.input(inShape(c), Values(product(inShape(c))));
  EXPECT_THROW(poplin::calculateWeightDeltas(p.graph, in[0], in, c, p.prog),
               poputil::poplibs_error);
  EXPECT_THROW(poplin::convolutionBiasUpdate(
                   p.graph, in, p.input({5}, Values(5)), 1.0f, {}, p.prog),
               poputil::poplibs_error);
}
