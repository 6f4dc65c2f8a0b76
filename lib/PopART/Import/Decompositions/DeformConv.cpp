// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DeformConv: a convolution with data-dependent offsets of its taps. The
// positions of all taps form one grid for GridSample; the samples are
// multiplied with the weights as a matrix.

#include "lib/PopART/Import/Decomposition.h"

#include <fmt/format.h>

#include <algorithm>

namespace populus::popir {

namespace {

class DeformConvExpansion {
public:
  explicit DeformConvExpansion(Expansion &e)
      : e(e), groups(e.attributes().getInt("group", 1)),
        offsetGroups(e.attributes().getInt("offset_group", 1)) {
    check();
  }

  std::vector<Value *> run() {
    const std::int64_t batch = field()[0], channels = field()[1];
    std::vector<Value *> parts;
    const std::int64_t each = channels / offsetGroups;
    for (std::int64_t g = 0; g != offsetGroups; ++g)
      parts.push_back(
          &sampled(e.slice(e.input(Data), 1, g * each, (g + 1) * each), g));
    const std::int64_t depth = channels / groups * taps();
    const std::int64_t filters = weights()[0];
    Value &columns =
        e.reshape(e.concat(parts, 1), {batch, groups, depth, places()});
    Value &matrix =
        e.reshape(e.input(Weights), {1, groups, filters / groups, depth});
    Value &result =
        e.reshape(e.matMul(matrix, columns), {batch, filters, rows(), width()});
    if (!e.hasInput(Bias))
      return {&result};
    return {&e.add(result, e.reshape(e.input(Bias), {1, filters, 1, 1}))};
  }

private:
  enum Input : std::size_t { Data, Weights, Offsets, Bias, Mask };

  const Shape &field() const { return e.shape(Data); }
  const Shape &weights() const { return e.shape(Weights); }
  std::int64_t taps() const { return weights()[2] * weights()[3]; }
  std::int64_t rows() const { return e.shape(Offsets)[2]; }
  std::int64_t width() const { return e.shape(Offsets)[3]; }
  std::int64_t places() const { return rows() * width(); }

  std::vector<std::int64_t> listOf(const char *name, std::size_t size,
                                   std::int64_t fallback) const {
    if (!e.attributes().has(name))
      return std::vector<std::int64_t>(size, fallback);
    std::vector<std::int64_t> values = e.attributes().getInts(name);
    if (values.size() != size)
      e.failInput(fmt::format("its {} has {} numbers instead of {}", name,
                              values.size(), size));
    return values;
  }

  /// The extent of the result along a dimension of the field.
  std::int64_t extent(std::size_t dim) const {
    const auto pads = listOf("pads", 4, 0), strides = listOf("strides", 2, 1),
               dilations = listOf("dilations", 2, 1);
    const std::int64_t room = field()[2 + dim] + pads[dim] + pads[2 + dim] -
                              dilations[dim] * (weights()[2 + dim] - 1) - 1;
    return strides[dim] < 1 || room < 0 ? 0 : room / strides[dim] + 1;
  }

  void check() const {
    if (field().size() != 4 || weights().size() != 4)
      e.failUnsupported(fmt::format("data {} and weights {} are not of two "
                                    "dimensions, which are supported",
                                    toString(field()), toString(weights())));
    const bool areGroups =
        groups > 0 && offsetGroups > 0 && field()[1] % groups == 0 &&
        field()[1] % offsetGroups == 0 && weights()[0] % groups == 0 &&
        weights()[1] * groups == field()[1];
    if (!areGroups)
      e.failInput(fmt::format("data {} and weights {} do not go together with "
                              "group {} and offset_group {}",
                              toString(field()), toString(weights()), groups,
                              offsetGroups));
    checkPlaces(Offsets, 2);
    if (e.hasInput(Mask))
      checkPlaces(Mask, 1);
    const auto kernel = listOf("kernel_shape", 2, 0);
    if (e.attributes().has("kernel_shape") &&
        (kernel[0] != weights()[2] || kernel[1] != weights()[3]))
      e.failInput("its kernel_shape is not that of its weights");
  }

  void checkPlaces(Input index, std::int64_t numbers) const {
    const Shape expected = {field()[0], numbers * offsetGroups * taps(),
                            extent(0), extent(1)};
    if (e.shape(index) != expected)
      e.failInput(fmt::format("its {} has the shape {}, and {} fits",
                              index == Mask ? "mask" : "offset",
                              toString(e.shape(index)), toString(expected)));
  }

  /// Positions of the taps along a dimension, without offsets: [taps, rows,
  /// columns].
  HostTensor regularPlaces(std::size_t dim) const {
    const std::int64_t stride = listOf("strides", 2, 1)[dim];
    const std::int64_t dilation = listOf("dilations", 2, 1)[dim];
    const std::int64_t pad = listOf("pads", 4, 0)[dim];
    std::vector<float> values;
    for (std::int64_t tap = 0; tap != taps(); ++tap)
      for (std::int64_t row = 0; row != rows(); ++row)
        for (std::int64_t column = 0; column != width(); ++column) {
          const std::int64_t at = dim == 0 ? row : column;
          const std::int64_t inside =
              dim == 0 ? tap / weights()[3] : tap % weights()[3];
          values.push_back(
              static_cast<float>(at * stride - pad + inside * dilation));
        }
    return HostTensor::ofFloats({1, taps(), rows(), width()}, values);
  }

  /// Positions along a dimension in GridSample's coordinates: -1 is the left
  /// edge of the first element, 1 the right edge of the last. They are float32
  /// on the device: --precision fp16 does not convert Double.
  Value &normalized(Value &offsets, std::size_t dim) {
    const std::int64_t batch = field()[0];
    Value &chosen =
        e.reshape(e.slice(offsets, 2, static_cast<std::int64_t>(dim),
                          static_cast<std::int64_t>(dim) + 1),
                  {batch, taps(), rows(), width()});
    Value &at =
        e.add(e.cast(chosen, DataType::Double),
              e.constant(regularPlaces(dim).convertedTo(DataType::Double)));
    const double size = static_cast<double>(field()[2 + dim]);
    Value &result = e.add(e.mul(at, 2 / size), 1 / size - 1);
    return e.reshape(result, {batch, taps() * rows(), width(), 1});
  }

  /// The samples of a group of channels: [batch, channels, taps, positions].
  Value &sampled(Value &x, std::int64_t group) {
    const std::int64_t batch = field()[0];
    Value &offsets = e.reshape(e.slice(e.input(Offsets), 1, group * 2 * taps(),
                                       (group + 1) * 2 * taps()),
                               {batch, taps(), 2, places()});
    Value &grid =
        e.concat({&normalized(offsets, 1), &normalized(offsets, 0)}, 3);
    Value &found = e.op("GridSample", {&x, &grid},
                        {{"mode", std::string("linear")},
                         {"padding_mode", std::string("zeros")},
                         {"align_corners", std::int64_t(0)}});
    Value &result =
        e.reshape(found, {batch, x.info.shape[1], taps(), places()});
    if (!e.hasInput(Mask))
      return result;
    Value &mask =
        e.slice(e.input(Mask), 1, group * taps(), (group + 1) * taps());
    return e.mul(result, e.reshape(mask, {batch, 1, taps(), places()}));
  }

  Expansion &e;
  std::int64_t groups, offsetGroups;
};

std::vector<Value *> deformConv(Expansion &e) {
  return DeformConvExpansion(e).run();
}

const RegisterDecomposition decomposition("DeformConv", {19, 22}, deformConv);

} // namespace

} // namespace populus::popir
