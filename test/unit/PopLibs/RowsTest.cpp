// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on whole rows in one vertex: softmax, the likelihood of labels and
// its gradient. Compares results at any alignment with doubles, and cycles with
// the IPU Model's estimates.

#include "Harness.h"

#include <popnn/LogLikelihood.hpp>
#include <popnn/NonLinearity.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <cmath>

using namespace poplar;
using namespace test;
using popnn::LikelihoodBy;
using popnn::LikelihoodOf;

namespace {

/// The last one and the one before are no classes.
const Values Labels{2, 0, 6, 3, 7, -1};
constexpr std::size_t Rows = 6, Columns = 7;

Values softmaxOf(const Values &x, std::size_t columns) {
  Values result(x.size());
  for (std::size_t row = 0; row < x.size(); row += columns) {
    const double largest =
        *std::max_element(x.begin() + row, x.begin() + row + columns);
    double sum = 0;
    for (std::size_t i = 0; i != columns; ++i)
      sum += result[row + i] = std::exp(x[row + i] - largest);
    for (std::size_t i = 0; i != columns; ++i)
      result[row + i] /= sum;
  }
  return result;
}

bool isLabel(std::size_t row, std::size_t column) {
  return Labels[row] == static_cast<double>(column);
}

/// The sum over the row's classes that are its label.
template <class F> Values forRows(F loss) {
  Values result(Rows, 0);
  for (std::size_t r = 0; r != Rows; ++r)
    for (std::size_t c = 0; c != Columns; ++c)
      if (isLabel(r, c))
        result[r] = loss(r * Columns + c);
  return result;
}

} // namespace

POPLIBS_INSTANTIATE_ON("cpu", "model1", "model7", "ipu1", "ipu7");

static void expectSoftmax(const char *device, const Type &type,
                          std::size_t rows, std::size_t columns) {
  SCOPED_TRACE(std::string(type.toString()) + " " + std::to_string(rows) + "x" +
               std::to_string(columns));
  // Quarters are halves, too.
  Values x = randomValues(rows * columns, -4, 4);
  for (double &element : x)
    element = std::round(element * 4) / 4;
  x[0] = 200; // exp(x) is no float
  Program p(device);
  const Tensor t = p.input(type, {rows, columns}, x);
  const auto copied = p.output(popnn::nonLinearity(
      p.graph, popnn::NonLinearityType::SOFTMAX_STABLE, t, p.prog));
  popnn::nonLinearityInPlace(p.graph, popnn::NonLinearityType::SOFTMAX_STABLE,
                             t, p.prog);
  const auto inPlace = p.output(t);
  p.run();
  const double relative = type == HALF ? 4e-3 : 2e-6;
  const double absolute = type == HALF ? 1e-6 : 1e-7;
  expectNear(p.result(copied), softmaxOf(x, columns), relative, absolute);
  expectNear(p.result(inPlace), softmaxOf(x, columns), relative, absolute);
}

TEST_P(OnDevices, SoftmaxOfShortAndLongRows) {
  for (const auto &[rows, columns] :
       {std::pair{3, 1}, {5, 10}, {48, 6}, {40, 7}, {2, 49}, {1, 300}})
    for (const Type &type : {FLOAT, HALF})
      expectSoftmax(GetParam(), type, rows, columns);
}

TEST_P(OnDevices, LikelihoodOfLabels) {
  Values p = softmaxOf(randomValues(Rows * Columns, -3, 3), Columns);
  p[2] = 0; // of the first label
  const Values deltas = randomValues(Rows, -2, 2);
  Program program(GetParam());
  poplar::Graph &graph = program.graph;
  const Tensor in = program.input({Rows, Columns}, p);
  const Tensor labels = program.input(INT, {Rows}, Labels);
  const Tensor d = program.input({Rows}, deltas);
  const auto loss = [&](LikelihoodOf kind) {
    return popnn::negativeLogLikelihood(graph, in, labels, kind, program.prog);
  };
  const auto gradient = [&](LikelihoodBy kind) {
    return popnn::negativeLogLikelihoodGradient(graph, in, labels, d, kind,
                                                program.prog);
  };
  const Tensor ofP = loss(LikelihoodOf::PROBABILITIES);
  if (std::string(GetParam()) == "cpu") {
    EXPECT_FALSE(ofP.valid());
    return;
  }
  const auto losses = program.output(ofP),
             logLosses = program.output(loss(LikelihoodOf::LOGARITHMS)),
             byLogits = program.output(gradient(LikelihoodBy::LOGITS)),
             byLogs = program.output(gradient(LikelihoodBy::LOGARITHMS)),
             byP = program.output(gradient(LikelihoodBy::PROBABILITIES));
  program.run();
  expectNear(program.result(losses), forRows([&](std::size_t i) {
               return -std::log(std::max(p[i], 1e-7));
             }),
             2e-6, 1e-6);
  expectNear(program.result(logLosses),
             forRows([&](std::size_t i) { return -p[i]; }), 1e-6, 0);
  Values logits(p.size()), logs(p.size()), probabilities(p.size());
  for (std::size_t r = 0; r != Rows; ++r)
    for (std::size_t c = 0; c != Columns; ++c) {
      const std::size_t i = r * Columns + c;
      const double hit = isLabel(r, c);
      logits[i] = (p[i] - hit) * deltas[r];
      logs[i] = -hit * deltas[r];
      probabilities[i] = -hit * deltas[r] / std::max(p[i], 1e-10);
    }
  expectNear(program.result(byLogits), logits, 1e-6, 1e-7);
  expectNear(program.result(byLogs), logs, 1e-6, 0);
  expectNear(program.result(byP), probabilities, 1e-6, 0);
}

TEST(Rows, ThatDoNotSuit) {
  Program p("model1");
  const auto loss = [&](const Type &type, const Shape &shape,
                        const Type &labels, const Shape &labelShape) {
    const Tensor t = p.graph.addVariable(type, shape);
    const Tensor l = p.graph.addVariable(labels, labelShape);
    p.graph.setTileMapping(t, 0);
    p.graph.setTileMapping(l, 0);
    return popnn::negativeLogLikelihood(p.graph, t, l,
                                        LikelihoodOf::PROBABILITIES, p.prog);
  };
  EXPECT_TRUE(loss(FLOAT, {2, 3, 8}, INT, {2, 3}).valid());
  EXPECT_FALSE(loss(HALF, {6, 8}, INT, {6}).valid());
  EXPECT_FALSE(loss(FLOAT, {6, 49}, INT, {6}).valid());
  EXPECT_FALSE(loss(FLOAT, {42, 7}, INT, {42}).valid());
  EXPECT_THROW(loss(FLOAT, {6, 8}, INT, {5}), poputil::poplibs_error);
  EXPECT_THROW(loss(FLOAT, {6, 8}, UNSIGNED_INT, {6}), poputil::poplibs_error);
}

TEST(Rows, Estimates) {
  using Build = std::function<void(Program &, const Tensor &, const Tensor &,
                                   const Tensor &)>;
  const std::vector<std::pair<const char *, Build>> cases = {
      {"softmax",
       [](Program &p, const Tensor &x, const Tensor &, const Tensor &) {
         popnn::nonLinearityInPlace(
             p.graph, popnn::NonLinearityType::SOFTMAX_STABLE, x, p.prog);
       }},
      {"softmax of halves",
       [](Program &p, const Tensor &x, const Tensor &, const Tensor &) {
         const Tensor halves =
             p.input(HALF, x.shape(), randomValues(x.numElements(), 0.01, 1));
         popnn::nonLinearityInPlace(
             p.graph, popnn::NonLinearityType::SOFTMAX_STABLE, halves, p.prog);
       }},
      {"loss",
       [](Program &p, const Tensor &x, const Tensor &labels, const Tensor &) {
         popnn::negativeLogLikelihood(p.graph, x, labels,
                                      LikelihoodOf::PROBABILITIES, p.prog);
       }},
      {"by logits",
       [](Program &p, const Tensor &x, const Tensor &labels, const Tensor &d) {
         popnn::negativeLogLikelihoodGradient(p.graph, x, labels, d,
                                              LikelihoodBy::LOGITS, p.prog);
       }},
      {"by logarithms",
       [](Program &p, const Tensor &x, const Tensor &labels, const Tensor &d) {
         popnn::negativeLogLikelihoodGradient(p.graph, x, labels, d,
                                              LikelihoodBy::LOGARITHMS, p.prog);
       }},
      {"by probabilities",
       [](Program &p, const Tensor &x, const Tensor &labels, const Tensor &d) {
         popnn::negativeLogLikelihoodGradient(
             p.graph, x, labels, d, LikelihoodBy::PROBABILITIES, p.prog);
       }}};
  for (const auto &[name, build] : cases)
    for (const auto &[rows, columns] :
         {std::pair<std::size_t, std::size_t>{6, 48}, {6, 10}, {24, 10}}) {
      const auto cyclesOn = [&, rows = rows, columns = columns,
                             &build = build](const char *device) {
        Program p(device);
        const Tensor x =
            p.input({rows, columns}, randomValues(rows * columns, 0.01, 0.9));
        const Tensor labels = p.input(INT, {rows}, Values(rows, 2));
        const Tensor d = p.input({rows}, Values(rows, 0.5));
        build(p, x, labels, d);
        return static_cast<double>(p.cycles());
      };
      const double exact = cyclesOn("ipu1"), estimate = cyclesOn("model1");
      EXPECT_NEAR(estimate / exact, 1, 0.15)
          << name << " " << rows << "x" << columns << ": " << exact
          << " cycles, estimated " << estimate;
    }
}
