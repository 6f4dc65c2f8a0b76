// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LinearRegressor and LinearClassifier: a product with constant coefficients.

#include "lib/PopART/Import/Decompositions/MlScores.h"

#include <fmt/format.h>

namespace populus::popir {

namespace {

using namespace ml;

/// Rows times the coefficients of so many targets, plus the intercepts.
Value &products(Expansion &e, std::int64_t targets) {
  Value &x = rowsOf(e);
  const std::int64_t features = x.info.shape[1];
  const std::vector<double> coefficients = numbersOf(e, "coefficients");
  const std::vector<double> intercepts = numbersOf(e, "intercepts");
  const auto count = static_cast<std::int64_t>(coefficients.size());
  if (targets < 1 || count != targets * features)
    e.failInput(fmt::format("it has {} coefficients for {} targets of {} "
                            "features",
                            count, targets, features));
  Value &product = e.matMul(
      x, e.transpose(table(e, {targets, features}, coefficients), {1, 0}));
  if (intercepts.empty())
    return product;
  const auto added = static_cast<std::int64_t>(intercepts.size());
  if (added != targets)
    e.failInput(
        fmt::format("it has {} intercepts for {} targets", added, targets));
  return e.add(product, table(e, {1, targets}, intercepts));
}

std::vector<Value *> linearRegressor(Expansion &e) {
  Value &scores = products(e, e.attributes().getInt("targets", 1));
  return {&e.cast(transformed(e, scores, transformOf(e)), DataType::Float)};
}

/// Two classes may have one row of coefficients, the score of the second.
std::vector<Value *> linearClassifier(Expansion &e) {
  const std::vector<std::int64_t> labels = labelsOf(e, "classlabels_ints");
  const std::int64_t features = rowsOf(e).info.shape[1];
  const std::size_t given = numbersOf(e, "coefficients").size();
  const std::int64_t targets =
      features == 0 ? 0 : static_cast<std::int64_t>(given) / features;
  const auto classes = static_cast<std::int64_t>(labels.size());
  if (classes < 2 || (targets != classes && (targets != 1 || classes != 2)))
    e.failInput(fmt::format("it has {} coefficients for {} features and {} "
                            "classes",
                            given, features, classes));
  const std::string transform = transformOf(e);
  Value &scores = products(e, targets);
  if (targets != 1)
    return {&likeliest(e, scores, labels),
            &e.cast(transformed(e, scores, transform), DataType::Float)};
  Value &isSecond = e.op("Greater", {&scores, &e.scalar(Number, 0)});
  return {&oneOfTwo(e, isSecond, labels),
          &e.cast(ofSecond(e, scores, true, transform), DataType::Float)};
}

const RegisterDecomposition decompositions[] = {
    {"LinearRegressor", {1}, linearRegressor, Domain},
    {"LinearClassifier", {1}, linearClassifier, Domain}};

} // namespace

} // namespace populus::popir
