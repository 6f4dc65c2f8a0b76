// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SVMRegressor: a weighted sum of kernel(row, v) over the support vectors v,
// which are constants; without support vectors, kernel(row, coefficients).
// ZipMap.

#include "lib/PopART/Import/Decompositions/MlScores.h"

#include <fmt/format.h>

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

/// Represents each row's map from labels to scores by the row itself: its
/// columns are in the order of the labels.
std::vector<Value *> zipMap(Expansion &e) {
  return {&e.op("Identity", {&e.input(0)})};
}

const RegisterDecomposition decompositions[] = {
    {"SVMRegressor", {1}, svmRegressor, Domain},
    {"ZipMap", {1}, zipMap, Domain}};

} // namespace

} // namespace populus::popir
