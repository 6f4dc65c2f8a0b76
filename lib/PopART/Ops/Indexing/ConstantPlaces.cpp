// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Offsets of constant indices, and the constant folding of gathers and
// scatters.

#include "lib/PopART/Ops/Indexing/ConstantPlaces.h"

#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>

#include <algorithm>

namespace populus::popir {

namespace {

/// Normalises an index from [-extent, extent) to [0, extent).
std::int64_t normalIndex(const Op &op, std::int64_t index,
                         std::int64_t extent) {
  const std::int64_t place = index < 0 ? index + extent : index;
  if (place < 0 || place >= extent)
    op.failInput(fmt::format("index {} is out of range of {}", index, extent));
  return place;
}

std::int64_t combined(UpdateKind kind, std::int64_t a, std::int64_t b) {
  switch (kind) {
  case UpdateKind::Replace:
    break;
  case UpdateKind::Add:
    return a + b;
  case UpdateKind::Multiply:
    return a * b;
  case UpdateKind::Max:
    return std::max(a, b);
  case UpdateKind::Min:
    return std::min(a, b);
  }
  return b;
}

} // namespace

ConstantPlaces constantElements(const Op &op, std::int64_t axis) {
  const Shape &data = op.inputShape(0), &shape = op.inputShape(1);
  const std::vector<std::int64_t> indices = op.input(1).constant()->toInts();
  const std::vector<std::int64_t> from = strides(shape), to = strides(data);
  ConstantPlaces result;
  for (std::size_t i = 0; i != indices.size(); ++i) {
    std::int64_t place = normalIndex(op, indices[i], data[axis]) * to[axis];
    for (std::size_t dim = 0; dim != shape.size(); ++dim)
      if (static_cast<std::int64_t>(dim) != axis)
        place +=
            static_cast<std::int64_t>(i) / from[dim] % shape[dim] * to[dim];
    result.rows.push_back(place);
  }
  return result;
}

ConstantPlaces constantSlices(const Op &op, std::int64_t batchDims,
                              std::int64_t depth) {
  const Shape &data = op.inputShape(0), &shape = op.inputShape(1);
  const std::vector<std::int64_t> indices = op.input(1).constant()->toInts();
  const std::int64_t batches = product(data, 0, batchDims);
  const std::int64_t count = product(shape, 0, shape.size() - 1);
  ConstantPlaces result;
  result.columns = product(data, batchDims + depth, data.size());
  for (std::int64_t i = 0; i != count; ++i) {
    std::int64_t place = i / (count / batches);
    for (std::int64_t k = 0; k != depth; ++k) {
      const std::int64_t extent = data[batchDims + k];
      place = place * extent + normalIndex(op, indices[i * depth + k], extent);
    }
    result.rows.push_back(place);
  }
  return result;
}

std::vector<HostTensor> takenConstant(const Op &op,
                                      const ConstantPlaces &places) {
  const HostTensor &data = *op.input(0).constant();
  HostTensor result(op.infer()[0]);
  const std::size_t bytes = places.columns * sizeOf(data.type());
  std::byte *to = result.bytes().data();
  for (const std::int64_t row : places.rows)
    to = std::copy_n(data.bytes().data() + row * bytes, bytes, to);
  return {std::move(result)};
}

std::optional<std::vector<HostTensor>>
scatteredConstant(const Op &op, const ConstantPlaces &places, UpdateKind kind) {
  const HostTensor &data = *op.input(0).constant();
  const HostTensor &updates = *op.input(2).constant();
  const std::int64_t columns = places.columns;
  if (kind == UpdateKind::Replace) {
    HostTensor result = data;
    const std::size_t bytes = columns * sizeOf(data.type());
    for (std::size_t i = 0; i != places.rows.size(); ++i)
      std::copy_n(updates.bytes().data() + i * bytes, bytes,
                  result.bytes().data() + places.rows[i] * bytes);
    return std::vector{std::move(result)};
  }
  if (data.type() != DataType::Int64)
    return std::nullopt;
  HostTensor result = data;
  const std::vector<std::int64_t> given = updates.toInts();
  for (std::size_t i = 0; i != places.rows.size(); ++i)
    for (std::int64_t k = 0; k != columns; ++k) {
      std::int64_t &to =
          result.as<std::int64_t>()[places.rows[i] * columns + k];
      to = combined(kind, to, given[i * columns + k]);
    }
  return std::vector{std::move(result)};
}

} // namespace populus::popir
