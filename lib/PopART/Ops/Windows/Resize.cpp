// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resize and Upsample. Along each dimension, an element of the result is a
// weighted sum of one (nearest), two (linear) or four (cubic) elements of the
// input; antialiasing widens the window when an image shrinks. Dimensions are
// processed one after the other. Indices and weights are known at compile time,
// so the device only multiplies views by constants.

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Adjoints.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>
#include <popops/ElementWise.hpp>

#include <algorithm>
#include <cmath>

namespace populus::popir {

namespace {

/// For each element along a dimension of the result, `taps` elements of the
/// input with their weights.
struct Interpolation {
  std::size_t taps = 1;
  std::vector<std::int64_t> places;
  std::vector<double> weights;
  /// Elements outside the input, which are filled with a value.
  std::vector<bool> isOutside;
};

class ResizeOp final : public DeviceOp {
public:
  explicit ResizeOp(OpSpec newSpec) : DeviceOp(std::move(newSpec)) {
    const std::string kind = mode();
    if (kind != "nearest" && kind != "linear" && kind != "bilinear" &&
        kind != "cubic")
      failUnsupported(fmt::format("mode \"{}\" is not supported", kind));
  }

  std::vector<TensorInfo> infer() const override {
    Shape shape;
    for (const Dimension &dim : dimensions())
      shape.push_back(dim.to);
    return {{input(0).info.type, shape}};
  }

  void lower(Lowering &lowering) const override {
    poplar::Tensor x = lowering.input(*this, 0);
    std::vector<Dimension> dims = dimensions();
    for (unsigned i = 0; i != dims.size(); ++i)
      if (changes(dims[i]))
        x = resized(lowering, x, i, interpolation(dims[i]));
    lowering.setOutput(*this, x);
  }

  /// The transposed map: each input element sums the gradients of the results
  /// that it contributed to.
  void differentiate(Gradients &g) const override {
    if (mode() != "nearest" && mode() != "cubic")
      failUnsupported("Resize mode 'linear' is not supported when training.");
    const std::vector<Dimension> dims = dimensions();
    Value *gradient = &g.dy();
    for (std::size_t i = 0; i != dims.size(); ++i)
      if (changes(dims[i]))
        gradient = &slicesSummed(g, *gradient, static_cast<std::int64_t>(i),
                                 givenBy(interpolation(dims[i]), dims[i].from));
    g.set(0, *gradient);
  }

  bool readsOnHost(std::size_t index) const override { return index != 0; }

  bool isIdentity() const override {
    return std::ranges::none_of(
        dimensions(), [&](const Dimension &dim) { return changes(dim); });
  }

private:
  struct Dimension {
    std::int64_t from, to;
    double scale;
    /// The part of the input that tf_crop_and_resize takes.
    double start = 0, end = 1;
  };

  /// A scale near 1 may keep the extent, but shift the elements.
  bool changes(const Dimension &dim) const {
    return dim.from != dim.to || dim.scale != 1 ||
           coordinates() == "tf_crop_and_resize";
  }

  bool isUpsample() const { return id().type == "Upsample"; }
  std::string mode() const { return attributes().getString("mode", "nearest"); }
  std::string coordinates() const {
    if (isUpsample() || version() == 10)
      return "asymmetric";
    return attributes().getString("coordinate_transformation_mode",
                                  "half_pixel");
  }
  /// Before opset 11, which has an attribute for it, upsampling rounds down and
  /// downsampling rounds up.
  std::string nearestMode(const Dimension &dim) const {
    if (isUpsample() || version() == 10)
      return dim.scale < 1 ? "ceil" : "floor";
    return attributes().getString("nearest_mode", "round_prefer_floor");
  }

  std::vector<double> scales() const {
    if (isUpsample() && version() == 7) {
      std::vector<float> list = attributes().getFloats("scales");
      return {list.begin(), list.end()};
    }
    std::size_t index = isUpsample() || version() == 10 ? 1 : 2;
    return hasInput(index) ? constantInput(index, "scales").toDoubles()
                           : std::vector<double>();
  }

  /// The dimensions that scales, sizes and roi are for, in their order.
  std::vector<std::int64_t> axes() const {
    std::vector<std::int64_t> result;
    if (!attributes().has("axes")) {
      for (std::int64_t i = 0; i != input(0).info.rank(); ++i)
        result.push_back(i);
      return result;
    }
    for (std::int64_t axis : attributes().getInts("axes")) {
      result.push_back(normalAxis(*this, axis, input(0).info.rank()));
      if (std::ranges::count(result, result.back()) != 1)
        failInput(fmt::format("it names the axis {} twice", axis));
    }
    return result;
  }

  std::vector<Dimension> dimensions() const {
    std::vector<double> factors = scales();
    std::vector<std::int64_t> sizes;
    if (factors.empty() && hasInput(3))
      sizes = constantInput(3, "sizes").toInts();
    const std::vector<std::int64_t> resized = axes();
    if (std::max(factors.size(), sizes.size()) != resized.size())
      failInput(fmt::format("it has {} scales or sizes for {} dimensions",
                            std::max(factors.size(), sizes.size()),
                            resized.size()));
    std::vector<Dimension> result;
    for (std::int64_t extent : inputShape(0))
      result.push_back({extent, extent, 1});
    const std::optional<double> common = commonScale(sizes);
    for (std::size_t k = 0; k != resized.size(); ++k) {
      Dimension &dim = result[resized[k]];
      const auto from = static_cast<double>(dim.from);
      // Multiply as float, like ONNX's shape inference: 0.7 * 10 is 7.
      double extent = factors.empty()
                          ? static_cast<double>(sizes[k])
                          : std::floor(static_cast<float>(from) *
                                       static_cast<float>(factors[k]));
      dim.scale = factors.empty() ? extent / from : factors[k];
      if (common) {
        dim.scale = *common;
        extent = std::floor(*common * from + 0.5);
      }
      if (!(dim.scale > 0) || !(extent >= 0 && extent < 1 << 24))
        failInput(fmt::format("dimension {} of {} elements cannot be resized "
                              "to {}",
                              resized[k], dim.from, extent));
      dim.to = static_cast<std::int64_t>(extent);
    }
    if (coordinates() == "tf_crop_and_resize") {
      std::vector<double> roi = constantInput(1, "roi").toDoubles();
      if (roi.size() != 2 * resized.size())
        failInput("its roi does not have two entries for each dimension");
      for (std::size_t k = 0; k != resized.size(); ++k) {
        result[resized[k]].start = roi[k];
        result[resized[k]].end = roi[k + resized.size()];
      }
    }
    return result;
  }

  /// The common scale of all dimensions, if the aspect ratio is kept and sizes
  /// are only bounds.
  std::optional<double>
  commonScale(const std::vector<std::int64_t> &sizes) const {
    const std::string policy =
        attributes().getString("keep_aspect_ratio_policy", "stretch");
    if (policy == "stretch" || sizes.empty())
      return std::nullopt;
    if (policy != "not_larger" && policy != "not_smaller")
      failInput(fmt::format("keep_aspect_ratio_policy \"{}\" does not exist",
                            policy));
    std::vector<double> all;
    const std::vector<std::int64_t> resized = axes();
    for (std::size_t k = 0; k != sizes.size(); ++k)
      all.push_back(static_cast<double>(sizes[k]) /
                    static_cast<double>(inputShape(0)[resized[k]]));
    return policy == "not_larger" ? std::ranges::min(all)
                                  : std::ranges::max(all);
  }

  /// The position of element `i` of the result in the input.
  double place(const Dimension &dim, std::int64_t i) const {
    std::string kind = coordinates();
    double at = static_cast<double>(i), from = static_cast<double>(dim.from),
           to = static_cast<double>(dim.to);
    if (kind == "asymmetric")
      return at / dim.scale;
    if (kind == "align_corners")
      return dim.to == 1 ? 0 : at * (from - 1) / (to - 1);
    if (kind == "pytorch_half_pixel")
      return dim.to == 1 ? 0 : (at + 0.5) / dim.scale - 0.5;
    if (kind == "tf_half_pixel_for_nn")
      return (at + 0.5) / dim.scale;
    if (kind == "tf_crop_and_resize")
      return dim.to == 1 ? 0.5 * (dim.start + dim.end) * (from - 1)
                         : dim.start * (from - 1) + at * (dim.end - dim.start) *
                                                        (from - 1) / (to - 1);
    if (kind == "half_pixel_symmetric") {
      // Uses the result's extent before rounding down.
      const double adjustment = to / (dim.scale * from);
      return from / 2 * (1 - adjustment) + (at + 0.5) / dim.scale - 0.5;
    }
    if (kind != "half_pixel")
      failUnsupported(fmt::format("coordinate_transformation_mode \"{}\" is "
                                  "not supported",
                                  kind));
    return (at + 0.5) / dim.scale - 0.5;
  }

  double nearest(const Dimension &dim, double exact) const {
    const std::string kind = nearestMode(dim);
    // Rounding to float makes 7 / 0.7 exactly 10.
    const double at = isUpsample() || version() == 10
                          ? static_cast<double>(static_cast<float>(exact))
                          : exact;
    if (kind == "floor")
      return std::floor(at);
    if (kind == "ceil")
      return std::ceil(at);
    if (kind == "round_prefer_ceil")
      return std::floor(at + 0.5);
    return std::ceil(at - 0.5);
  }

  /// The weight of an element at a distance from a place, in elements.
  double weightAt(double distance) const {
    const double d = std::abs(distance);
    if (mode() != "cubic")
      return std::max(0.0, 1 - d);
    const double a = attributes().getFloat("cubic_coeff_a", -0.75f);
    if (d <= 1)
      return ((a + 2) * d - (a + 3)) * d * d + 1;
    if (d < 2)
      return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
    return 0;
  }

  /// The inverse of the factor by which antialiasing widens the window.
  double narrowing(const Dimension &dim) const {
    return attributes().getInt("antialias", 0) != 0 ? std::min(dim.scale, 1.0)
                                                    : 1.0;
  }

  Interpolation interpolation(const Dimension &dim) const {
    Interpolation result;
    const bool isNearest = mode() == "nearest";
    const double scale = narrowing(dim);
    // The number of elements on each side of the position.
    const auto reach = static_cast<std::int64_t>(
        std::ceil((mode() == "cubic" ? 2 : 1) / scale));
    result.taps = isNearest ? 1 : static_cast<std::size_t>(2 * reach);
    for (std::int64_t i = 0; i != dim.to; ++i) {
      double at = place(dim, i);
      result.isOutside.push_back(
          coordinates() == "tf_crop_and_resize" &&
          (at < 0 || at > static_cast<double>(dim.from - 1)));
      if (isNearest) {
        addTaps(result, dim, static_cast<std::int64_t>(nearest(dim, at)), {1});
        continue;
      }
      const auto first = static_cast<std::int64_t>(std::ceil(at)) - reach;
      std::vector<double> weights(result.taps);
      double sum = 0;
      for (std::size_t k = 0; k != weights.size(); ++k) {
        weights[k] = weightAt(
            (static_cast<double>(first + static_cast<std::int64_t>(k)) - at) *
            scale);
        sum += weights[k];
      }
      if (scale != 1)
        for (double &weight : weights)
          weight /= sum;
      addTaps(result, dim, first, weights);
    }
    return result;
  }

  void addTaps(Interpolation &result, const Dimension &dim, std::int64_t first,
               std::vector<double> weights) const {
    bool exclude = attributes().getInt("exclude_outside", 0) != 0;
    double sum = 0;
    for (std::size_t k = 0; k != weights.size(); ++k) {
      std::int64_t place = first + static_cast<std::int64_t>(k);
      if (exclude && (place < 0 || place >= dim.from))
        weights[k] = 0;
      sum += weights[k];
      result.places.push_back(std::clamp<std::int64_t>(place, 0, dim.from - 1));
    }
    for (double weight : weights)
      result.weights.push_back(exclude ? weight / sum : weight);
  }

  /// For each element along a dimension of the input, the elements of the
  /// result that it contributes to.
  static std::vector<std::vector<WeightedSlice>>
  givenBy(const Interpolation &how, std::int64_t extent) {
    std::vector<std::vector<WeightedSlice>> result(extent);
    for (std::size_t i = 0; i != how.isOutside.size(); ++i)
      for (std::size_t k = i * how.taps; k != (i + 1) * how.taps; ++k)
        if (!how.isOutside[i] && how.weights[k] != 0)
          result[how.places[k]].push_back(
              {static_cast<std::int64_t>(i), how.weights[k]});
    return result;
  }

  /// The elements for one tap, as a view: runs of the input.
  static poplar::Tensor gathered(const poplar::Tensor &x, unsigned dim,
                                 const Interpolation &how, std::size_t tap) {
    std::vector<poplar::Tensor> parts;
    std::size_t count = how.isOutside.size();
    for (std::size_t i = 0; i != count;) {
      std::size_t first = how.places[i * how.taps + tap], length = 1;
      while (i + length != count &&
             how.places[(i + length) * how.taps + tap] ==
                 static_cast<std::int64_t>(first + length))
        ++length;
      parts.push_back(x.slice(first, first + length, dim));
      i += length;
    }
    return parts.empty() ? x.slice(0, 0, dim) : poplar::concat(parts, dim);
  }

  poplar::Tensor resized(Lowering &lowering, const poplar::Tensor &x,
                         unsigned dim, const Interpolation &how) const {
    poplar::Tensor sum;
    for (std::size_t tap = 0; tap != how.taps; ++tap) {
      poplar::Tensor part = gathered(x, dim, how, tap);
      if (how.taps != 1)
        part = popops::mul(
            lowering.graph(), part, weights(lowering, x.rank(), dim, how, tap),
            lowering.program(), {lowering.debug(*this), "weight"});
      if (tap == 0)
        sum = part;
      else
        popops::addInPlace(lowering.graph(), sum, part, lowering.program(),
                           {lowering.debug(*this), "sum"});
    }
    return withFilling(lowering, sum, dim, how);
  }

  poplar::Tensor weights(Lowering &lowering, std::size_t rank, unsigned dim,
                         const Interpolation &how, std::size_t tap) const {
    HostTensor table(
        {DataType::Double, {static_cast<std::int64_t>(how.isOutside.size())}});
    for (std::size_t i = 0; i != how.isOutside.size(); ++i)
      table.as<double>()[i] = how.weights[i * how.taps + tap];
    std::vector<std::size_t> shape(rank, 1);
    shape[dim] = how.isOutside.size();
    return lowering
        .addConstant(table.convertedTo(output().info.type),
                     {lowering.debug(*this), "weights"})
        .reshape(shape);
  }

  /// Sets elements outside the input to extrapolation_value.
  poplar::Tensor withFilling(Lowering &lowering, const poplar::Tensor &x,
                             unsigned dim, const Interpolation &how) const {
    if (std::ranges::count(how.isOutside, true) == 0)
      return x;
    poplar::Tensor value = lowering.addScalar(
        *this, attributes().getFloat("extrapolation_value", 0));
    std::vector<poplar::Tensor> parts;
    for (std::size_t i = 0; i != how.isOutside.size(); ++i) {
      poplar::Tensor slice = x.slice(i, i + 1, dim);
      if (how.isOutside[i]) {
        std::vector<std::size_t> shape = slice.shape();
        slice = value.reshape(std::vector<std::size_t>(shape.size(), 1));
        for (unsigned d = 0; d != shape.size(); ++d)
          slice = slice.broadcast(static_cast<unsigned>(shape[d]), d);
      }
      parts.push_back(slice);
    }
    return poplar::concat(parts, dim);
  }
};

const RegisterOp<ResizeOp> resize("Resize", {10, 11, 13, 18, 19});
const RegisterOp<ResizeOp> upsample("Upsample", {7, 9});

} // namespace

} // namespace populus::popir
