// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MatMulInteger, ConvInteger, QLinearMatMul and QLinearConv. The device's
// matrix unit computes in float, so integers are multiplied as floats. That is
// exact while sums stay below 2^24. Example: products of uint8 are below 2^16,
// so up to 256 can be summed. Longer sums are cut into stretches, which are
// added as integers.
//
// The float type here is Double, which --precision fp16 does not convert; the
// device computes it as float32.

#include "lib/PopART/Import/Decompositions/IntegerProducts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace populus::popir {

namespace {

/// All integers up to this one are floats.
constexpr std::int64_t LargestExact = std::int64_t(1) << 24;

std::pair<double, double> rangeOf(const Expansion &e, DataType type) {
  if (type == DataType::UInt8)
    return {0, 255};
  if (type != DataType::Int8)
    e.failUnsupported(fmt::format("it multiplies integers of type {}, which "
                                  "is not supported",
                                  name(type)));
  return {-128, 127};
}

} // namespace

Operand withoutZeroPoint(Expansion &e, Value &x, Value *zero) {
  const auto [least, largest] = rangeOf(e, x.info.type);
  Value &wide = e.cast(x, DataType::Double);
  double most = std::max(std::abs(least), std::abs(largest));
  Value *value = &wide;
  if (zero) {
    value = &e.sub(wide, e.cast(*zero, DataType::Double));
    most = largest - least;
    if (zero->isConstant()) {
      most = 0;
      for (double z : zero->constant()->toDoubles())
        most = std::max({most, std::abs(least - z), std::abs(largest - z)});
    }
  }
  if (value->isConstant()) {
    most = 0;
    for (double v : value->constant()->toDoubles())
      most = std::max(most, std::abs(v));
  }
  return {value, most};
}

namespace {

/// The number of products that can be summed exactly.
std::int64_t exactLength(const Operand &a, const Operand &b) {
  return std::max<std::int64_t>(
      1, LargestExact / std::max<std::int64_t>(
                            1, static_cast<std::int64_t>(a.most * b.most)));
}

Value &asIntegers(Expansion &e, Value &x) { return e.cast(x, DataType::Int32); }

/// Splits an axis into stretches and the elements of each; pads the last
/// stretch with zeros.
Value &inStretches(Expansion &e, Value &x, std::int64_t axis,
                   std::int64_t length) {
  Shape shape = x.info.shape;
  const std::int64_t count = (shape[axis] + length - 1) / length;
  std::vector<std::int64_t> pads(2 * shape.size());
  pads[shape.size() + axis] = count * length - shape[axis];
  Value &padded =
      pads[shape.size() + axis] == 0 ? x : e.op("Pad", {&x, &e.ints(pads)});
  shape[axis] = count;
  shape.insert(shape.begin() + axis + 1, length);
  return e.reshape(padded, shape);
}

} // namespace

Value &integerMatMul(Expansion &e, const Operand &a, const Operand &b) {
  const Shape left = a.value->info.shape, right = b.value->info.shape;
  if (left.empty() || right.empty())
    e.failInput("one of its inputs is a scalar");
  const std::int64_t depth = left.back();
  const std::int64_t length = exactLength(a, b);
  if (depth <= length)
    return asIntegers(e, e.matMul(*a.value, *b.value));
  // [..., rows, depth] becomes [..., stretches, rows, length].
  Value &rows = left.size() == 1 ? e.reshape(*a.value, {1, depth}) : *a.value;
  Value &columns =
      right.size() == 1 ? e.reshape(*b.value, {depth, 1}) : *b.value;
  const auto rank = rows.info.rank();
  Value &cut = inStretches(e, rows, rank - 1, length);
  std::vector<std::int64_t> order;
  for (std::int64_t i = 0; i != rank + 1; ++i)
    order.push_back(i == rank - 2 ? rank - 1 : i == rank - 1 ? rank - 2 : i);
  Value &products =
      e.matMul(e.transpose(cut, order),
               inStretches(e, columns, columns.info.rank() - 2, length));
  const std::int64_t axis = products.info.rank() - 3;
  Value &sum = e.reduce("ReduceSum", asIntegers(e, products), {axis});
  Shape shape = sum.info.shape;
  shape.erase(shape.begin() + axis);
  if (right.size() == 1)
    shape.pop_back();
  if (left.size() == 1)
    shape.erase(shape.end() - (right.size() == 1 ? 1 : 2));
  return e.reshape(sum, shape);
}

namespace {

/// A zero point or scale per row: a vector, or a matrix of one column.
Value *forRows(Expansion &e, std::size_t index, const Value &matrix) {
  if (!e.hasInput(index))
    return nullptr;
  Value &given = e.input(index);
  if (given.info.rank() == 1 && given.info.numElements() != 1 &&
      matrix.info.rank() >= 2)
    return &e.reshape(given, {given.info.shape[0], 1});
  return given.info.numElements() == 1 ? &e.reshape(given, {}) : &given;
}

} // namespace

Value *forColumns(Expansion &e, std::size_t index) {
  if (!e.hasInput(index))
    return nullptr;
  Value &given = e.input(index);
  return given.info.numElements() == 1 ? &e.reshape(given, {}) : &given;
}

namespace {

/// A zero point or scale per channel, reshaped to broadcast to a tensor with
/// channels in dimension `axis`.
Value *forChannels(Expansion &e, std::size_t index, std::size_t rank,
                   std::size_t axis) {
  if (!e.hasInput(index))
    return nullptr;
  Value &given = e.input(index);
  if (given.info.numElements() == 1)
    return &e.reshape(given, {});
  Shape shape(rank, 1);
  shape[axis] = given.info.numElements();
  return &e.reshape(given, shape);
}

Value &conv(Expansion &e, Value &x, Value &w) {
  return e.sameAttributes("Conv", {&x, &w});
}

/// The convolution in int32.
Value &integerConv(Expansion &e, const Operand &x, const Operand &w) {
  const Shape field = x.value->info.shape, weights = w.value->info.shape;
  const std::int64_t groups = e.attributes().getInt("group", 1);
  if (field.size() < 3 || weights.size() != field.size() || groups < 1 ||
      field[1] != weights[1] * groups)
    e.failInput(fmt::format("data {} and weights {} do not go together",
                            toString(field), toString(weights)));
  const std::int64_t channels = weights[1];
  const std::int64_t taps = numElements({weights.begin() + 2, weights.end()});
  const std::int64_t length =
      exactLength(x, w) / std::max<std::int64_t>(1, taps);
  if (length == 0)
    e.failUnsupported(fmt::format("a window of {} elements is too large for "
                                  "exact sums",
                                  taps));
  if (channels <= length)
    return asIntegers(e, conv(e, *x.value, *w.value));
  Shape grouped = field;
  grouped[1] = groups;
  grouped.insert(grouped.begin() + 2, channels);
  Value &parts = e.reshape(*x.value, grouped);
  Value *sum = nullptr;
  for (std::int64_t begin = 0; begin < channels; begin += length) {
    const std::int64_t end = std::min(begin + length, channels);
    Shape shape = field;
    shape[1] = groups * (end - begin);
    Value &part =
        asIntegers(e, conv(e, e.reshape(e.slice(parts, 2, begin, end), shape),
                           e.slice(*w.value, 1, begin, end)));
    sum = sum ? &e.add(*sum, part) : &part;
  }
  return *sum;
}

} // namespace

Value &requantized(Expansion &e, Value &sums, Value &scale,
                   std::size_t zeroPoint) {
  Value &zero = e.input(zeroPoint);
  const auto [least, most] = rangeOf(e, zero.info.type);
  Value &rounded = e.op("Round", {&e.mul(e.cast(sums, DataType::Double),
                                         e.cast(scale, DataType::Double))});
  Value &shifted =
      e.add(rounded, e.cast(*forColumns(e, zeroPoint), DataType::Double));
  Value &held = e.op("Clip", {&shifted, &e.scalar(DataType::Double, least),
                              &e.scalar(DataType::Double, most)});
  return e.cast(held, zero.info.type);
}

namespace {

std::vector<Value *> matMulInteger(Expansion &e) {
  Value &a = e.input(0), &b = e.input(1);
  return {&integerMatMul(e, withoutZeroPoint(e, a, forRows(e, 2, a)),
                         withoutZeroPoint(e, b, forColumns(e, 3)))};
}

std::vector<Value *> qLinearMatMul(Expansion &e) {
  enum { A, AScale, AZero, B, BScale, BZero, YScale, YZero };
  Value &a = e.input(A), &b = e.input(B);
  Value &sums = integerMatMul(e, withoutZeroPoint(e, a, forRows(e, AZero, a)),
                              withoutZeroPoint(e, b, forColumns(e, BZero)));
  Value &scale = e.div(e.mul(*forRows(e, AScale, a), *forColumns(e, BScale)),
                       *forColumns(e, YScale));
  return {&requantized(e, sums, scale, YZero)};
}

std::vector<Value *> convInteger(Expansion &e) {
  const auto rank = e.shape(1).size();
  return {&integerConv(
      e, withoutZeroPoint(e, e.input(0), forColumns(e, 2)),
      withoutZeroPoint(e, e.input(1), forChannels(e, 3, rank, 0)))};
}

std::vector<Value *> qLinearConv(Expansion &e) {
  enum { X, XScale, XZero, W, WScale, WZero, YScale, YZero, Bias };
  const auto rank = e.shape(W).size();
  Value *sums = &integerConv(
      e, withoutZeroPoint(e, e.input(X), forColumns(e, XZero)),
      withoutZeroPoint(e, e.input(W), forChannels(e, WZero, rank, 0)));
  if (Value *bias = forChannels(e, Bias, rank, 1))
    sums = &e.add(*sums, *bias);
  Value &scale =
      e.div(e.mul(*forColumns(e, XScale), *forChannels(e, WScale, rank, 1)),
            *forColumns(e, YScale));
  return {&requantized(e, *sums, scale, YZero)};
}

const RegisterDecomposition decompositions[] = {
    {"MatMulInteger", {10}, matMulInteger},
    {"ConvInteger", {10}, convInteger},
    {"QLinearMatMul", {10, 21}, qLinearMatMul},
    {"QLinearConv", {10}, qLinearConv}};

} // namespace

} // namespace populus::popir
