// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slice: parts of a tensor between constant bounds, with steps. The bounds are
// attributes in version 1, as in Graphcore's Slice, and inputs later. On the
// device this is a view.

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace populus::popir {

namespace {

/// The elements first, first + step, … of a dimension; `count` of them.
struct Part {
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
};

class Slice final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    Shape shape;
    for (const Part &part : parts())
      shape.push_back(part.count);
    return {{input(0).info.type, shape}};
  }

  std::optional<std::vector<HostTensor>> evaluate() const override {
    const HostTensor &from = *input(0).constant();
    HostTensor result(infer()[0]);
    std::vector<Part> wanted = parts();
    std::vector<std::int64_t> fromSteps = strides(from.shape());
    std::vector<std::int64_t> toSteps = strides(result.shape());
    std::size_t bytes = sizeOf(from.type());
    for (std::int64_t to = 0; to != result.numElements(); ++to) {
      std::int64_t source = 0;
      for (std::size_t i = 0; i != wanted.size(); ++i) {
        std::int64_t index = to / toSteps[i] % result.shape()[i];
        source += (wanted[i].first + index * wanted[i].step) * fromSteps[i];
      }
      std::memcpy(result.bytes().data() + to * bytes,
                  from.bytes().data() + source * bytes, bytes);
    }
    return std::vector{std::move(result)};
  }

  void lower(Lowering &lowering) const override {
    poplar::Tensor value = lowering.input(*this, 0);
    std::vector<Part> wanted = parts();
    for (unsigned dim = 0; dim != wanted.size(); ++dim)
      value = takePart(value, wanted[dim], dim);
    lowering.setOutput(*this, value);
  }

  bool isIdentity() const override {
    std::vector<Part> wanted = parts();
    return output().info.shape == inputShape(0) &&
           std::all_of(wanted.begin(), wanted.end(),
                       [](const Part &part) { return part.step == 1; });
  }

  /// Pads with zeros around the slice, and between elements that steps skip.
  void differentiate(Gradients &g) const override {
    Value *dx = &g.dy();
    const std::vector<Part> taken = parts();
    std::vector<std::int64_t> lower, upper;
    for (std::size_t i = 0; i != taken.size(); ++i) {
      const Part &part = taken[i];
      dx = &inOrder(g, *dx, part, static_cast<std::int64_t>(i));
      const std::int64_t last =
          part.first + std::max<std::int64_t>(part.count - 1, 0) * part.step;
      lower.push_back(part.count == 0 ? 0 : std::min(part.first, last));
      upper.push_back(inputShape(0)[i] - lower.back() - dx->info.shape[i]);
    }
    g.set(0, g.pad(*dx, lower, upper));
  }

private:
  /// Spreads elements of a dimension to the input's distances and order.
  static Value &inOrder(Gradients &g, Value &x, const Part &part,
                        std::int64_t dim) {
    Value *result = &x;
    if (part.step < 0)
      result = &g.op("Reverse", {result},
                     {{"dimensions", std::vector<std::int64_t>{dim}}},
                     "ai.graphcore");
    const std::int64_t step = std::abs(part.step);
    if (step == 1 || part.count < 2)
      return *result;
    Shape shape = x.info.shape;
    const std::int64_t count = std::exchange(shape[dim], shape[dim] * step);
    std::vector<std::int64_t> none(shape.size() + 1), behind = none;
    behind[dim + 1] = step - 1;
    Value &spread = g.pad(g.unsqueeze(*result, {dim + 1}), none, behind);
    return g.slice(g.reshape(spread, shape), dim, 0, (count - 1) * step + 1);
  }

  static poplar::Tensor takePart(poplar::Tensor value, const Part &part,
                                 unsigned dim) {
    if (part.count == 0)
      return value.slice(0, 0, dim);
    std::int64_t last = part.first + (part.count - 1) * part.step;
    value = value.slice(std::min(part.first, last),
                        std::max(part.first, last) + 1, dim);
    if (part.step < 0)
      value = value.reverse(dim);
    auto stride = static_cast<unsigned>(std::abs(part.step));
    return stride == 1 ? value : value.subSample(stride, dim);
  }

  std::vector<std::int64_t> bounds(std::size_t index, const char *name) const {
    return version() == 1 ? attributes().getInts(name)
                          : constantInput(index, name).toInts();
  }

  std::vector<std::int64_t> optionalInput(std::size_t index,
                                          const char *name) const {
    if (version() == 1)
      return attributes().getInts(name);
    return hasInput(index) ? constantInput(index, name).toInts()
                           : std::vector<std::int64_t>();
  }

  std::vector<Part> parts() const {
    std::vector<std::int64_t> starts = bounds(1, "starts");
    std::vector<std::int64_t> ends = bounds(2, "ends");
    std::vector<std::int64_t> axes = optionalInput(3, "axes");
    std::vector<std::int64_t> steps = optionalInput(4, "steps");
    if (axes.empty()) {
      axes.resize(starts.size());
      std::iota(axes.begin(), axes.end(), 0);
    }
    if (steps.empty())
      steps.resize(starts.size(), 1);
    if (ends.size() != starts.size() || axes.size() != starts.size() ||
        steps.size() != starts.size())
      failInput("starts, ends, axes and steps differ in length");
    normalAxes(*this, axes, input(0).info.rank()); // none twice

    std::vector<Part> result;
    for (std::int64_t extent : inputShape(0))
      result.push_back({0, 1, extent});
    for (std::size_t i = 0; i != axes.size(); ++i) {
      std::int64_t dim = normalAxis(*this, axes[i], input(0).info.rank());
      result[dim] = part(starts[i], ends[i], steps[i], inputShape(0)[dim]);
    }
    return result;
  }

  Part part(std::int64_t start, std::int64_t end, std::int64_t step,
            std::int64_t extent) const {
    if (step == 0 || step == std::numeric_limits<std::int64_t>::min())
      failInput(fmt::format("its step {} is not possible", step));
    if (extent == 0)
      return {0, 1, 0};
    // Negative bounds count from the end. Bounds are clamped to the range that
    // the step's direction can reach.
    std::int64_t high = step > 0 ? extent : extent - 1;
    start =
        std::clamp<std::int64_t>(start < 0 ? start + extent : start, 0, high);
    end = std::clamp<std::int64_t>(end < 0 ? end + extent : end,
                                   step > 0 ? 0 : -1, high);
    std::int64_t distance = step > 0 ? end - start : start - end;
    std::int64_t stride = std::abs(step);
    // Rounded up without overflow for huge steps.
    std::int64_t count = distance <= 0 ? 0 : (distance - 1) / stride + 1;
    return {start, count <= 1 ? 1 : step, count};
  }
};

const RegisterOp<Slice> registration("Slice", {1, 10, 11, 13});
const RegisterOp<Slice> graphcore("Slice", {1}, "ai.graphcore", 1);

} // namespace

} // namespace populus::popir
