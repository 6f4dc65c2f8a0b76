// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses of Graphcore's domain against plain float64 computations; that of Ctc
// adds up all alignments one by one.

#include "lib/PopART/Support/Error.h"
#include "test/unit/PopART/ModelBuilder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace populus::popir::test {
namespace {

constexpr int Int32 = onnx::TensorProto::INT32;
const MachineOptions Ipu{"ipu2", "ipu", 1, 3};

Array scalar(double value) { return {{}, {value}}; }

TEST(Losses, IdentityAndL1) {
  const Array x = randomArray({3, 5}, 81);
  double sum = 0, absolute = 0;
  Array scaled = x;
  for (double &value : scaled.values) {
    sum += value;
    absolute += std::abs(value);
    value = 0.5 * std::abs(value);
  }
  for (const MachineOptions &machine : {MachineOptions{"cpu", "cpu"}, Ipu}) {
    auto loss = [&](const char *type, std::vector<Attr> attributes) {
      return runGraphcore(type, {x}, attributes, machine);
    };
    expectClose(loss("IdentityLoss", {{"reduction", "Sum"}}), scalar(sum));
    expectClose(loss("IdentityLoss", {}), scalar(sum / 15));
    expectClose(loss("IdentityLoss", {{"reduction", "NoReduction"}}), x);
    expectClose(loss("L1", {{"lambda", 0.5F}, {"reduction", "NoReduction"}}),
                scaled);
    expectClose(loss("L1", {{"lambda", 2.0F}}), scalar(2 * absolute / 15));
  }
}

TEST(Losses, NegativeLogLikelihood) {
  Array p = randomArray({2, 3, 4}, 82, 1);
  for (double &value : p.values)
    value = std::abs(value);
  p({1, 0, 2}) = 0; // held away from zero
  const Array labels{{2, 3}, {0, 3, 1, 2, 3, 1}};
  Array each{{2, 3}, std::vector<double>(6)}, counted = each;
  double sum = 0, countedSum = 0;
  for (std::int64_t i = 0; i != 6; ++i) {
    const auto label = static_cast<std::int64_t>(labels.values[i]);
    const double loss = -std::log(std::max(1e-7, p.values[4 * i + label]));
    each.values[i] = loss;
    counted.values[i] = label == 3 ? 0 : loss;
    sum += loss;
    countedSum += counted.values[i];
  }
  for (const MachineOptions &machine : {MachineOptions{"cpu", "cpu"}, Ipu}) {
    auto loss = [&](std::vector<Attr> attributes) {
      return runGraphcore("Nll", {p, {labels, Int32}}, attributes, machine);
    };
    expectClose(loss({{"reduction", "NoReduction"}}), each);
    expectClose(loss({{"reduction", "Sum"}}), scalar(sum));
    expectClose(loss({}), scalar(sum / 6));
    expectClose(loss({{"reduction", "NoReduction"}, {"ignoreIndex", 3}}),
                counted);
    expectClose(loss({{"ignoreIndex", 3}}), scalar(countedSum / 4));
  }
  Array logs = p;
  for (double &value : logs.values)
    value = std::log(std::max(value, 1e-3));
  Array wanted = each;
  for (std::int64_t i = 0; i != 6; ++i)
    wanted.values[i] =
        -logs.values[4 * i + static_cast<std::int64_t>(labels.values[i])];
  expectClose(runGraphcore(
                  "Nll", {logs, {labels, Int32}},
                  {{"reduction", "NoReduction"}, {"inputIsLogProbability", 1}}),
              wanted);
}

/// The labels of an alignment: repeats are one, then blanks go.
std::vector<int> collapsed(const std::vector<int> &path, int blank) {
  std::vector<int> labels;
  for (std::size_t t = 0; t != path.size(); ++t)
    if ((t == 0 || path[t] != path[t - 1]) && path[t] != blank)
      labels.push_back(path[t]);
  return labels;
}

/// Over every path of `steps` classes.
double ctc(const Array &logs, std::int64_t n, std::int64_t steps,
           const std::vector<int> &labels, int blank) {
  const auto classes = static_cast<int>(logs.shape[2]);
  std::vector<int> path(steps);
  double probability = 0;
  for (;;) {
    if (collapsed(path, blank) == labels) {
      double log = 0;
      for (std::int64_t t = 0; t != steps; ++t)
        log += logs({t, n, path[t]});
      probability += std::exp(log);
    }
    std::size_t t = 0;
    while (t != path.size() && ++path[t] == classes)
      path[t++] = 0;
    if (t == path.size())
      return -std::log(probability);
  }
}

TEST(Losses, ConnectionistTemporalClassification) {
  Array logs = randomArray({5, 3, 4}, 83);
  for (std::int64_t row = 0; row != 15; ++row) {
    double sum = 0;
    for (int c = 0; c != 4; ++c)
      sum += std::exp(logs.values[4 * row + c]);
    for (int c = 0; c != 4; ++c)
      logs.values[4 * row + c] -= std::log(sum);
  }
  const Array targets{{3, 2}, {1, 1, 2, 3, 3, 0}};
  const Array steps{{3}, {5, 4, 2}}, lengths{{3}, {2, 2, 1}};
  const double a = ctc(logs, 0, 5, {1, 1}, 0), b = ctc(logs, 1, 4, {2, 3}, 0),
               c = ctc(logs, 2, 2, {3}, 0);
  for (const MachineOptions &machine : {MachineOptions{"cpu", "cpu"}, Ipu}) {
    auto loss = [&](std::vector<Attr> attributes) {
      return runGraphcore(
          "Ctc", {logs, {targets, Int32}, {steps, Int32}, {lengths, Int32}},
          attributes, machine);
    };
    expectClose(loss({{"reduction", "NoReduction"}}), {{3}, {a, b, c}});
    expectClose(loss({{"reduction", "Sum"}}), scalar(a + b + c));
    expectClose(loss({}), scalar((a / 2 + b / 2 + c) / 3));
  }
  // Another blank; and a sequence that is too short for its labels.
  auto single = [&](std::vector<Attr> attributes, double step) {
    attributes.emplace_back("reduction", "NoReduction");
    return runGraphcore("Ctc",
                        {logs,
                         {Array{{3, 2}, {1, 1, 1, 0, 0, 1}}, Int32},
                         {Array{{3}, {step, step, step}}, Int32},
                         {Array{{3}, {2, 2, 2}}, Int32}},
                        attributes);
  };
  expectClose(single({{"blank", 2}}, 4),
              {{3},
               {ctc(logs, 0, 4, {1, 1}, 2), ctc(logs, 1, 4, {1, 0}, 2),
                ctc(logs, 2, 4, {0, 1}, 2)}});
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(single({{"blank", 2}}, 1).values,
            (std::vector<double>{infinity, infinity, infinity}));
  EXPECT_EQ(single({{"blank", 2}, {"zeroInfinity", 1}}, 1).values,
            (std::vector<double>{0, 0, 0}));
}

TEST(Losses, RefuseWhatDoesNotFit) {
  const Array x = randomArray({3, 5}, 84);
  EXPECT_THROW(runGraphcore("L1", {x}, {{"reduction", "Median"}}), Error);
  EXPECT_THROW(runGraphcore("Nll", {x, {Array{{2}, {1, 2}}, Int32}}), Error);
  EXPECT_THROW(runGraphcore("Nll", {x, Array{{3}, {1, 2, 0}}}), Error);
}

} // namespace
} // namespace populus::popir::test
