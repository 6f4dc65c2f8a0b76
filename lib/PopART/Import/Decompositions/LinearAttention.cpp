// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of models with a state instead of a cache. LinearAttention has one
// matrix per head, to which every token adds. CausalConvWithState is a
// convolution along time of each channel separately.

#include "lib/PopART/Import/Decomposition.h"

#include <fmt/format.h>

#include <cmath>

namespace populus::popir {

namespace {

/// Unrolls the tokens: each depends on the state after the previous one.
class Recurrence {
public:
  explicit Recurrence(Expansion &e)
      : e(e), rule(e.attributes().getString("update_rule", "gated_delta")),
        heads(e.attributes().getInt("kv_num_heads", 0)),
        queryHeads(e.attributes().getInt("q_num_heads", 0)) {
    if (rule != "linear" && rule != "gated" && rule != "delta" &&
        rule != "gated_delta")
      e.failInput(fmt::format("update_rule \"{}\" does not exist", rule));
    checkShapes();
    check(Decay, isGated());
    check(Beta, isDelta());
  }

  std::vector<Value *> run() {
    state = &firstState();
    std::vector<Value *> tokens;
    for (std::int64_t t = 0; t != length(); ++t)
      tokens.push_back(&token(t));
    const Shape whole = {batch(), length(), queryHeads * valueSize()};
    Value &all = tokens.empty() ? e.constant(HostTensor({e.type(Query), whole}))
                                : e.cast(e.concat(tokens, 1), e.type(Query));
    const DataType type = e.hasInput(Past) ? e.type(Past) : e.type(Query);
    return {&all, &e.cast(*state, type)};
  }

private:
  enum Input : std::size_t { Query, Key, Values, Past, Decay, Beta };

  bool isGated() const { return rule == "gated" || rule == "gated_delta"; }
  bool isDelta() const { return rule == "delta" || rule == "gated_delta"; }
  std::int64_t batch() const { return e.shape(Query)[0]; }
  std::int64_t length() const { return e.shape(Query)[1]; }
  std::int64_t keySize() const { return e.shape(Query)[2] / queryHeads; }
  std::int64_t valueSize() const { return e.shape(Values)[2] / heads; }

  void checkShapes() const {
    const Shape &q = e.shape(Query), &k = e.shape(Key), &v = e.shape(Values);
    const bool fit = heads > 0 && queryHeads > 0 && queryHeads % heads == 0 &&
                     q.size() == 3 && k.size() == 3 && v.size() == 3 &&
                     q[2] % queryHeads == 0 && v[2] % heads == 0 &&
                     k == Shape{q[0], q[1], q[2] / queryHeads * heads} &&
                     v[0] == q[0] && v[1] == q[1];
    if (!fit)
      e.failInput(fmt::format("queries {} of {} heads, and keys {} and values "
                              "{} of {} heads do not go together",
                              toString(q), queryHeads, toString(k), toString(v),
                              heads));
  }

  void check(Input index, bool isWanted) const {
    const char *name = index == Decay ? "decay" : "beta";
    if (e.hasInput(index) != isWanted)
      e.failInput(fmt::format("update_rule \"{}\" {} an input {}", rule,
                              isWanted ? "needs" : "has not", name));
    if (!isWanted)
      return;
    const Shape &shape = e.shape(index);
    const std::int64_t last = shape.empty() ? 0 : shape.back();
    const bool fits =
        shape == Shape{batch(), length(), last} &&
        (last == heads ||
         (index == Decay ? last == heads * keySize() : last == 1));
    if (!fits)
      e.failInput(fmt::format("its {} {} does not go with {} heads", name,
                              toString(shape), heads));
  }

  Value &firstState() {
    const Shape shape = {batch(), heads, keySize(), valueSize()};
    if (!e.hasInput(Past))
      return e.constant(HostTensor({DataType::Float, shape}));
    if (e.shape(Past) != shape)
      e.failInput(fmt::format("its past_state {} has to be {}",
                              toString(e.shape(Past)), toString(shape)));
    return e.cast(e.input(Past), DataType::Float);
  }

  /// The part of an input for token \p t, as a row or column of each head.
  Value &of(Input index, std::int64_t t, std::int64_t count, bool isColumn) {
    Value &part = e.cast(e.slice(e.input(index), 1, t, t + 1), DataType::Float);
    const std::int64_t size = e.shape(index)[2] / count;
    return e.reshape(part, isColumn ? Shape{batch(), count, size, 1}
                                    : Shape{batch(), count, 1, size});
  }

  /// The result of a token, [batch, 1, heads * size]; updates the state.
  Value &token(std::int64_t t) {
    if (isGated())
      state = &e.mul(*state, e.op("Exp", {&of(Decay, t, heads, true)}));
    Value *added = &of(Values, t, heads, false);
    if (isDelta()) {
      Value &known = e.matMul(of(Key, t, heads, false), *state);
      added = &e.mul(of(Beta, t, e.shape(Beta)[2], true), e.sub(*added, known));
    }
    state = &e.add(*state, e.matMul(of(Key, t, heads, true), *added));
    // Query heads that share a state are rows of one product.
    const std::int64_t sharing = queryHeads / heads;
    Value &query = e.reshape(of(Query, t, queryHeads, false),
                             {batch(), heads, sharing, keySize()});
    return e.reshape(e.mul(e.matMul(query, *state), scale()),
                     {batch(), 1, queryHeads * valueSize()});
  }

  double scale() const {
    const double given = e.attributes().getFloat("scale", 0);
    return given != 0 ? given : 1 / std::sqrt(static_cast<double>(keySize()));
  }

  Expansion &e;
  std::string rule;
  std::int64_t heads, queryHeads;
  Value *state = nullptr;
};

std::vector<Value *> linearAttention(Expansion &e) {
  return Recurrence(e).run();
}

/// CausalConvWithState: the state holds the inputs before the first position.
std::vector<Value *> causalConv(Expansion &e) {
  enum Input : std::size_t { Data, Weight, Bias, Past };
  const Shape x = e.shape(Data), w = e.shape(Weight);
  if (x.size() != 3 || w.size() != 3 || w[0] != x[1] || w[1] != 1 || w[2] < 1)
    e.failInput(fmt::format("its input {} and weight {} do not go together",
                            toString(x), toString(w)));
  const Shape before = {x[0], x[1], w[2] - 1};
  if (e.hasInput(Past) && e.shape(Past) != before)
    e.failInput(fmt::format("its past_state {} has to be {}",
                            toString(e.shape(Past)), toString(before)));
  Value &past = e.hasInput(Past)
                    ? e.input(Past)
                    : e.constant(HostTensor({e.type(Data), before}));
  Value &all = w[2] == 1 ? e.input(Data) : e.concat({&past, &e.input(Data)}, 2);
  std::vector<Value *> operands = {&all, &e.input(Weight)};
  if (e.hasInput(Bias))
    operands.push_back(&e.input(Bias));
  Value &sums = e.op("Conv", operands, {{"group", x[1]}});
  const std::string activation = e.attributes().getString("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish")
    e.failInput(fmt::format("activation \"{}\" does not exist", activation));
  Value &result =
      activation == "none" ? sums : e.mul(sums, e.op("Sigmoid", {&sums}));
  return {&result, &e.slice(all, 2, x[2], x[2] + w[2] - 1)};
}

const RegisterDecomposition decompositions[] = {
    {"LinearAttention", {27}, linearAttention},
    {"CausalConvWithState", {27}, causalConv}};

} // namespace

} // namespace populus::popir
