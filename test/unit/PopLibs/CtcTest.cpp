// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CTC losses and gradients against the sum over all sequences of classes.

#include "Harness.h"

#include <popnn/CTCLoss.hpp>
#include <poputil/exceptions.hpp>

#include <sstream>

using namespace poplar;
using namespace test;
using namespace popnn;

POPLIBS_INSTANTIATE_ON("cpu", "model7", "ipu7");

namespace {

constexpr std::size_t Times = 4, Batch = 5, Classes = 3, Length = 2;
constexpr unsigned Blank = 1;

const Values Labels{0, 2, 2, 2, 0, 0, 2, 0, 2, 2};
const Values LabelLengths{2, 2, 1, 0, 2};
// The last one is too short for its label, which has a class twice.
const Values DataLengths{4, 3, 2, 4, 2};

struct Reference {
  Values loss = Values(Batch), gradient = Values(Times * Batch * Classes);
};

/// Without repetitions and blanks.
std::vector<int> collapsed(const std::vector<int> &path) {
  std::vector<int> label;
  int before = -1;
  for (int c : path) {
    if (c != before && c != static_cast<int>(Blank))
      label.push_back(c);
    before = c;
  }
  return label;
}

Reference referenceOf(const Values &logProbs) {
  Reference result;
  for (std::size_t b = 0; b != Batch; ++b) {
    const auto steps = static_cast<std::size_t>(DataLengths[b]);
    const auto length = static_cast<std::size_t>(LabelLengths[b]);
    const std::vector<int> label(Labels.begin() + b * Length,
                                 Labels.begin() + b * Length + length);
    std::size_t paths = 1;
    for (std::size_t t = 0; t != steps; ++t)
      paths *= Classes;
    double total = 0;
    Values share(Times * Classes);
    for (std::size_t p = 0; p != paths; ++p) {
      std::vector<int> path;
      double logProb = 0;
      for (std::size_t t = 0, rest = p; t != steps; ++t, rest /= Classes) {
        path.push_back(static_cast<int>(rest % Classes));
        logProb += logProbs[(t * Batch + b) * Classes + rest % Classes];
      }
      if (collapsed(path) != label)
        continue;
      total += std::exp(logProb);
      for (std::size_t t = 0; t != steps; ++t)
        share[t * Classes + path[t]] += std::exp(logProb);
    }
    result.loss[b] = -std::log(total);
    for (std::size_t t = 0; t != steps && total > 0; ++t)
      for (std::size_t c = 0; c != Classes; ++c)
        result.gradient[(t * Batch + b) * Classes + c] =
            -share[t * Classes + c] / total;
  }
  return result;
}

Values logSoftmaxOf(const Values &logits) {
  Values result = logits;
  for (std::size_t row = 0; row != logits.size(); row += Classes) {
    double sum = 0;
    for (std::size_t c = 0; c != Classes; ++c)
      sum += std::exp(logits[row + c]);
    for (std::size_t c = 0; c != Classes; ++c)
      result[row + c] -= std::log(sum);
  }
  return result;
}

} // namespace

TEST_P(OnDevices, LossAndGradient) {
  const Values logits = randomValues(Times * Batch * Classes, -2, 2, 3);
  const Values logProbs = logSoftmaxOf(logits);
  const Reference reference = referenceOf(logProbs);
  ASSERT_TRUE(std::isinf(reference.loss[4]));
  Program p(GetParam());
  const ctc::Plan plan =
      ctc::plan(p.graph, FLOAT, FLOAT, Batch, Times, Length, Classes);
  const Tensor data =
      ctc::createDataInput(p.graph, FLOAT, Batch, Times, Classes, plan, "data");
  const Tensor labels = ctc::createLabelsInput(p.graph, UNSIGNED_INT, Batch,
                                               Length, plan, "labels");
  const Tensor raw = p.input({Times, Batch, Classes}, logits);
  p.write(data, logProbs);
  p.write(labels, Labels);
  const Tensor dataLengths = p.input(UNSIGNED_INT, {Batch}, DataLengths);
  const Tensor labelLengths = p.input(UNSIGNED_INT, {Batch}, LabelLengths);
  const auto plain = ctc::calcLossAndGradientLogProbabilities(
      p.graph, FLOAT, data, labels, dataLengths, labelLengths, p.prog, Blank,
      plan, {}, {{"includeSoftmaxGradient", "false"}});
  const auto softmax = ctc::calcLossAndGradientLogits(
      p.graph, FLOAT, raw, labels, dataLengths, labelLengths, p.prog, Blank,
      plan, {}, {{"zeroInfinity", "true"}});
  const Tensor alone =
      ctc::calcCTCLossLogits(p.graph, HALF, raw, labels, dataLengths,
                             labelLengths, p.prog, Blank, plan);
  const auto loss = p.output(plain.first), gradient = p.output(plain.second);
  const auto zeroed = p.output(softmax.first);
  const auto softmaxGradient = p.output(softmax.second);
  const auto half = p.output(alone);
  p.run();
  expectNear(p.result(loss), reference.loss, 1e-4, 1e-4);
  expectNear(p.result(gradient), reference.gradient, 1e-4, 1e-4);
  expectNear(p.result(half), reference.loss, 2e-3, 2e-3);
  Values finite = reference.loss;
  finite[4] = 0;
  expectNear(p.result(zeroed), finite, 1e-4, 1e-4);
  Values withSoftmax = reference.gradient;
  for (std::size_t t = 0; t != Times; ++t)
    for (std::size_t b = 0; b != Batch; ++b)
      for (std::size_t c = 0; c != Classes; ++c)
        if (t < DataLengths[b] && b != 4)
          withSoftmax[(t * Batch + b) * Classes + c] +=
              std::exp(logProbs[(t * Batch + b) * Classes + c]);
  expectNear(p.result(softmaxGradient), withSoftmax, 1e-4, 1e-4);
}

TEST(Ctc, RefusalsAndPlans) {
  Program p("cpu");
  const ctc::Plan plan = ctc::plan(p.graph, FLOAT, FLOAT, Batch, Times, Length,
                                   Classes, {{"partialsType", "float"}});
  std::ostringstream text;
  text << plan;
  EXPECT_EQ(text.str(), "{float, float, batch 5, time 4, label 2, classes 3}");
  EXPECT_TRUE(plan == plan);
  EXPECT_THROW(ctc::plan(p.graph, FLOAT, FLOAT, Batch, Times, Length, Classes,
                         {{"speed", "1"}}),
               invalid_option);
  const Tensor data = p.input({2, 1, 3}, Values(6, -1));
  const Tensor label = p.input(UNSIGNED_INT, {1, 1}, {0});
  const Tensor one = p.input(UNSIGNED_INT, {1}, {1});
  const auto loss = [&](const Tensor &d, const Tensor &l, unsigned blank) {
    ctc::calcCTCLossLogProbabilities(p.graph, FLOAT, d, l, one, one, p.prog,
                                     blank, plan);
  };
  EXPECT_THROW(loss(data, label, 3), poputil::poplibs_error);
  EXPECT_THROW(loss(data[0], label, 1), poputil::poplibs_error);
  EXPECT_THROW(loss(data, one, 1), poputil::poplibs_error);
}
