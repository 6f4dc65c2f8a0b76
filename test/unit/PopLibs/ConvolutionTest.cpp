// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions against a reference in double that applies the transforms of
// ConvParams literally: truncate, dilate, pad, flip, slide, truncate, stride,
// pad.

#include "Harness.h"

#include <poplin/Convolution.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace test;
using poplin::ConvParams;

namespace {

/// A field of one or two dimensions; one is a single row.
struct Field {
  std::size_t rows, columns;
  Values values;

  double at(std::size_t r, std::size_t c) const {
    return values[r * columns + c];
  }
};

/// Transforms along the columns.
Field transformColumns(const Field &in, const ConvParams::InputTransform &t,
                       unsigned dim) {
  std::vector<Values> columns;
  for (std::size_t c = t.truncationLower[dim];
       c != in.columns - t.truncationUpper[dim]; ++c) {
    if (!columns.empty())
      columns.resize(columns.size() + t.dilation[dim] - 1, Values(in.rows, 0));
    Values column;
    for (std::size_t r = 0; r != in.rows; ++r)
      column.push_back(in.at(r, c));
    columns.push_back(column);
  }
  columns.insert(columns.begin(), t.paddingLower[dim], Values(in.rows, 0));
  columns.resize(columns.size() + t.paddingUpper[dim], Values(in.rows, 0));
  if (t.flip[dim])
    std::reverse(columns.begin(), columns.end());
  Field out{in.rows, columns.size(), {}};
  for (std::size_t r = 0; r != in.rows; ++r)
    for (const Values &column : columns)
      out.values.push_back(column[r]);
  return out;
}

Field transposed(const Field &in) {
  Field out{in.columns, in.rows, {}};
  for (std::size_t c = 0; c != in.columns; ++c)
    for (std::size_t r = 0; r != in.rows; ++r)
      out.values.push_back(in.at(r, c));
  return out;
}

Field transform(const Field &in, const ConvParams::InputTransform &t) {
  const unsigned dims = t.dilation.size();
  Field out = transformColumns(in, t, dims - 1);
  return dims == 2 ? transposed(transformColumns(transposed(out), t, 0)) : out;
}

/// The result at a place of the untransformed output.
double slide(const Field &in, const Field &kernel, std::size_t y,
             std::size_t x) {
  double sum = 0;
  for (std::size_t r = 0; r != kernel.rows; ++r)
    for (std::size_t c = 0; c != kernel.columns; ++c)
      sum += in.at(y + r, x + c) * kernel.at(r, c);
  return sum;
}

/// Where an output index comes from, or nothing for padding.
std::size_t source(const ConvParams &p, unsigned dim, std::size_t out) {
  const auto &t = p.outputTransform;
  const std::size_t size = p.getOutputSize(dim);
  if (out < t.paddingLower[dim] || out >= size - t.paddingUpper[dim])
    return ~std::size_t(0);
  return t.truncationLower[dim] + (out - t.paddingLower[dim]) * t.stride[dim];
}

Values reference(const ConvParams &p, const Values &in, const Values &weights) {
  const unsigned dims = p.getNumFieldDims();
  const std::size_t inRows = dims == 2 ? p.inputFieldShape[0] : 1;
  const std::size_t inColumns = p.inputFieldShape[dims - 1];
  const std::size_t kRows = dims == 2 ? p.kernelShape[0] : 1;
  const std::size_t kColumns = p.kernelShape[dims - 1];
  const std::size_t outRows = dims == 2 ? p.getOutputSize(0) : 1;
  const std::size_t outColumns = p.getOutputSize(dims - 1);
  const std::size_t ic = p.inputChannelsPerConvGroup;
  const std::size_t oc = p.outputChannelsPerConvGroup;
  const auto field = [](const Values &v, std::size_t i, std::size_t r,
                        std::size_t c) {
    return Field{r, c,
                 Values(v.begin() + i * r * c, v.begin() + (i + 1) * r * c)};
  };
  Values out;
  for (std::size_t b = 0; b != p.batchSize; ++b)
    for (std::size_t g = 0; g != p.numConvGroups; ++g)
      for (std::size_t o = 0; o != oc; ++o) {
        Values sums(outRows * outColumns, 0);
        for (std::size_t i = 0; i != ic; ++i) {
          const Field input = transform(
              field(in, (b * p.numConvGroups + g) * ic + i, inRows, inColumns),
              p.inputTransform);
          const Field kernel =
              transform(field(weights, (g * oc + o) * ic + i, kRows, kColumns),
                        p.kernelTransform);
          for (std::size_t r = 0; r != outRows; ++r)
            for (std::size_t c = 0; c != outColumns; ++c) {
              const std::size_t y = dims == 2 ? source(p, 0, r) : 0;
              const std::size_t x = source(p, dims - 1, c);
              if (y != ~std::size_t(0) && x != ~std::size_t(0))
                sums[r * outColumns + c] += slide(input, kernel, y, x);
            }
        }
        out.insert(out.end(), sums.begin(), sums.end());
      }
  return out;
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

using In = ConvParams::InputTransform;
using Out = ConvParams::OutputTransform;

ConvParams params(std::size_t batch, Shape field, Shape kernel, std::size_t in,
                  std::size_t out, std::size_t groups, In input = {},
                  In kernelTransform = {}, Out output = {}) {
  const std::size_t dims = field.size();
  if (input.dilation.empty())
    input = In(dims);
  if (kernelTransform.dilation.empty())
    kernelTransform = In(dims);
  if (output.stride.empty())
    output = Out(dims);
  return ConvParams(FLOAT, FLOAT, batch, field, kernel, in, out, groups, input,
                    kernelTransform, output);
}

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
  Program p(GetParam());
  std::vector<std::string> outs;
  std::vector<Values> expected;
  for (const ConvParams &c : allCases()) {
    const Values in = randomValues(product(inShape(c)), -1, 1, 1);
    const Values weights = randomValues(product(weightsShape(c)), -1, 1, 2);
    const Tensor tIn = poplin::createInput(p.graph, c, "in");
    const Tensor tWeights = poplin::createWeights(p.graph, c, "weights");
    p.write(tIn, in);
    p.write(tWeights, weights);
    outs.push_back(p.output(
        poplin::convolution(p.graph, tIn, tWeights, c, false, p.prog)));
    expected.push_back(reference(c, in, weights));
  }
  p.run();
  for (std::size_t i = 0; i != outs.size(); ++i) {
    SCOPED_TRACE(i);
    expectNear(p.result(outs[i]), expected[i], 1e-5, 1e-5);
  }
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
