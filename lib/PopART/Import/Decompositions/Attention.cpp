// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention, and its companions RotaryEmbedding and TensorScatter. Attention is
// softmax(Q K') V. A boolean tensor selects the keys that a query sees, from
// causality, windows, lengths and the mask; it is a constant as far as these
// are. A query that sees no key has the result 0.

#include "lib/PopART/Import/Decomposition.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace populus::popir {

namespace {

/// Rearranges [batch, sequence, heads * size] to [batch, heads, sequence,
/// size].
Value &withHeads(Expansion &e, Value &x, const char *attribute) {
  if (x.info.rank() == 4)
    return x;
  const std::int64_t heads = e.attributes().getInt(attribute, 0);
  const Shape &shape = x.info.shape;
  if (shape.size() != 3 || heads < 1 || shape[2] % heads != 0)
    e.failInput(fmt::format("its input {} cannot be divided into {} heads "
                            "({})",
                            toString(shape), heads, attribute));
  Value &parts = e.reshape(x, {shape[0], shape[1], heads, shape[2] / heads});
  return e.transpose(parts, {0, 2, 1, 3});
}

class AttentionExpansion {
public:
  explicit AttentionExpansion(Expansion &e)
      : e(e), is3D(e.input(Queries).info.rank() == 3),
        query(withHeads(e, e.input(Queries), "q_num_heads")),
        key(withPast(withHeads(e, e.input(Keys), "kv_num_heads"), PastKey)),
        value(withPast(withHeads(e, e.input(Values), "kv_num_heads"),
                       PastValue)) {
    check();
  }

  std::vector<Value *> run() {
    const DataType type = query.info.type;
    const std::int64_t mode = e.attributes().getInt("qk_matmul_output_mode", 0);
    if (mode < 0 || mode > 3)
      e.failInput(fmt::format("qk_matmul_output_mode {} does not exist", mode));
    std::vector<Value *> stages = {&products()};
    // Masks need infinities, which the IPU's float16 lacks. Double is computed
    // as float32, and --precision fp16 does not convert it.
    stages.push_back(&capped(e.cast(*stages[0], softmaxType())));
    Value *seen = seenKeys();
    stages.push_back(&masked(*stages[1], seen));
    stages.push_back(
        &e.cast(softmax(*stages[2], seen != nullptr || addsMask()), type));
    Value &weights = e.cast(*stages[3], value.info.type);
    return {&withoutHeads(e.matMul(weights, repeated(value))), &key, &value,
            &e.cast(*stages[mode], type)};
  }

private:
  enum Input : std::size_t {
    Queries,
    Keys,
    Values,
    Mask,
    PastKey,
    PastValue,
    Lengths
  };

  void check() const {
    const Shape &q = query.info.shape, &k = key.info.shape,
                &v = value.info.shape;
    const bool fit = q.size() == 4 && k.size() == 4 && v.size() == 4 &&
                     q[0] == k[0] && q[0] == v[0] && k[1] == v[1] &&
                     k[2] == v[2] && q[3] == k[3] && k[1] > 0 &&
                     q[1] % k[1] == 0;
    if (!fit)
      e.failInput(fmt::format("queries {}, keys {} and values {} do not go "
                              "together",
                              toString(q), toString(k), toString(v)));
    if (e.hasInput(PastKey) != e.hasInput(PastValue))
      e.failInput("it has a past_key or a past_value without the other");
    if (e.hasInput(Lengths) && e.hasInput(PastKey))
      e.failInput("it has both a past_key and nonpad_kv_seqlen");
    for (const char *side : {"left_window_size", "right_window_size"})
      if (e.attributes().getInt(side, -1) < -1)
        e.failInput(fmt::format("its {} is less than -1", side));
  }

  Value &withPast(Value &x, Input past) {
    return e.hasInput(past) ? e.concat({&e.input(past), &x}, 2) : x;
  }

  std::int64_t queries() const { return query.info.shape[2]; }
  std::int64_t keys() const { return key.info.shape[2]; }

  /// Repeats heads of keys and values for each head of queries.
  Value &repeated(Value &x) {
    const Shape &s = x.info.shape;
    const std::int64_t times = query.info.shape[1] / s[1];
    if (times == 1)
      return x;
    Value &wide =
        e.expand(e.unsqueeze(x, {2}), {s[0], s[1], times, s[2], s[3]});
    return e.reshape(wide, {s[0], s[1] * times, s[2], s[3]});
  }

  /// Q K'. Both are scaled by the root of the scale, to avoid overflow.
  Value &products() {
    const std::int64_t size = query.info.shape[3];
    const float scale = e.attributes().has("scale")
                            ? e.attributes().getFloat("scale", 1)
                            : 1 / std::sqrt(static_cast<float>(size));
    if (!(scale >= 0))
      e.failInput(fmt::format("its scale {} has no root", scale));
    Value &root = e.scalar(query.info.type, std::sqrt(double(scale)));
    Value &turned = e.transpose(repeated(key), {0, 1, 3, 2});
    return e.matMul(e.mul(query, root), e.mul(turned, root));
  }

  DataType softmaxType() const {
    const std::int64_t number = e.attributes().getInt("softmax_precision", 0);
    if (number != 0) {
      const std::optional<DataType> type = fromOnnx(static_cast<int>(number));
      if (!type || !isFloatingPoint(*type))
        e.failInput(fmt::format("its softmax_precision {} is no floating point "
                                "type",
                                number));
    }
    const bool isMasked = e.hasInput(Mask) || e.hasInput(Lengths) ||
                          e.attributes().getInt("is_causal", 0) != 0 ||
                          e.attributes().getInt("left_window_size", -1) >= 0 ||
                          e.attributes().getInt("right_window_size", -1) >= 0;
    return isMasked || query.info.type == DataType::Double ? DataType::Double
                                                           : DataType::Float;
  }

  Value &capped(Value &x) {
    const float cap = e.attributes().getFloat("softcap", 0);
    if (!(cap > 0))
      return x;
    Value &limit = e.scalar(x.info.type, cap);
    return e.mul(e.op("Tanh", {&e.div(x, limit)}), limit);
  }

  bool addsMask() const {
    return e.hasInput(Mask) && e.type(Mask) != DataType::Bool;
  }

  static Value *both(Expansion &e, Value *a, Value *b) {
    return !a ? b : !b ? a : &e.op("And", {a, b});
  }

  /// The keys that the mask admits; keys beyond the mask's extent are not seen.
  /// An additive mask contributes only its shape.
  Value *keysOfMask() {
    if (!e.hasInput(Mask))
      return nullptr;
    const Shape &shape = e.shape(Mask);
    const std::int64_t missing = shape.empty() ? 0 : keys() - shape.back();
    Value *seen = addsMask() ? nullptr : &e.input(Mask);
    if (missing <= 0)
      return seen;
    HostTensor known({DataType::Bool, {keys()}});
    std::fill_n(known.as<bool>().begin(), shape.back(), true);
    return both(e, seen ? &padded(*seen, missing) : nullptr,
                &e.constant(std::move(known)));
  }

  /// Pads the last dimension with zeros.
  Value &padded(Value &x, std::int64_t more) {
    Shape tail = x.info.shape;
    tail.back() = more;
    return e.concat({&x, &e.constant(HostTensor({x.info.type, tail}))},
                    x.info.rank() - 1);
  }

  Value &counting(std::int64_t count, const Shape &shape) {
    std::vector<std::int64_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    return e.constant(HostTensor::ofInts(numbers).reshaped(shape));
  }

  /// The keys that each query sees; null if all see all.
  Value *seenKeys() {
    Value *seen = keysOfMask();
    Value &place = counting(keys(), {1, 1, 1, keys()});
    Value *lengths = nullptr;
    if (e.hasInput(Lengths)) {
      lengths = &e.reshape(e.input(Lengths), {query.info.shape[0], 1, 1, 1});
      seen = both(e, seen, &e.op("Less", {&place, lengths}));
    }
    const bool isCausal = e.attributes().getInt("is_causal", 0) != 0;
    const std::int64_t left = e.attributes().getInt("left_window_size", -1);
    const std::int64_t right = e.attributes().getInt("right_window_size", -1);
    if (!isCausal && left < 0 && right < 0)
      return seen;
    Value &before =
        lengths ? e.sub(*lengths, e.scalar(DataType::Int64,
                                           static_cast<double>(queries())))
                : e.scalar(DataType::Int64,
                           e.hasInput(PastKey)
                               ? static_cast<double>(e.shape(PastKey)[2])
                               : 0);
    Value &at = e.add(counting(queries(), {1, 1, queries(), 1}), before);
    Value &ahead = e.sub(place, at); // of the query
    auto bounded = [&](const char *comparison, std::int64_t bound) {
      Value &limit = e.scalar(DataType::Int64, static_cast<double>(bound));
      seen = both(e, seen, &e.op(comparison, {&ahead, &limit}));
    };
    if (isCausal)
      bounded("LessOrEqual", 0);
    if (left >= 0)
      bounded("GreaterOrEqual", -left);
    if (right >= 0)
      bounded("LessOrEqual", right);
    return seen;
  }

  Value &masked(Value &scores, Value *seen) {
    Value *result = &scores;
    if (addsMask()) {
      Value *mask = &e.cast(e.input(Mask), scores.info.type);
      const std::int64_t missing =
          mask->info.shape.empty() ? 0 : keys() - mask->info.shape.back();
      result = &e.add(*result, missing > 0 ? padded(*mask, missing) : *mask);
    }
    if (!seen)
      return *result;
    Value &never =
        e.scalar(scores.info.type, -std::numeric_limits<double>::infinity());
    return e.op("Where", {seen, result, &never});
  }

  Value &softmax(Value &scores, bool mayBeEmpty) {
    if (!mayBeEmpty)
      return e.op("Softmax", {&scores}, {{"axis", std::int64_t(-1)}});
    Value &zero = e.scalar(scores.info.type, 0);
    Value &never =
        e.scalar(scores.info.type, -std::numeric_limits<double>::infinity());
    Value &most = e.reduce("ReduceMax", scores, {3});
    Value &isEmpty = e.op("Equal", {&most, &never});
    Value &top = e.op("Where", {&isEmpty, &zero, &most});
    Value &powers = e.op("Exp", {&e.sub(scores, top)});
    Value &sum = e.reduce("ReduceSum", powers, {3});
    Value &divisor =
        e.op("Where", {&isEmpty, &e.scalar(scores.info.type, 1), &sum});
    return e.div(powers, divisor);
  }

  Value &withoutHeads(Value &x) {
    if (!is3D)
      return x;
    const Shape &s = x.info.shape;
    return e.reshape(e.transpose(x, {0, 2, 1, 3}), {s[0], s[2], s[1] * s[3]});
  }

  Expansion &e;
  bool is3D;
  Value &query, &key, &value;
};

std::vector<Value *> attention(Expansion &e) {
  return AttentionExpansion(e).run();
}

/// The table row of angles for each token, shared by all heads: [batch,
/// sequence, 1, half].
Value &angles(Expansion &e, std::size_t index) {
  Value &table = e.input(index);
  Value &rows = e.hasInput(3) ? e.op("Gather", {&table, &e.input(3)},
                                     {{"axis", std::int64_t(0)}})
                              : table;
  return e.unsqueeze(rows, {2});
}

/// Rotates pairs of numbers by an angle: one of each half or, with
/// `interleaved`, neighbours.
std::vector<Value *> rotaryEmbedding(Expansion &e) {
  Value &given = e.input(0);
  const bool is4D = given.info.rank() == 4;
  Value *x = is4D ? &e.transpose(given, {0, 2, 1, 3}) : &given;
  if (!is4D) {
    const std::int64_t heads = e.attributes().getInt("num_heads", 0);
    const Shape s = given.info.shape;
    if (s.size() != 3 || heads < 1 || s[2] % heads != 0)
      e.failInput(fmt::format("its input {} cannot be divided into {} heads "
                              "(num_heads)",
                              toString(s), heads));
    x = &e.reshape(given, {s[0], s[1], heads, s[2] / heads});
  }
  const Shape s = x->info.shape;
  std::int64_t turned = e.attributes().getInt("rotary_embedding_dim", 0);
  if (turned == 0)
    turned = s[3];
  if (turned < 0 || turned > s[3] || turned % 2 != 0)
    e.failInput(fmt::format("{} of {} numbers cannot be rotated in pairs",
                            turned, s[3]));
  Value &cosine = angles(e, 1), &sine = angles(e, 2);
  for (const Value *table : {&cosine, &sine})
    if (table->info.rank() != 4 || table->info.shape[3] != turned / 2)
      e.failInput(fmt::format("angles {} are not for {} numbers",
                              toString(table->info.shape), turned));
  const bool areNeighbours = e.attributes().getInt("interleaved", 0) != 0;
  // Pairs along the fourth or the fifth dimension.
  const std::int64_t along = areNeighbours ? 4 : 3;
  const std::int64_t half = turned / 2;
  const Shape pairs = areNeighbours ? Shape{s[0], s[1], s[2], half, 2}
                                    : Shape{s[0], s[1], s[2], 2, half};
  Value &parts = e.reshape(e.slice(*x, 3, 0, turned), pairs);
  const Shape one = {s[0], s[1], s[2], half};
  Value &first = e.reshape(e.slice(parts, along, 0, 1), one);
  Value &second = e.reshape(e.slice(parts, along, 1, 2), one);
  Value &real = e.sub(e.mul(cosine, first), e.mul(sine, second));
  Value &imaginary = e.add(e.mul(sine, first), e.mul(cosine, second));
  Value &joined = e.concat(
      {&e.unsqueeze(real, {along}), &e.unsqueeze(imaginary, {along})}, along);
  std::vector<Value *> all = {&e.reshape(joined, {s[0], s[1], s[2], turned})};
  if (turned != s[3])
    all.push_back(&e.slice(*x, 3, turned, s[3]));
  Value &result = e.concat(all, 3);
  return {is4D ? &e.transpose(result, {0, 2, 1, 3})
               : &e.reshape(result, given.info.shape)};
}

/// Updates a cache, starting at an index for each batch element.
std::vector<Value *> tensorScatter(Expansion &e) {
  Value &cache = e.input(0), &update = e.input(1);
  const Shape whole = cache.info.shape, part = update.info.shape;
  const auto rank = static_cast<std::int64_t>(whole.size());
  const std::int64_t axis =
      e.normalAxis(e.attributes().getInt("axis", -2), rank);
  Shape expected = whole;
  if (static_cast<std::int64_t>(part.size()) == rank)
    expected[axis] = part[axis];
  if (axis == 0 || part != expected || part[axis] > whole[axis])
    e.failInput(fmt::format("a cache {} and an update {} do not go together",
                            toString(whole), toString(part)));
  const std::string mode = e.attributes().getString("mode", "linear");
  if (mode != "linear" && mode != "circular")
    e.failInput(fmt::format("mode \"{}\" does not exist", mode));
  std::vector<std::int64_t> numbers(part[axis]);
  std::iota(numbers.begin(), numbers.end(), 0);
  Shape along(rank, 1), batch(rank, 1);
  along[axis] = part[axis];
  batch[0] = whole[0];
  Value *places = &e.constant(HostTensor::ofInts(numbers).reshaped(along));
  if (e.hasInput(2))
    places = &e.add(*places, e.reshape(e.input(2), batch));
  if (mode == "circular")
    places = &e.op(
        "Mod",
        {places, &e.scalar(DataType::Int64, static_cast<double>(whole[axis]))});
  return {&e.op("ScatterElements", {&cache, &e.expand(*places, part), &update},
                {{"axis", axis}})};
}

const RegisterDecomposition decompositions[] = {
    {"TensorScatter", {24}, tensorScatter},
    {"Attention", {23, 24, 25}, attention},
    {"RotaryEmbedding", {23}, rotaryEmbedding}};

} // namespace

} // namespace populus::popir
