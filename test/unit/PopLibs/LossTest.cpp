// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses, accuracy, and places of extreme elements.

#include "Harness.h"

#include <popnn/Loss.hpp>
#include <popops/EncodingConstants.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

using namespace poplar;
using namespace test;

namespace {

constexpr std::size_t Batch = 5, Classes = 7;

/// Positive rows that add up to 1, as a softmax gives them.
Values probabilities() {
  Values values = randomValues(Batch * Classes, 0.1, 2);
  for (std::size_t b = 0; b != Batch; ++b) {
    double sum = 0;
    for (std::size_t c = 0; c != Classes; ++c)
      sum += values[b * Classes + c];
    for (std::size_t c = 0; c != Classes; ++c)
      values[b * Classes + c] = float(values[b * Classes + c] / sum);
  }
  return values;
}

const Values Labels{2, 0, 4294967295.0, 6, 2};

Values oneHot() {
  Values e(Batch * Classes, 0);
  for (std::size_t b = 0; b != Batch; ++b)
    if (Labels[b] < Classes)
      e[b * Classes + std::size_t(Labels[b])] = 1;
  return e;
}

} // namespace

POPLIBS_INSTANTIATE();

TEST_P(OnDevices, ArgMaxAndMin) {
  const struct {
    Type type;
    Shape shape;
  } Cases[] = {{FLOAT, {4, 9}}, {HALF, {3, 1000}},       {INT, {1, 5000}},
               {FLOAT, {1, 1}}, {UNSIGNED_INT, {60, 2}}, {HALF, {7, 3}}};
  Program p(GetParam());
  std::vector<std::string> largest, places, smallest;
  for (const auto &c : Cases) {
    const Tensor t =
        p.input(c.type, c.shape, randomIntegers(product(c.shape), 0, 900));
    const auto max = popnn::maxAndArgMax(p.graph, t, p.prog);
    largest.push_back(p.output(max.first));
    places.push_back(p.output(max.second));
    smallest.push_back(p.output(popnn::argMin(p.graph, t, p.prog)));
  }
  p.run();
  for (std::size_t i = 0; i != places.size(); ++i) {
    SCOPED_TRACE(i);
    const Shape &shape = Cases[i].shape;
    const Values in = randomIntegers(product(shape), 0, 900);
    Values values, maxima, minima;
    for (auto row = in.begin(); row != in.end(); row += shape[1]) {
      const auto max = std::max_element(row, row + shape[1]);
      values.push_back(*max);
      maxima.push_back(max - row);
      minima.push_back(std::min_element(row, row + shape[1]) - row);
    }
    expectNear(p.result(largest[i]), values);
    expectNear(p.result(places[i]), maxima);
    expectNear(p.result(smallest[i]), minima);
  }
}

TEST_P(OnDevices, CrossEntropy) {
  const Values y = probabilities(), e = oneHot();
  for (const Type &type : {FLOAT, HALF}) {
    Program p(GetParam());
    const Tensor outputs = p.input(type, {Batch, Classes}, y);
    const Tensor loss = p.input(type, {Batch}, Values(Batch));
    const Tensor deltas =
        p.input(type, {Batch, Classes}, Values(Batch * Classes));
    const Tensor numCorrect = p.input(UNSIGNED_INT, {1}, {10});
    p.prog.add(popnn::calcLoss(p.graph, outputs,
                               p.input(UNSIGNED_INT, {Batch}, Labels), loss,
                               deltas, numCorrect, popnn::CROSS_ENTROPY_LOSS));
    const auto lossOut = p.output(loss), deltasOut = p.output(deltas);
    const auto correctOut = p.output(numCorrect);
    p.run();
    Values expectedLoss, expectedDeltas;
    double correct = 10;
    for (std::size_t b = 0; b != Batch; ++b) {
      const auto row = y.begin() + b * Classes;
      double sum = 0;
      for (std::size_t c = 0; c != Classes; ++c) {
        sum -= e[b * Classes + c] * std::log(row[c]);
        expectedDeltas.push_back(
            Labels[b] < Classes ? row[c] - e[b * Classes + c] : 0);
      }
      expectedLoss.push_back(sum);
      correct += std::max_element(row, row + Classes) - row == Labels[b];
    }
    const double tolerance = type == HALF ? 4e-3 : 1e-5;
    expectNear(p.result(lossOut), expectedLoss, tolerance, tolerance);
    expectNear(p.result(deltasOut), expectedDeltas, tolerance, tolerance);
    EXPECT_EQ(p.result(correctOut)[0], correct);
  }
}

TEST_P(OnDevices, ScaledCrossEntropyAndSumSquared) {
  const Values y = probabilities();
  Values scaled = y, e = randomValues(Batch * Classes, 0, 1, 5);
  for (double &x : scaled)
    x *= 16;
  Program p(GetParam());
  const Tensor expected = p.input({Batch, Classes}, e);
  const Tensor loss = p.input({Batch}, Values(Batch));
  const Tensor deltas = p.input({Batch, Classes}, Values(Batch * Classes));
  p.prog.add(popnn::calcLoss(p.graph, p.input({Batch, Classes}, scaled),
                             expected, loss, deltas, p.input({}, {8}),
                             p.input({}, {16}), popnn::CROSS_ENTROPY_LOSS));
  const Tensor loss2 = p.input({Batch}, Values(Batch));
  const Tensor deltas2 = p.input({Batch, Classes}, Values(Batch * Classes));
  p.prog.add(popnn::calcLoss(p.graph, p.input({Batch, Classes}, y), expected,
                             loss2, deltas2, popnn::SUM_SQUARED_LOSS));
  const std::string outs[] = {p.output(loss), p.output(deltas), p.output(loss2),
                              p.output(deltas2)};
  p.run();
  Values expectedOuts[4];
  for (std::size_t b = 0; b != Batch; ++b) {
    double entropy = 0, squares = 0;
    for (std::size_t i = b * Classes; i != (b + 1) * Classes; ++i) {
      entropy -= e[i] * std::log(y[i]);
      squares += (y[i] - e[i]) * (y[i] - e[i]) / 2;
      expectedOuts[1].push_back(8 * (y[i] - e[i]));
      expectedOuts[3].push_back(y[i] - e[i]);
    }
    expectedOuts[0].push_back(entropy);
    expectedOuts[2].push_back(squares);
  }
  for (int i = 0; i != 4; ++i)
    expectNear(p.result(outs[i]), expectedOuts[i], 1e-5, 1e-5);
}

TEST(Loss, Errors) {
  Program p("cpu");
  const Tensor outputs = p.input({2, 3}, Values(6));
  const Tensor loss = p.input({2}, Values(2));
  const Tensor labels = p.input(INT, {3}, Values(3));
  EXPECT_THROW(popnn::calcLoss(p.graph, outputs, labels, loss, outputs,
                               popnn::CROSS_ENTROPY_LOSS),
               poputil::poplibs_error);
  EXPECT_THROW(popnn::calcAccuracy(p.graph, outputs, outputs, loss),
               poputil::poplibs_error);
  EXPECT_THROW(popnn::argMax(p.graph, loss, p.prog), poputil::poplibs_error);
  EXPECT_THROW(popnn::argMax(p.graph, p.input({2, 0}, {}), p.prog),
               poputil::poplibs_error);
  Tensor places;
  EXPECT_EQ(popnn::topK(p.graph, outputs, places, 2, true, p.prog).shape(),
            (Shape{2, 2}));
  EXPECT_EQ(places.elementType(), UNSIGNED_INT);
}
