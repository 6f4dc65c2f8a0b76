// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FlexAttention: softmax(Q K') V, where two bodies of the node may change the
// scores before the softmax (score_mod) and the probabilities behind it
// (prob_mod). Bodies compute in the type of the softmax.

#include "lib/PopART/Import/Decomposition.h"

#include <fmt/format.h>

#include <cmath>

namespace populus::popir {

namespace {

enum Input : std::size_t { Queries, Keys, Values };

void checkShapes(const Expansion &e) {
  const Shape &q = e.shape(Queries), &k = e.shape(Keys), &v = e.shape(Values);
  const bool fit = q.size() == 4 && k.size() == 4 && v.size() == 4 &&
                   q[0] == k[0] && q[0] == v[0] && k[1] == v[1] &&
                   k[2] == v[2] && q[3] == k[3] && k[1] > 0 && q[1] % k[1] == 0;
  if (!fit)
    e.failInput(fmt::format("queries {}, keys {} and values {} do not go "
                            "together",
                            toString(q), toString(k), toString(v)));
}

/// Repeats each head for the query heads that share it.
Value &repeated(Expansion &e, Value &x) {
  const Shape s = x.info.shape;
  const std::int64_t times = e.shape(Queries)[1] / s[1];
  if (times == 1)
    return x;
  Value &wide = e.expand(e.unsqueeze(x, {2}), {s[0], s[1], times, s[2], s[3]});
  return e.reshape(wide, {s[0], s[1] * times, s[2], s[3]});
}

DataType softmaxType(const Expansion &e) {
  const std::int64_t number = e.attributes().getInt("softmax_precision", 0);
  if (number == 0)
    return e.type(Queries) == DataType::Double ? DataType::Double
                                               : DataType::Float;
  const std::optional<DataType> type = fromOnnx(static_cast<int>(number));
  if (!type || !isFloatingPoint(*type))
    e.failInput(fmt::format("its softmax_precision {} is no floating point "
                            "type",
                            number));
  return *type;
}

/// Q K'. Both are scaled by the root of the scale, to avoid overflow.
Value &scores(Expansion &e) {
  const auto size = static_cast<float>(e.shape(Queries)[3]);
  const float scale = e.attributes().has("scale")
                          ? e.attributes().getFloat("scale", 1)
                          : 1 / std::sqrt(size);
  if (!(scale >= 0))
    e.failInput(fmt::format("its scale {} has no root", scale));
  const double root = std::sqrt(scale);
  Value &turned = e.transpose(repeated(e, e.input(Keys)), {0, 1, 3, 2});
  return e.matMul(e.mul(e.input(Queries), root), e.mul(turned, root));
}

/// The result of a body; `x` if the node does not have it.
Value &modified(Expansion &e, const std::string &attribute, Value &x) {
  const std::vector<Value *> results = e.body(attribute, {&x});
  if (results.empty())
    return x;
  if (results.size() != 1 || results[0]->info != x.info)
    e.failInput(fmt::format("its {} has to return one tensor {}, as it gets",
                            attribute, toString(x.info)));
  return *results[0];
}

std::vector<Value *> flexAttention(Expansion &e) {
  checkShapes(e);
  Value &given = e.cast(scores(e), softmaxType(e));
  Value &seen = modified(e, "score_mod", given);
  Value &weights = e.op("Softmax", {&seen}, {{"axis", std::int64_t(-1)}});
  Value &chosen = modified(e, "prob_mod", weights);
  Value &values = repeated(e, e.input(Values));
  return {&e.matMul(e.cast(chosen, values.info.type), values)};
}

const RegisterDecomposition decompositions[] = {
    {"FlexAttention", {1}, flexAttention, "ai.onnx.preview"}};

} // namespace

} // namespace populus::popir
