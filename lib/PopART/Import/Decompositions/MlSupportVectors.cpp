// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SVMRegressor: a weighted sum of kernel(row, v) over the support vectors v,
// which are constants; without support vectors, kernel(row, coefficients).
// ZipMap.
//
// SVMClassifier has such a sum for each pair of classes. Every pair votes for
// one of its two classes. With prob_a and prob_b the sums become probabilities
// of pairs, r(i, j) for i against j, and those the probabilities p of classes,
// by the iteration of libsvm: scikit-learn and ONNX Runtime end it at the same
// inexact solution. Example: for classes 0, 1 and 2 the pairs are (0, 1), (0,
// 2) and (1, 2).

#include "lib/PopART/Import/Decompositions/MlScores.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace populus::popir {

namespace {

using namespace ml;

/// The kernel of rows [rows, features] and vectors [vectors, features]: [rows,
/// vectors].
Value &kernelOf(Expansion &e, Value &x, Value &vectors,
                const std::string &kernel) {
  const std::vector<float> given = e.attributes().getFloats("kernel_params");
  auto parameter = [&](std::size_t i) {
    return i < given.size() ? static_cast<double>(given[i]) : 0;
  };
  const double gamma = parameter(0), shift = parameter(1),
               degree = parameter(2);
  Value &products = e.matMul(x, e.transpose(vectors, {1, 0}));
  if (kernel == "LINEAR")
    return products;
  if (kernel == "POLY")
    return e.op("Pow", {&e.add(e.mul(products, gamma), shift),
                        &e.scalar(Number, degree)});
  if (kernel == "SIGMOID")
    return e.op("Tanh", {&e.add(e.mul(products, gamma), shift)});
  if (kernel != "RBF")
    e.failInput(fmt::format("kernel_type \"{}\" does not exist", kernel));
  // Subtract before squaring: differences of squares would cancel.
  Value &apart = e.sub(e.unsqueeze(x, {1}), e.unsqueeze(vectors, {0}));
  Value &distance =
      e.reshape(e.reduce("ReduceSumSquare", apart, {2}), products.info.shape);
  return e.op("Exp", {&e.mul(distance, -gamma)});
}

std::vector<Value *> svmRegressor(Expansion &e) {
  Value &x = rowsOf(e);
  const std::int64_t features = x.info.shape[1];
  const std::int64_t supports = e.attributes().getInt("n_supports", 0);
  const std::vector<double> coefficients = numbersOf(e, "coefficients");
  const std::vector<double> rho = numbersOf(e, "rho");
  const std::vector<double> vectors = numbersOf(e, "support_vectors");
  const auto count = static_cast<std::int64_t>(coefficients.size());
  const bool hasVectors = supports > 0;
  if (rho.empty() || count != (hasVectors ? supports : features) ||
      (hasVectors &&
       static_cast<std::int64_t>(vectors.size()) != supports * features))
    e.failInput(fmt::format("it has {} coefficients and {} numbers of support "
                            "vectors for {} vectors and {} features",
                            count, vectors.size(), supports, features));
  const std::string kernel = e.attributes().getString("kernel_type", "LINEAR");
  Value *known = &x;
  if (hasVectors)
    known = &kernelOf(e, x, table(e, {supports, features}, vectors), kernel);
  Value *score =
      &e.add(e.matMul(*known, table(e, {count, 1}, coefficients)), rho.front());
  if (e.attributes().getInt("one_class", 0) != 0) {
    Value &isInside = e.op("Greater", {score, &e.scalar(Number, 0)});
    score = &e.select(isInside, e.scalar(Number, 1), e.scalar(Number, -1));
  }
  return {&e.cast(transformed(e, *score, transformOf(e)), DataType::Float)};
}

/// An SVMClassifier with support vectors.
class PairwiseClassifier {
public:
  explicit PairwiseClassifier(Expansion &e)
      : e(e), labels(labelsOf(e, "classlabels_ints")),
        classes(std::ssize(labels)),
        perClass(e.attributes().getInts("vectors_per_class")),
        transform(transformOf(e)) {
    for (std::int64_t i = 0; i < classes; ++i)
      for (std::int64_t j = i + 1; j < classes; ++j)
        pairs.emplace_back(i, j);
  }

  std::vector<Value *> run() {
    Value &sums = sumsOfPairs();
    Value &label = likeliest(e, votes(sums), labels);
    const bool isProbability = !numbersOf(e, "prob_a").empty();
    Value &scores =
        isProbability       ? transformed(e, probabilities(sums), transform)
        : pairs.size() == 1 ? ofSecond(e, sums, transform != "NONE", transform)
                            : transformed(e, sums, transform);
    return {&label, &e.cast(scores, DataType::Float)};
  }

private:
  /// A constant with a row for each pair, filled by `fill(row, i, j)`.
  template <typename Fill> Value &perPair(std::int64_t columns, Fill fill) {
    std::vector<double> numbers(pairs.size() * columns);
    for (std::size_t pair = 0; pair != pairs.size(); ++pair)
      fill(numbers.data() + pair * columns, pairs[pair].first,
           pairs[pair].second);
    return table(e, {std::ssize(pairs), columns}, numbers);
  }

  /// A list with a number for each pair, as a row.
  Value &listOfPairs(const char *name) {
    const std::vector<double> numbers = numbersOf(e, name);
    if (numbers.size() != pairs.size())
      e.failInput(fmt::format("it has {} numbers '{}' for {} pairs of classes",
                              numbers.size(), name, pairs.size()));
    return table(e, {1, std::ssize(pairs)}, numbers);
  }

  /// The sum of each pair: [rows, pairs].
  Value &sumsOfPairs() {
    Value &x = rowsOf(e);
    std::vector<std::int64_t> first = {0};
    for (std::int64_t count : perClass)
      first.push_back(first.back() + count);
    const std::int64_t supports = first.back();
    const std::int64_t features = x.info.shape[1];
    const std::vector<double> vectors = numbersOf(e, "support_vectors");
    const std::vector<double> factors = numbersOf(e, "coefficients");
    if (classes < 2 || std::ssize(perClass) != classes ||
        *std::ranges::min_element(perClass) < 0 ||
        std::ssize(vectors) != supports * features ||
        std::ssize(factors) != supports * (classes - 1))
      e.failInput(fmt::format(
          "it has {} coefficients and {} numbers of support vectors for {} "
          "vectors, {} features and {} classes",
          factors.size(), vectors.size(), supports, features, classes));
    Value &known = kernelOf(e, x, table(e, {supports, features}, vectors),
                            e.attributes().getString("kernel_type", "LINEAR"));
    // A vector of class i has a coefficient for each other class, in order.
    Value &weights =
        perPair(supports, [&](double *row, std::int64_t i, std::int64_t j) {
          for (std::int64_t v = first[i]; v != first[i + 1]; ++v)
            row[v] = factors[(j - 1) * supports + v];
          for (std::int64_t v = first[j]; v != first[j + 1]; ++v)
            row[v] = factors[i * supports + v];
        });
    return e.add(e.matMul(known, e.transpose(weights, {1, 0})),
                 listOfPairs("rho"));
  }

  /// The number of pairs that each class wins, less a constant of the class:
  /// [rows, classes].
  Value &votes(Value &sums) {
    Value &isFirst =
        e.cast(e.op("Greater", {&sums, &e.scalar(Number, 0)}), Number);
    Value &gains =
        perPair(classes, [](double *row, std::int64_t i, std::int64_t j) {
          row[i] = 1;
          row[j] = -1;
        });
    std::vector<double> least(classes);
    std::iota(least.begin(), least.end(), 0.0); // lost pairs of larger classes
    return e.add(e.matMul(isFirst, gains), table(e, {1, classes}, least));
  }

  /// r(i, j), with zeros for i = j: [rows, classes, classes].
  Value &ofPairs(Value &sums) {
    Value &exponent =
        e.add(e.mul(sums, listOfPairs("prob_a")), listOfPairs("prob_b"));
    Value &first =
        e.op("Clip", {&e.op("Sigmoid", {&e.neg(exponent)}),
                      &e.scalar(Number, 1e-7), &e.scalar(Number, 1 - 1e-7)});
    const std::int64_t rows = sums.info.shape[0];
    const std::int64_t count = std::ssize(pairs);
    Value &all = e.concat({&first, &e.from(1, first),
                           &e.constant(HostTensor({Number, {rows, 1}}))},
                          1);
    std::vector<std::int64_t> places(classes * classes, 2 * count);
    for (std::int64_t pair = 0; pair != count; ++pair) {
      const auto [i, j] = pairs[pair];
      places[i * classes + j] = pair;
      places[j * classes + i] = count + pair;
    }
    return e.reshape(
        e.op("Gather", {&all, &e.ints(places)}, {{"axis", std::int64_t(1)}}),
        {rows, classes, classes});
  }

  /// p minimises the sum of (r(j, i) p(i) - r(i, j) p(j))^2, which is p' Q p.
  Value &probabilities(Value &sums) {
    Value &r = ofPairs(sums);
    const std::int64_t rows = sums.info.shape[0];
    Value &own = e.reshape(e.reduce("ReduceSumSquare", r, {1}),
                           {rows, classes}); // Q's diagonal
    std::vector<double> one(classes * classes), turn(classes);
    for (std::int64_t i = 0; i != classes; ++i)
      one[i * classes + i] = 1;
    turn[0] = 1;
    Value &q = e.sub(
        e.mul(e.unsqueeze(own, {2}), table(e, {1, classes, classes}, one)),
        e.mul(r, e.transpose(r, {0, 2, 1})));
    Value &start =
        e.expand(e.scalar(Number, 1 / double(classes)), {rows, classes});
    Value &none = e.constant(HostTensor({Number, {rows, 1}}));
    const std::int64_t most = std::max<std::int64_t>(100, classes) * classes;
    return *e.loop(
        most, {&start, &none, &table(e, {1, classes}, turn)}, {&q, &own},
        [&](OpBuilder &b, const auto &now, const auto &fixed) {
          return improved(b, *now[0], *now[1], *now[2], *fixed[0], *fixed[1]);
        })[0];
  }

  /// One step: improves p(t), and scales all to the sum 1. `turn` is 1 at t.
  /// A row is done if Qp is nearly the same for all classes, seen before
  /// each round of classes.
  std::vector<Value *> improved(OpBuilder &b, Value &p, Value &done,
                                Value &turn, Value &q, Value &own) const {
    const Shape shape = p.info.shape;
    const std::int64_t rows = shape[0];
    Value &qp = b.reshape(
        b.reduce("ReduceSum", b.mul(q, b.unsqueeze(p, {1})), {2}), shape);
    Value &pqp = b.reduce("ReduceSum", b.mul(p, qp), {1});
    Value &error = b.reduce("ReduceMax", b.op("Abs", {&b.sub(qp, pqp)}), {1});
    Value &isGood = b.cast(
        b.op("Less", {&error, &b.scalar(Number, 0.005 / double(classes))}),
        Number);
    Value &doneNow =
        b.op("Max", {&done, &b.mul(isGood, b.slice(turn, 1, 0, 1))});
    const auto here = [&](Value &x) -> Value & {
      return b.reduce("ReduceSum", b.mul(x, turn), {1});
    };
    Value &step = b.div(b.sub(pqp, here(qp)), here(own));
    Value &next = b.div(b.add(p, b.mul(step, turn)), b.add(step, 1));
    Value &isDone = b.op("Greater", {&doneNow, &b.scalar(Number, 0.5)});
    Value &following = b.concat({&b.slice(turn, 1, classes - 1, classes),
                                 &b.slice(turn, 1, 0, classes - 1)},
                                1);
    Value &goesOn = b.op("Less", {&b.reduceAll("ReduceSum", doneNow),
                                  &b.scalar(Number, double(rows) - 0.5)});
    return {&goesOn, &b.select(isDone, p, next), &doneNow, &following};
  }

  Expansion &e;
  std::vector<std::int64_t> labels;
  std::int64_t classes;
  std::vector<std::int64_t> perClass;
  std::string transform;
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
};

/// Without support vectors, a score of each class.
std::vector<Value *> linearScores(Expansion &e) {
  const std::vector<std::int64_t> labels = labelsOf(e, "classlabels_ints");
  Value &x = rowsOf(e);
  const std::int64_t features = x.info.shape[1];
  const std::vector<double> factors = numbersOf(e, "coefficients");
  const std::vector<double> rho = numbersOf(e, "rho");
  const std::int64_t classes = std::ssize(labels);
  if (classes == 2)
    e.failUnsupported("it has two classes and no support vectors, for which "
                      "evaluators give different labels; use a "
                      "LinearClassifier");
  if (classes < 2 || rho.empty() || std::ssize(factors) != classes * features)
    e.failInput(fmt::format("it has {} coefficients for {} features and {} "
                            "classes",
                            factors.size(), features, classes));
  Value &weights = e.transpose(table(e, {classes, features}, factors), {1, 0});
  Value &scores = e.add(e.matMul(x, weights), rho.front());
  return {&likeliest(e, scores, labels),
          &e.cast(transformed(e, scores, transformOf(e)), DataType::Float)};
}

std::vector<Value *> svmClassifier(Expansion &e) {
  const auto perClass = e.attributes().getInts("vectors_per_class");
  const bool hasVectors =
      std::ranges::any_of(perClass, [](std::int64_t n) { return n != 0; });
  return hasVectors ? PairwiseClassifier(e).run() : linearScores(e);
}

/// Represents each row's map from labels to scores by the row itself: its
/// columns are in the order of the labels.
std::vector<Value *> zipMap(Expansion &e) {
  return {&e.op("Identity", {&e.input(0)})};
}

const RegisterDecomposition decompositions[] = {
    {"SVMRegressor", {1}, svmRegressor, Domain},
    {"SVMClassifier", {1}, svmClassifier, Domain},
    {"ZipMap", {1}, zipMap, Domain}};

} // namespace

} // namespace populus::popir
