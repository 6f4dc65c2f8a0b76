// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DFT and STFT as products with constant matrices of sines and cosines. Complex
// numbers are pairs along the last dimension.

#include "lib/PopART/Import/Decomposition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace populus::popir {

namespace {

/// The limit of a matrix's elements.
constexpr std::int64_t LargestMatrix = std::int64_t(1) << 24;

struct Transform {
  /// Numbers read, numbers returned, and length of the transform.
  std::int64_t from, to, length;
  bool isInverse;
  /// Input and output have imaginary parts.
  bool readsComplex, givesComplex;
  /// The input is one half of a symmetric spectrum.
  bool readsHalf;
};

/// The weight of input element `i`: mirrored elements count twice.
double weightOf(const Transform &t, std::int64_t i) {
  const double scale = t.isInverse ? 1.0 / static_cast<double>(t.length) : 1.0;
  const bool isMirrored = t.readsHalf && i != 0 && 2 * i != t.length;
  return isMirrored ? 2 * scale : scale;
}

/// The matrix [numbers read, numbers returned]; real parts precede imaginary
/// ones in both dimensions.
HostTensor matrixOf(const Transform &t, DataType type) {
  const std::int64_t rows = t.from * (t.readsComplex ? 2 : 1);
  const std::int64_t columns = t.to * (t.givesComplex ? 2 : 1);
  HostTensor matrix({DataType::Double, {rows, columns}});
  auto at = [&](std::int64_t row, std::int64_t column) -> double & {
    return matrix.as<double>()[row * columns + column];
  };
  for (std::int64_t i = 0; i != t.from; ++i)
    for (std::int64_t k = 0; k != t.to; ++k) {
      const double angle = 2 * std::numbers::pi *
                           static_cast<double>(i * k % t.length) /
                           static_cast<double>(t.length);
      const double c = weightOf(t, i) * std::cos(angle);
      const double s =
          weightOf(t, i) * std::sin(angle) * (t.isInverse ? 1 : -1);
      at(i, k) = c;
      if (t.givesComplex)
        at(i, t.to + k) = s;
      if (t.readsComplex)
        at(t.from + i, k) = -s;
      if (t.givesComplex && t.readsComplex)
        at(t.from + i, t.to + k) = c;
    }
  return matrix.convertedTo(type);
}

/// Transforms [..., numbers, parts] to [..., results, parts].
Value &transformed(Expansion &e, Value &x, const Transform &t) {
  if (t.from * t.to > LargestMatrix)
    e.failUnsupported(
        fmt::format("a transform of {} numbers is too long", t.length));
  Shape flat = x.info.shape;
  std::vector<std::int64_t> swapped;
  for (std::int64_t i = 0; i != x.info.rank(); ++i)
    swapped.push_back(i);
  std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
  flat.pop_back();
  flat.back() = t.from * (t.readsComplex ? 2 : 1);
  Value &row = e.reshape(e.transpose(x, swapped), flat);
  Value &product = e.matMul(row, e.constant(matrixOf(t, x.info.type)));
  Shape parts = flat;
  parts.back() = t.givesComplex ? 2 : 1;
  parts.push_back(t.to);
  return e.transpose(e.reshape(product, parts), swapped);
}

/// Crops an axis, or pads it with zeros, to `count` elements.
Value &resized(Expansion &e, Value &x, std::int64_t axis, std::int64_t count) {
  const std::int64_t extent = x.info.shape[axis];
  if (count <= extent)
    return e.slice(x, axis, 0, count);
  std::vector<std::int64_t> pads(2 * x.info.shape.size());
  pads[x.info.shape.size() + axis] = count - extent;
  return e.op("Pad", {&x, &e.ints(pads)});
}

std::int64_t scalarOf(const Expansion &e, std::size_t index,
                      std::string_view role) {
  const std::vector<std::int64_t> values =
      e.constantInput(index, role).toInts();
  if (values.size() != 1)
    e.failInput(fmt::format("its {} is not a scalar", role));
  return values[0];
}

std::vector<Value *> dft(Expansion &e) {
  Value &x = e.input(0);
  const std::int64_t rank = x.info.rank();
  std::int64_t axis = e.version() < 20 ? e.attributes().getInt("axis", 1) : -2;
  if (e.version() >= 20 && e.hasInput(2))
    axis = scalarOf(e, 2, "axis");
  axis = e.normalAxis(axis, rank);
  const std::int64_t parts = x.info.shape.back();
  if (axis == rank - 1 || (parts != 1 && parts != 2))
    e.failInput(fmt::format("its input {} is not of numbers of one or two "
                            "parts, transformed along dimension {}",
                            toString(x.info.shape), axis));
  const bool isInverse = e.attributes().getInt("inverse", 0) != 0;
  const bool isHalf = e.attributes().getInt("onesided", 0) != 0;
  if (isHalf && (parts == 2) != isInverse)
    e.failInput("a one-sided transform is from real numbers, or back to them");
  const std::int64_t extent = x.info.shape[axis];
  std::int64_t length = isHalf && isInverse ? 2 * (extent - 1) : extent;
  if (e.hasInput(1))
    length = scalarOf(e, 1, "dft_length");
  if (length < 1)
    e.failInput(fmt::format("its dft_length {} is not possible", length));
  const std::int64_t half = length / 2 + 1;
  const Transform t{isHalf && isInverse ? half : length,
                    isHalf && !isInverse ? half : length,
                    length,
                    isInverse,
                    parts == 2,
                    !(isHalf && isInverse),
                    isHalf && isInverse};
  std::vector<std::int64_t> order;
  for (std::int64_t i = 0; i != rank; ++i)
    if (i != axis && i != rank - 1)
      order.push_back(i);
  order.push_back(axis);
  order.push_back(rank - 1);
  std::vector<std::int64_t> back(rank);
  for (std::int64_t i = 0; i != rank; ++i)
    back[order[i]] = i;
  Value &signal = e.transpose(resized(e, x, axis, t.from), order);
  return {&e.transpose(transformed(e, signal, t), back)};
}

std::vector<Value *> stft(Expansion &e) {
  Value &signal = e.input(0);
  const Shape s = signal.info.shape;
  if (s.size() != 3 || (s[2] != 1 && s[2] != 2))
    e.failInput(fmt::format("its signal {} is not [batch, length, 1 or 2]",
                            toString(s)));
  std::int64_t length = s[1];
  if (e.hasInput(3))
    length = scalarOf(e, 3, "frame_length");
  else if (e.hasInput(2))
    length = numElements(e.shape(2));
  const std::int64_t step = scalarOf(e, 1, "frame_step");
  if (length < 1 || length > s[1] || step < 1 ||
      (e.hasInput(2) && e.shape(2) != Shape{length}))
    e.failInput(fmt::format("frames of {} elements, {} apart, of a signal {} "
                            "are not possible",
                            length, step, toString(s)));
  const bool isHalf = e.attributes().getInt("onesided", 1) != 0 && s[2] == 1;
  std::vector<Value *> frames;
  for (std::int64_t begin = 0; begin + length <= s[1]; begin += step)
    frames.push_back(
        &e.unsqueeze(e.slice(signal, 1, begin, begin + length), {1}));
  Value *x = &e.concat(frames, 1);
  if (e.hasInput(2))
    x = &e.mul(*x, e.reshape(e.input(2), {length, 1}));
  return {&transformed(e, *x,
                       {length, isHalf ? length / 2 + 1 : length, length, false,
                        s[2] == 2, true, false})};
}

const RegisterDecomposition decompositions[] = {{"DFT", {17, 20}, dft},
                                                {"STFT", {17}, stft}};

} // namespace

} // namespace populus::popir
