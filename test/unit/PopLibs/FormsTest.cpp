// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forms of functions beside the plain ones that other tests go into:
// results in given outputs, steps in compute sets, operands made for a
// function, grouped updates, parts of normalisations. Expected values are
// worked out here or come from the plain form.

#include "Harness.h"

#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/BatchNorm.hpp>
#include <popnn/InstanceNorm.hpp>
#include <popnn/LayerNorm.hpp>
#include <popnn/LogSoftmax.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/Sort.hpp>
#include <popops/TopK.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using poplar::program::Execute;
using poplar::program::Sequence;
using namespace test;
using popops::Operation;
using poputil::poplibs_error;

POPLIBS_INSTANTIATE_ON("cpu", "model7", "model64", "ipu7");

namespace {

void execute(const std::vector<ComputeSet> &sets, Sequence &prog) {
  for (const ComputeSet &set : sets)
    prog.add(Execute(set));
}

/// Sums or products of the rows of a matrix.
Values reduceColumns(const Values &in, std::size_t rows, Operation op) {
  const std::size_t columns = in.size() / rows;
  Values result(columns, op == Operation::MUL ? 1 : 0);
  for (std::size_t i = 0; i != in.size(); ++i) {
    double &sum = result[i % columns];
    if (op == Operation::MUL)
      sum *= in[i];
    else
      sum += op == Operation::SQUARE_ADD ? in[i] * in[i] : in[i];
  }
  return result;
}

} // namespace

TEST_P(OnDevices, ReductionsInComputeSets) {
  Program p(GetParam());
  const Values in = randomIntegers(9 * 11, -2, 2), start(11, 0.5);
  const Tensor scale = p.input({}, {0.25});
  std::vector<std::pair<std::string, Values>> expected;
  const auto expect = [&](const Tensor &t, Values values) {
    expected.emplace_back(p.output(t), std::move(values));
  };
  for (const Type &type : {FLOAT, HALF})
    for (const Type &outType : {FLOAT, HALF})
      for (Operation op : {Operation::ADD, Operation::SQUARE_ADD}) {
        const Tensor t = p.input(type, {9, 11}, in);
        const Values sums = reduceColumns(in, 9, op);
        Values scaled = sums, updated = start;
        for (std::size_t i = 0; i != 11; ++i) {
          scaled[i] *= 0.25;
          updated[i] += scaled[i];
        }
        std::vector<ComputeSet> css;
        expect(popops::reduce(p.graph, t, outType, {0}, {op}, css), sums);
        const Tensor out = p.input(outType, {11}, start);
        popops::reduceWithOutput(p.graph, t, out, {0}, {op, false, scale}, css);
        expect(out, scaled);
        const Tensor sum = p.input(outType, {11}, start);
        popops::reduceWithOutput(p.graph, t, sum, {0}, {op, true, scale}, css);
        expect(sum, updated);
        execute(css, p.prog);
      }
  std::vector<ComputeSet> css;
  expect(
      popops::reduce(p.graph, p.input({9, 11}, in), {0}, {Operation::MUL}, css),
      reduceColumns(in, 9, Operation::MUL));
  expect(popops::reduce(p.graph, p.input(BOOL, {1, 1}, {1}), {0, 1},
                        {Operation::LOGICAL_AND}, css),
         {1});
  expect(popops::reduce(p.graph, p.graph.addVariable(FLOAT, {0, 3}), {0},
                        {Operation::ADD}, css),
         {0, 0, 0});
  execute(css, p.prog);
  p.run();
  for (const auto &[handle, values] : expected)
    expectNear(p.result(handle), values);

  const Tensor t = p.input({2, 2}, {1, 2, 3, 4});
  EXPECT_THROW(popops::reduce(p.graph, t, {0}, {Operation::LOG_ADD}, css),
               poplibs_error);
  EXPECT_THROW(
      popops::reduceWithOutput(p.graph, t, t[0], {0}, {Operation::ADD}, css),
      poplibs_error);
}

TEST_P(OnDevices, ReduceMany) {
  Program p(GetParam());
  const Values in = randomIntegers(6 * 5, -3, 3);
  const Tensor t = p.input({6, 5}, in);
  std::vector<Tensor> outputs;
  popops::reduceMany(p.graph,
                     {{t, {0}, {Operation::ADD}, "columns"},
                      {t, {0}, {Operation::SQUARE_ADD}, HALF, "squares"}},
                     outputs, p.prog);
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[1].elementType(), HALF);
  const auto sums = p.output(outputs[0]), squares = p.output(outputs[1]);
  p.run();
  expectNear(p.result(sums), reduceColumns(in, 6, Operation::ADD));
  expectNear(p.result(squares), reduceColumns(in, 6, Operation::SQUARE_ADD));
}

TEST_P(OnDevices, NonLinearitiesInComputeSets) {
  using popnn::NonLinearityType;
  Program p(GetParam());
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const Type &type : {FLOAT, HALF}) {
    const Values in = randomValues(33), slopes = randomValues(33, -1, 1, 2);
    ComputeSet forward = p.graph.addComputeSet("forward");
    ComputeSet backward = p.graph.addComputeSet("backward");
    p.prog.add(Execute(forward));
    p.prog.add(Execute(backward));
    for (NonLinearityType function :
         {NonLinearityType::SIGMOID, NonLinearityType::HARD_SIGMOID,
          NonLinearityType::RELU, NonLinearityType::TANH,
          NonLinearityType::GELU, NonLinearityType::GELU_ERF,
          NonLinearityType::SWISH}) {
      const Tensor t = p.input(type, {33}, in), same = p.input(type, {33}, in),
                   g = p.input(type, {33}, slopes);
      popnn::nonLinearityInPlace(p.graph, function, t, forward);
      popnn::nonLinearityInPlace(p.graph, function, same, p.prog);
      pairs.emplace_back(p.output(t), p.output(same));
      pairs.emplace_back(p.output(popnn::nonLinearityInputGradient(
                             p.graph, function, t, g, backward)),
                         p.output(popnn::nonLinearityInputGradient(
                             p.graph, function, same, g, p.prog)));
    }
    const Tensor t = p.input(type, {3, 3}, randomValues(9));
    EXPECT_THROW(popnn::nonLinearityInPlace(p.graph, NonLinearityType::SOFTMAX,
                                            t, forward),
                 poplibs_error);
    EXPECT_THROW(popnn::nonLinearityInputGradient(
                     p.graph, NonLinearityType::SOFTMAX, t, t, backward),
                 poplibs_error);
  }
  p.run();
  for (const auto &[inSet, inProgram] : pairs)
    expectNear(p.result(inSet), p.result(inProgram), 0, 0);
}

TEST_P(OnDevices, NonLinearityNames) {
  Program p(GetParam());
  const Values in = randomValues(3 * 7);
  std::vector<std::string> results, inPlace;
  std::vector<Values> expected;
  const auto check = [&](auto function, auto functionInPlace, auto f) {
    const Tensor t = p.input({3, 7}, in);
    results.push_back(p.output(function(t)));
    functionInPlace(t);
    inPlace.push_back(p.output(t));
    Values values;
    for (double x : in)
      values.push_back(f(x));
    expected.push_back(values);
  };
#define CHECK_NAME(NAME, RESULT)                                               \
  check([&](const Tensor &t) { return popnn::NAME(p.graph, t, p.prog); },      \
        [&](const Tensor &t) { popnn::NAME##InPlace(p.graph, t, p.prog); },    \
        [](double x) { return RESULT; })
  CHECK_NAME(sigmoid, 1 / (1 + std::exp(-x)));
  CHECK_NAME(relu, std::max(x, 0.0));
  CHECK_NAME(tanh, std::tanh(x));
  CHECK_NAME(swish, x / (1 + std::exp(-x)));
  CHECK_NAME(hardSigmoid, std::clamp(0.2 * x + 0.5, 0.0, 1.0));
  CHECK_NAME(
      gelu, x / 2 * (1 + std::tanh(0.7978845608 * x * (1 + 0.044715 * x * x))));
  CHECK_NAME(geluErf, x / 2 * (1 + std::erf(x / std::sqrt(2))));
#undef CHECK_NAME
  // Scaled for halves only.
  float scaling = 0, halfScaling = 0;
  const Tensor halves = p.input(HALF, {3, 7}, in), t = p.input({3, 7}, in);
  const auto scaled = p.output(
      popnn::scaledSoftmaxStable(p.graph, halves, halfScaling, p.prog));
  popnn::scaledSoftmaxStableInPlace(p.graph, t, scaling, p.prog);
  const Tensor logits = p.input({3, 7}, in);
  popnn::logSoftmaxInPlace(p.graph, logits, p.prog);
  const auto plain = p.output(t), logarithms = p.output(logits);
  p.run();
  for (std::size_t i = 0; i != expected.size(); ++i) {
    SCOPED_TRACE(i);
    expectNear(p.result(results[i]), expected[i], 2e-5, 1e-5);
    expectNear(p.result(inPlace[i]), expected[i], 2e-5, 1e-5);
  }
  EXPECT_EQ(scaling, 1);
  EXPECT_GT(halfScaling, 1);
  Values softmax, scaledSoftmax, logSoftmax;
  for (std::size_t i = 0; i != in.size(); ++i) {
    double sum = 0;
    for (std::size_t k = 0; k != 7; ++k)
      sum += std::exp(in[i / 7 * 7 + k]);
    softmax.push_back(std::exp(in[i]) / sum);
    scaledSoftmax.push_back(halfScaling * softmax.back());
    logSoftmax.push_back(std::log(softmax.back()));
  }
  expectNear(p.result(plain), softmax, 2e-5, 1e-5);
  expectNear(p.result(scaled), scaledSoftmax, 5e-3);
  expectNear(p.result(logarithms), logSoftmax, 2e-5, 1e-5);
}

TEST_P(OnDevices, CastWithOutput) {
  Program p(GetParam());
  const Tensor out = p.input(INT, {5}, Values(5, 9));
  popops::castWithOutput(p.graph, p.input({5}, {-2.5, 0, 1.5, 3, 7.75}), out,
                         p.prog);
  const Tensor single = p.input(HALF, {1}, {0});
  p.prog.add(popops::cast(p.graph, p.input({1}, {0.5}), single));
  ComputeSet cs = p.graph.addComputeSet("casts");
  const Tensor inSet =
      popops::cast(p.graph, p.input(INT, {3}, {1, 2, 3}), FLOAT, cs);
  p.prog.add(Execute(cs));
  const auto integers = p.output(out), half = p.output(single),
             floats = p.output(inSet);
  p.run();
  expectNear(p.result(integers), {-2, 0, 1, 3, 7});
  expectNear(p.result(half), {0.5});
  expectNear(p.result(floats), {1, 2, 3});
}

TEST_P(OnDevices, SliceOperands) {
  Program p(GetParam());
  const Values in = randomIntegers(8 * 3, 0, 20);
  const Tensor slice = p.input({2, 3}, {1, 2, 3, 4, 5, 6});
  // Four slices of two rows each.
  const Tensor t =
      popops::createSliceableTensorFromSlice(p.graph, slice, {0}, {4});
  ASSERT_EQ(t.shape(), Shape({8, 3}));
  p.write(t, in);
  const Tensor out = popops::createDynamicSliceOutput(p.graph, t, {0}, {2});
  popops::dynamicSliceWithOutput(
      p.graph, out, t, p.input(UNSIGNED_INT, {1}, {4}), {0}, {2}, p.prog);
  std::size_t mapped = 0;
  for (const auto &regions : popops::getSliceMapping(p.graph, t, {0}, {2}))
    for (const Interval &region : regions)
      mapped += region.size();
  EXPECT_EQ(mapped, 6u);
  const auto plans = popops::embedding::planMultiple(
      {{p.graph, FLOAT, 1, 8, 3, {3}}, {p.graph, HALF, 2, 8, 3, {3}}});
  ASSERT_EQ(plans.size(), 2u);
  const Tensor updates = popops::createSliceTensor(p.graph, t, {0}, {1}, 3);
  ASSERT_EQ(updates.shape(), Shape({3, 1, 3}));
  const Values update = randomIntegers(9, 1, 3, 2);
  p.write(updates, update);
  const Tensor offsets =
      popops::createIndicesTensor(p.graph, {0}, 3, plans[0], {});
  p.write(offsets, {7, 0, 7});
  const auto sliced = p.output(out);
  popops::multiUpdateMul(p.graph, t, updates, offsets, {0}, {1}, p.prog,
                         plans[0], {});
  const auto updated = p.output(t);
  p.run();
  expectNear(p.result(sliced), Values(in.begin() + 12, in.begin() + 18));
  Values expected = in;
  for (std::size_t i = 0; i != 9; ++i)
    expected[(i / 3 == 1 ? 0 : 21) + i % 3] *= update[i];
  expectNear(p.result(updated), expected);
}

TEST_P(OnDevices, GroupedUpdates) {
  const popops::SlicePlan plan;
  for (const Type &type : {FLOAT, HALF}) {
    Program p(GetParam());
    const Values in = randomIntegers(2 * 5 * 3, -4, 4);
    const Values change = randomIntegers(2 * 4 * 3, -4, 4, 2);
    const Values offsets{0, 4, 0, 2, 1, 1, 3, 4};
    const Tensor at =
        popops::createGroupedIndicesTensor(p.graph, 2, {0}, 4, plan, {});
    p.write(at, offsets);
    const Tensor s = popops::createGroupedSliceTensor(p.graph, type, 2, {5, 3},
                                                      {0}, {1}, 4, plan, {});
    ASSERT_EQ(s.shape(), Shape({2, 4, 1, 3}));
    p.write(s, change);
    const auto table = [&] { return p.input(type, {2, 5, 3}, in); };
    const Tensor replaced = table(), added = table(), largest = table(),
                 smallest = table();
    const Tensor scale = p.input(type, {}, {2});
    popops::groupedMultiUpdate(p.graph, replaced, s, at, {0}, {1}, p.prog, plan,
                               {});
    popops::groupedMultiUpdateAdd(p.graph, added, s, at, scale, {0}, {1},
                                  p.prog, plan, {});
    popops::groupedMultiUpdateMax(p.graph, largest, s, at, {0}, {1}, p.prog,
                                  plan, {});
    popops::groupedMultiUpdateMin(p.graph, smallest, s, at, {0}, {1}, p.prog,
                                  plan, {});
    const auto set = p.output(replaced), sum = p.output(added),
               max = p.output(largest), min = p.output(smallest);
    p.run();
    Values setTo = in, sumOf = in, maxOf = in, minOf = in;
    for (std::size_t i = 0; i != change.size(); ++i) {
      const std::size_t group = i / 12;
      const std::size_t row = static_cast<std::size_t>(offsets[i / 3]);
      const std::size_t place = (group * 5 + row) * 3 + i % 3;
      setTo[place] = change[i];
      sumOf[place] += 2 * change[i];
      maxOf[place] = std::max(maxOf[place], change[i]);
      minOf[place] = std::min(minOf[place], change[i]);
    }
    expectNear(p.result(set), setTo);
    expectNear(p.result(sum), sumOf);
    expectNear(p.result(max), maxOf);
    expectNear(p.result(min), minOf);
  }
}

TEST_P(OnDevices, SortedForms) {
  Program p(GetParam());
  const popops::TopKParams params(2, true, popops::SortOrder::DESCENDING);
  const Tensor t = popops::createTopKInput(p.graph, FLOAT, {2, 4}, params);
  p.write(t, {3, 1, 2, 9, -1, -2, 5, 0});
  const Tensor values = p.input(INT, {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  const auto [keys, others] =
      popops::topKKeyValue(p.graph, p.prog, t, values, params);
  const Tensor sorted = p.input(HALF, {2, 3}, {3, 1, 2, 0, 5, -1});
  popops::sortInPlace(p.graph, sorted, 0, p.prog);
  const auto [least, at] = popnn::minAndArgMin(p.graph, t, p.prog);
  const auto k = p.output(keys), v = p.output(others), s = p.output(sorted),
             l = p.output(least), a = p.output(at);
  p.run();
  expectNear(p.result(k), {9, 3, 5, 0});
  expectNear(p.result(v), {4, 1, 7, 8});
  expectNear(p.result(s), {0, 1, -1, 3, 5, 2});
  expectNear(p.result(l), {1, -2});
  expectNear(p.result(a), {1, 1});
}

TEST_P(OnDevices, ProductsWithOutput) {
  for (const Type &type : {FLOAT, HALF}) {
    Program p(GetParam());
    const Shape a{2, 3, 5}, b{2, 5, 4};
    const Tensor A =
        poplin::createMatMulGroupedInputLHS(p.graph, type, type, a, b, "A");
    const Tensor B =
        poplin::createMatMulGroupedInputRHS(p.graph, type, type, a, b, "B");
    const Values as = randomIntegers(30, -3, 3),
                 bs = randomIntegers(40, -3, 3, 2);
    p.write(A, as);
    p.write(B, bs);
    Tensor out =
        poplin::createMatMulGroupedOutput(p.graph, type, type, a, b, "out");
    poplin::matMulGroupedWithOutput(p.graph, A, B, out, p.prog);
    const Tensor sum = p.input(type, {2, 3, 4}, Values(24, 1));
    poplin::matMulGroupedAcc(p.graph, sum, 0.5f, A, B, p.prog);
    poplin::matMulGroupedAcc(p.graph, sum, p.input(type, {}, {0.25}), A, B,
                             p.prog);
    Tensor first =
        poplin::createMatMulOutput(p.graph, type, {3, 5}, {5, 4}, "first");
    poplin::matMulWithOutput(
        p.graph, A[0],
        poplin::preArrangeMatMulInputRHS(p.graph, {3, 5}, B[0], p.prog), first,
        p.prog, "product", {{"inputRHSIsPreArranged", "true"}});
    const Tensor arranged =
        poplin::preArrangeMatMulGroupedInputRHS(p.graph, a, B, p.prog, type);
    ASSERT_EQ(arranged.shape(), b);
    EXPECT_EQ(poplin::transposeGroupedMatrix(A).shape(), Shape({2, 5, 3}));
    const auto product = p.output(out), sums = p.output(sum),
               firstProduct = p.output(first), copy = p.output(arranged);
    p.run();
    Values expected(24, 0);
    forEachIndex({2, 3, 4, 5}, [&](const Shape &i) {
      expected[(i[0] * 3 + i[1]) * 4 + i[2]] +=
          as[(i[0] * 3 + i[1]) * 5 + i[3]] * bs[(i[0] * 5 + i[3]) * 4 + i[2]];
    });
    expectNear(p.result(product), expected);
    expectNear(p.result(firstProduct),
               Values(expected.begin(), expected.begin() + 12));
    expectNear(p.result(copy), bs);
    for (double &x : expected)
      x = 1 + 0.75 * x;
    expectNear(p.result(sums), expected);
  }
}

TEST_P(OnDevices, ConvolutionsWithOutput) {
  using poplin::ConvParams;
  const ConvParams params(FLOAT, 2, {5, 4}, {3, 2}, 3, 2, 2);
  Program p(GetParam());
  const Tensor in = poplin::createInput(p.graph, params, "in");
  const Tensor weights = poplin::createWeights(p.graph, params, "weights");
  p.write(in, randomIntegers(in.numElements(), -3, 3));
  p.write(weights, randomIntegers(weights.numElements(), -3, 3, 2));
  const Tensor out = poplin::createConvOutput(p.graph, params, "out");
  poplin::convolutionWithOutput(p.graph, in, weights, out, params, false,
                                p.prog);
  // The same with weights that are turned here and turned back there.
  const Tensor turned = p.graph.addVariable(FLOAT, {2, 3, 2, 3, 2},
                                            VariableMappingMethod::LINEAR);
  poplin::weightsTransposeChansFlipXY(p.graph, weights, turned, p.prog);
  const auto result = p.output(out),
             same = p.output(poplin::convolution(p.graph, in, turned, params,
                                                 true, p.prog)),
             plain = p.output(poplin::convolution(p.graph, in, weights, params,
                                                  false, p.prog));
  p.run();
  expectNear(p.result(result), p.result(plain), 0, 0);
  expectNear(p.result(same), p.result(plain), 0, 0);
  double size = 0;
  for (double x : p.result(plain))
    size += std::abs(x);
  EXPECT_GT(size, 0);
}

// The parts that norms are made of, by names, give what a norm gives.
TEST_P(OnDevices, NormsInParts) {
  Program p(GetParam());
  const Values in = randomValues(2 * 4 * 3),
               slopes = randomValues(24, -1, 1, 2);
  const Tensor acts = p.input({2, 4, 3}, in), g = p.input({2, 4, 3}, slopes);
  Tensor gamma = p.input({4}, {1, 2, 0.5, -1}),
         beta = p.input({4}, {0, 1, 2, 3});
  std::vector<std::pair<std::string, std::string>> pairs;
  const auto same = [&](const Tensor &a, const Tensor &b) {
    pairs.emplace_back(p.output(a), p.output(b));
  };
  // Less half of its gradient.
  const auto updated = [&](const Tensor &parameter, const Tensor &gradient) {
    return popops::sub(p.graph, parameter,
                       popops::mul(p.graph, gradient, 0.5f, p.prog), p.prog);
  };
  {
    using namespace popnn::ln;
    const auto [mean, deviation] =
        layerNormStatistics(p.graph, acts, 1e-3f, p.prog, false);
    const Tensor white =
        layerNormWhiten(p.graph, acts, mean, deviation, p.prog);
    const auto [norm, whitened] =
        layerNormalise(p.graph, acts, gamma, beta, mean, deviation, p.prog);
    same(white, whitened);
    const auto [dGamma, dBeta] =
        layerNormParamGradients(p.graph, white, g, p.prog);
    const auto [dGamma2, dBeta2] =
        layerNormParamGradients(p.graph, acts, g, mean, deviation, p.prog);
    same(dGamma, dGamma2);
    same(dBeta, dBeta2);
    same(layerNormGradients(p.graph, white, g, deviation, gamma, p.prog),
         layerNormGradients(p.graph, acts, g, mean, deviation, gamma, p.prog));
    Tensor newGamma = p.input({4}, {1, 2, 0.5, -1}),
           newBeta = p.input({4}, {0, 1, 2, 3});
    layerNormParamUpdate(p.graph, dGamma, dBeta, -0.5f, newGamma, newBeta,
                         p.prog);
    same(newGamma, updated(gamma, dGamma));
    same(newBeta, updated(beta, dBeta));
  }
  {
    using namespace popnn::in;
    const auto [mean, deviation] =
        instanceNormStatistics(p.graph, acts, 1e-3f, p.prog, false, true);
    const Tensor white =
        instanceNormWhiten(p.graph, acts, mean, deviation, p.prog);
    same(white,
         instanceNormalise(p.graph, acts, gamma, beta, mean, deviation, p.prog)
             .second);
    const auto [dGamma, dBeta] =
        instanceNormParamGradients(p.graph, white, g, p.prog);
    const auto [dGamma2, dBeta2] =
        instanceNormParamGradients(p.graph, acts, g, mean, deviation, p.prog);
    same(dGamma, dGamma2);
    same(dBeta, dBeta2);
    same(instanceNormGradients(p.graph, white, g, deviation, gamma, p.prog),
         instanceNormGradients(p.graph, acts, g, mean, deviation, gamma,
                               p.prog));
    Tensor newGamma = p.input({4}, {1, 2, 0.5, -1}),
           newBeta = p.input({4}, {0, 1, 2, 3});
    instanceNormParamUpdate(p.graph, dGamma, dBeta, p.input({}, {-0.5}),
                            newGamma, newBeta, p.prog);
    same(newGamma, updated(gamma, dGamma));
    same(newBeta, updated(beta, dBeta));
  }
  p.run();
  for (const auto &[a, b] : pairs)
    expectNear(p.result(a), p.result(b), 1e-4, 1e-5);
}
