// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that move or convert elements: CastLike, CenterCropPad, Col2Im,
// ReverseSequence.

#include "lib/PopART/Import/Decomposition.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace populus::popir {

namespace {

std::vector<Value *> castLike(Expansion &e) {
  return {
      &e.op("Cast", {&e.input(0)},
            {{"to", std::int64_t(toOnnx(e.type(1)))},
             {"saturate", e.attributes().getInt("saturate", 1)},
             {"round_mode", e.attributes().getString("round_mode", "up")}})};
}

/// CenterCropPad: crops or pads both sides equally, or one more at the end.
std::vector<Value *> centerCropPad(Expansion &e) {
  Value *x = &e.input(0);
  const std::int64_t rank = x->info.rank();
  std::vector<std::int64_t> axes = e.attributes().getInts("axes");
  if (!e.attributes().has("axes"))
    for (std::int64_t i = 0; i != rank; ++i)
      axes.push_back(i);
  const std::vector<std::int64_t> wanted = e.constantInput(1, "shape").toInts();
  if (wanted.size() != axes.size())
    e.failInput(fmt::format("its shape has {} extents for {} axes",
                            wanted.size(), axes.size()));
  std::vector<std::int64_t> pads(2 * rank);
  for (std::size_t i = 0; i != axes.size(); ++i) {
    const std::int64_t axis = e.normalAxis(axes[i], rank);
    const std::int64_t extent = x->info.shape[axis];
    if (wanted[i] < 0)
      e.failInput(fmt::format("it wants the extent {}", wanted[i]));
    const std::int64_t missing = wanted[i] - extent;
    if (missing < 0)
      x = &e.slice(*x, axis, -missing / 2, -missing / 2 + wanted[i]);
    pads[axis] = std::max<std::int64_t>(missing, 0) / 2;
    pads[rank + axis] = std::max<std::int64_t>(missing, 0) - pads[axis];
  }
  return {&e.op("Pad", {x, &e.ints(pads)})};
}

std::vector<std::int64_t> listOf(const Expansion &e, const std::string &name,
                                 std::size_t size, std::int64_t fallback,
                                 std::int64_t least) {
  std::vector<std::int64_t> values(size, fallback);
  if (e.attributes().has(name))
    values = e.attributes().getInts(name);
  if (values.size() != size ||
      std::ranges::any_of(values, [&](auto v) { return v < least; }))
    e.failInput(fmt::format("its {} [{}] are not possible", name,
                            fmt::join(values, ", ")));
  return values;
}

/// Col2Im: adds blocks of columns to a padded image, then crops the padding.
std::vector<Value *> col2Im(Expansion &e) {
  const std::vector<std::int64_t> image =
      e.constantInput(1, "image_shape").toInts();
  const std::vector<std::int64_t> block =
      e.constantInput(2, "block_shape").toInts();
  const std::size_t rank = image.size();
  const Shape x = e.shape(0);
  const auto steps = listOf(e, "strides", rank, 1, 1);
  const auto dilations = listOf(e, "dilations", rank, 1, 1);
  const auto pads = listOf(e, "pads", 2 * rank, 0, 0);
  if (block.size() != rank || x.size() != 3 || numElements(block) < 1 ||
      x[1] % numElements(block) != 0)
    e.failInput(fmt::format("its input {} is not of blocks {} of an image {}",
                            toString(x), toString(block), toString(image)));
  Shape padded, blocks;
  for (std::size_t i = 0; i != rank; ++i) {
    padded.push_back(image[i] + pads[i] + pads[rank + i]);
    const std::int64_t room = padded[i] - dilations[i] * (block[i] - 1) - 1;
    if (room < 0)
      e.failInput(fmt::format("its blocks {} do not fit into its image {}",
                              toString(block), toString(image)));
    blocks.push_back(room / steps[i] + 1);
  }
  if (numElements(blocks) != x[2])
    e.failInput(fmt::format("it has {} blocks, and an image {} has {}", x[2],
                            toString(image), numElements(blocks)));
  // For each element of a channel's columns, its place in the padded image.
  std::vector<std::int64_t> places;
  for (std::int64_t tap = 0; tap != numElements(block); ++tap)
    for (std::int64_t column = 0; column != x[2]; ++column) {
      std::int64_t place = 0, scale = 1, t = tap, c = column;
      for (std::size_t i = rank; i-- > 0;) {
        place +=
            scale * (c % blocks[i] * steps[i] + t % block[i] * dilations[i]);
        scale *= padded[i];
        c /= blocks[i];
        t /= block[i];
      }
      places.push_back(place);
    }
  const std::int64_t channels = x[1] / numElements(block);
  const auto count = static_cast<std::int64_t>(places.size());
  // Rows of a table, so that all channels are added at once.
  Value &rows = e.reshape(
      e.transpose(e.reshape(e.input(0), {x[0] * channels, count}), {1, 0}),
      {count, x[0] * channels});
  Value &zeros = e.constant(
      HostTensor({e.type(0), {numElements(padded), x[0] * channels}}));
  Value &sums = e.op(
      "ScatterND",
      {&zeros, &e.constant(HostTensor::ofInts(places).reshaped({count, 1})),
       &rows},
      {{"reduction", std::string("add")}});
  Shape shape = {x[0], channels};
  shape.insert(shape.end(), padded.begin(), padded.end());
  Value *result = &e.reshape(e.transpose(sums, {1, 0}), shape);
  for (std::size_t i = 0; i != rank; ++i)
    result = &e.slice(*result, static_cast<std::int64_t>(i + 2), pads[i],
                      pads[i] + image[i]);
  return {result};
}

/// ReverseSequence with run-time lengths: row t of a batch comes from row
/// length - 1 - t if t < length. It is a lookup in a table, whose rows are the
/// first two dimensions. Lengths are clamped to the extent.
std::vector<Value *> reverseSequence(Expansion &e) {
  Value &x = e.input(0);
  const Shape shape = x.info.shape;
  const std::int64_t time = e.attributes().getInt("time_axis", 0);
  const std::int64_t batch = e.attributes().getInt("batch_axis", 1);
  if (e.input(1).isConstant())
    return {};
  if (shape.size() < 2 || time + batch != 1 || time * batch != 0 ||
      e.shape(1) != Shape{shape[batch]})
    e.failInput(fmt::format("its input {}, lengths {}, time_axis {} and "
                            "batch_axis {} do not go together",
                            toString(shape), toString(e.shape(1)), time,
                            batch));
  auto counting = [&](std::int64_t axis) -> Value & {
    std::vector<std::int64_t> numbers(shape[axis]);
    std::iota(numbers.begin(), numbers.end(), 0);
    Shape along = {1, 1};
    along[axis] = shape[axis];
    return e.constant(HostTensor::ofInts(numbers).reshaped(along));
  };
  auto number = [&](std::int64_t value) -> Value & {
    return e.scalar(DataType::Int64, static_cast<double>(value));
  };
  Shape ofBatch = {1, 1};
  ofBatch[batch] = shape[batch];
  Value &length =
      e.op("Min", {&e.reshape(e.cast(e.input(1), DataType::Int64), ofBatch),
                   &number(shape[time])});
  Value &at = counting(time);
  Value &turned = e.sub(e.sub(length, number(1)), at);
  Value &from = e.select(e.op("Less", {&at, &length}), turned, at);
  const std::int64_t timeStep = time == 0 ? shape[1] : 1;
  const std::int64_t batchStep = time == 0 ? 1 : shape[1];
  Value &rows = e.add(e.mul(from, number(timeStep)),
                      e.mul(counting(batch), number(batchStep)));
  const Shape tail(shape.begin() + 2, shape.end());
  Value &table = e.reshape(x, {shape[0] * shape[1], numElements(tail)});
  Value &taken =
      e.op("Gather", {&table, &e.reshape(rows, {shape[0] * shape[1]})},
           {{"axis", std::int64_t(0)}});
  return {&e.reshape(taken, shape)};
}

const RegisterDecomposition decompositions[] = {
    {"ReverseSequence", {10, 28}, reverseSequence},
    {"CastLike", {15, 19, 21, 23, 24, 25}, castLike},
    {"CenterCropPad", {18}, centerCropPad},
    {"Col2Im", {18}, col2Im}};

} // namespace

} // namespace populus::popir
