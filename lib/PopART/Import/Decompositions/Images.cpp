// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MaxUnpool, which puts elements back to the places that MaxPool took them
// from; and AffineGrid, a product of constant coordinates with matrices.

#include "lib/PopART/Import/Decomposition.h"

#include <fmt/format.h>

namespace populus::popir {

namespace {

std::vector<std::int64_t> listOf(const Expansion &e, const std::string &name,
                                 std::size_t size, std::int64_t fallback) {
  std::vector<std::int64_t> values(size, fallback);
  if (e.attributes().has(name))
    values = e.attributes().getInts(name);
  if (values.size() != size)
    e.failInput(fmt::format("its {} has {} entries and needs {}", name,
                            values.size(), size));
  return values;
}

/// Indices count the elements of the smallest result; a larger one is filled up
/// with zeros at its ends.
std::vector<Value *> maxUnpool(Expansion &e) {
  Value &x = e.input(0), &indices = e.input(1);
  const Shape s = x.info.shape;
  if (s.size() < 3 || indices.info.shape != s)
    e.failInput(fmt::format("data {} and indices {} do not go together",
                            toString(s), toString(indices.info.shape)));
  const std::size_t rank = s.size() - 2;
  const auto kernel = listOf(e, "kernel_shape", rank, 0);
  const auto steps = listOf(e, "strides", rank, 1);
  const auto pads = listOf(e, "pads", 2 * rank, 0);
  Shape shape = {s[0], s[1]};
  for (std::size_t i = 0; i != rank; ++i)
    shape.push_back((s[i + 2] - 1) * steps[i] + kernel[i] - pads[i] -
                    pads[rank + i]);
  if (!checkedNumElements(shape, sizeof(float)))
    e.failInput("its window is not possible");
  const std::int64_t count = numElements(s);
  Value &zeros = e.constant(HostTensor({x.info.type, {numElements(shape)}}));
  Value &flat = e.op("ScatterElements", {&zeros, &e.reshape(indices, {count}),
                                         &e.reshape(x, {count})});
  Value &result = e.reshape(flat, shape);
  if (!e.hasInput(2))
    return {&result};
  const Shape wanted = e.constantInput(2, "output_shape").toInts();
  std::vector<std::int64_t> amounts(2 * shape.size());
  if (wanted.size() != shape.size())
    e.failInput(fmt::format("its output_shape {} has another rank than its "
                            "input",
                            toString(wanted)));
  for (std::size_t i = 0; i != shape.size(); ++i) {
    if (wanted[i] < shape[i])
      e.failInput(fmt::format("its output_shape {} is smaller than {}",
                              toString(wanted), toString(shape)));
    amounts[shape.size() + i] = wanted[i] - shape[i];
  }
  return {&e.op("Pad", {&result, &e.ints(amounts)})};
}

/// Coordinates from -1 to 1: of the outer pixels' centres, or of their edges.
double coordinate(std::int64_t i, std::int64_t extent, bool atCentres) {
  const auto at = static_cast<double>(i), size = static_cast<double>(extent);
  if (atCentres)
    return extent == 1 ? 0 : -1 + 2 * at / (size - 1);
  return (2 * at + 1) / size - 1;
}

std::vector<Value *> affineGrid(Expansion &e) {
  Value &theta = e.input(0);
  const Shape size = e.constantInput(1, "size").toInts();
  const auto dims = static_cast<std::int64_t>(size.size()) - 2;
  if ((dims != 2 && dims != 3) ||
      theta.info.shape != Shape{size[0], dims, dims + 1} ||
      !checkedNumElements(size, sizeof(float)))
    e.failInput(fmt::format("matrices {} and the size {} do not go together",
                            toString(theta.info.shape), toString(size)));
  const Shape field(size.begin() + 2, size.end());
  const bool atCentres = e.attributes().getInt("align_corners", 0) != 0;
  // [points, dims + 1]: the last dimension first, and 1.
  const std::int64_t points = numElements(field);
  HostTensor table({DataType::Double, {points, dims + 1}});
  for (std::int64_t p = 0; p != points; ++p) {
    double *row = table.as<double>().data() + p * (dims + 1);
    std::int64_t rest = p;
    for (std::int64_t i = 0; i != dims; ++i) {
      const std::int64_t extent = field[dims - 1 - i];
      row[i] = coordinate(rest % extent, extent, atCentres);
      rest /= extent;
    }
    row[dims] = 1;
  }
  Value &turned = e.transpose(theta, {0, 2, 1});
  Value &grid =
      e.matMul(e.constant(table.convertedTo(theta.info.type)), turned);
  Shape shape = {size[0]};
  shape.insert(shape.end(), field.begin(), field.end());
  shape.push_back(dims);
  return {&e.reshape(grid, shape)};
}

const RegisterDecomposition decompositions[] = {
    {"MaxUnpool", {9, 11, 22}, maxUnpool}, {"AffineGrid", {20}, affineGrid}};

} // namespace

} // namespace populus::popir
