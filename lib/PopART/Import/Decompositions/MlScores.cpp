// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scores and labels of ai.onnx.ml.

#include "lib/PopART/Import/Decompositions/MlScores.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace populus::popir::ml {

namespace {

/// A softmax that maps zero scores to zero.
Value &softmaxOfOthers(Expansion &e, Value &scores) {
  Value &most = e.reduce("ReduceMax", scores, {1});
  Value &isZero =
      e.op("LessOrEqual", {&e.op("Abs", {&scores}), &e.scalar(Number, 1e-7)});
  Value &powers = e.op("Exp", {&e.sub(scores, most)});
  Value &small = e.mul(scores, e.op("Exp", {&e.neg(most)}));
  Value &parts = e.select(isZero, small, powers);
  Value &sum = e.reduce("ReduceSum", parts, {1});
  Value &isEmpty = e.op("Equal", {&sum, &e.scalar(Number, 0)});
  Value &quotient = e.div(parts, e.select(isEmpty, e.scalar(Number, 1), sum));
  return e.select(isEmpty, e.scalar(Number, 0.5), quotient);
}

/// sqrt(2) * erfinv(2 * x - 1) by Winitzki's formula, as in ONNX Runtime.
Value &probit(Expansion &e, Value &scores) {
  constexpr double A = 0.147;
  Value &x = e.add(e.mul(scores, 2), -1);
  Value &rest = e.mul(e.from(1, x), e.add(x, 1));
  Value &log = e.op("Log", {&rest});
  Value &half = e.add(e.mul(log, 0.5), 2 / (std::numbers::pi * A));
  Value &root = e.sqrt(e.sub(e.square(half), e.mul(log, 1 / A)));
  Value &size = e.sqrt(e.sub(root, half));
  Value &isEnd = e.op("Equal", {&rest, &e.scalar(Number, 0)});
  Value &inverse =
      e.select(isEnd, e.scalar(Number, 0), e.mul(size, e.op("Sign", {&x})));
  return e.mul(inverse, 1.41421356);
}

} // namespace

Value &rowsOf(Expansion &e, std::size_t index) {
  Value &x = e.input(index);
  if (x.info.rank() < 1 || x.info.rank() > 2)
    e.failInput(fmt::format("its input {} is not [rows, features]",
                            toString(x.info.shape)));
  Value &numbers = e.cast(x, Number);
  return x.info.rank() == 2 ? numbers
                            : e.reshape(numbers, {1, x.info.shape[0]});
}

std::vector<double> numbersOf(const Expansion &e, const std::string &name) {
  if (const auto tensor = e.attributes().getTensor(name + "_as_tensor"))
    return tensor->toDoubles();
  const std::vector<float> values = e.attributes().getFloats(name);
  return {values.begin(), values.end()};
}

Value &table(Expansion &e, const Shape &shape,
             const std::vector<double> &values) {
  HostTensor tensor({Number, shape});
  std::copy(values.begin(), values.end(), tensor.as<double>().begin());
  return e.constant(std::move(tensor));
}

std::string transformOf(const Expansion &e) {
  const std::string transform =
      e.attributes().getString("post_transform", "NONE");
  for (const char *known :
       {"NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT"})
    if (transform == known)
      return transform;
  e.failInput(fmt::format("post_transform \"{}\" does not exist", transform));
}

Value &transformed(Expansion &e, Value &scores, const std::string &transform) {
  if (transform == "LOGISTIC")
    return e.op("Sigmoid", {&scores});
  if (transform == "SOFTMAX")
    return e.op("Softmax", {&scores}, {{"axis", std::int64_t(1)}});
  if (transform == "SOFTMAX_ZERO")
    return softmaxOfOthers(e, scores);
  return transform == "PROBIT" ? probit(e, scores) : scores;
}

std::vector<std::int64_t> labelsOf(const Expansion &e,
                                   const std::string &name) {
  if (!e.attributes().getStrings("classlabels_strings").empty())
    e.failUnsupported("its class labels are strings (classlabels_strings), "
                      "which no tensor of the device holds; train the model "
                      "with the numbers of the classes as labels");
  return e.attributes().getInts(name);
}

Value &likeliest(Expansion &e, Value &scores,
                 const std::vector<std::int64_t> &labels) {
  Value &places =
      e.op("ArgMax", {&scores},
           {{"axis", std::int64_t(1)}, {"keepdims", std::int64_t(0)}});
  return e.op("Gather", {&e.ints(labels), &places},
              {{"axis", std::int64_t(0)}});
}

Value &ofSecond(Expansion &e, Value &score, bool isProbability,
                const std::string &transform) {
  if (transform == "PROBIT")
    e.failUnsupported("post_transform PROBIT of one score for two classes is "
                      "not supported; give each class a score");
  if (transform == "LOGISTIC")
    return transformed(e, e.concat({&e.neg(score), &score}, 1), transform);
  Value &first = isProbability ? e.from(1, score) : e.neg(score);
  return e.concat({&first, &score}, 1);
}

Value &oneOfTwo(Expansion &e, Value &condition,
                const std::vector<std::int64_t> &labels) {
  Value &label = e.select(condition, e.ints({labels[1]}), e.ints({labels[0]}));
  return e.reshape(label, {condition.info.shape[0]});
}

} // namespace populus::popir::ml
