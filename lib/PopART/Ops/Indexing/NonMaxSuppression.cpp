// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NonMaxSuppression, on constants: how many boxes are left depends on their
// values, and shapes have to be known when the model is compiled. With a bound,
// Bounded/NonMaxSuppression.cpp computes it on the device.

#include "lib/PopART/Ops/Constants/ConstantOnlyOp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace populus::popir {

namespace {

struct Box {
  double top, left, bottom, right;

  double area() const { return (bottom - top) * (right - left); }
};

double overlap(const Box &a, const Box &b) {
  const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (height <= 0 || width <= 0)
    return 0;
  const double both = height * width;
  return both / (a.area() + b.area() - both);
}

class NonMaxSuppression final : public ConstantOnlyOp {
public:
  using ConstantOnlyOp::ConstantOnlyOp;

  std::vector<TensorInfo> infer() const override {
    return {{DataType::Int64,
             {static_cast<std::int64_t>(selected().size()) / 3, 3}}};
  }

  std::optional<std::vector<HostTensor>> evaluate() const override {
    std::vector<std::int64_t> all = selected();
    return std::vector{HostTensor::ofInts(all).reshaped(
        {static_cast<std::int64_t>(all.size()) / 3, 3})};
  }

private:
  enum Input : std::size_t { Boxes, Scores, Most, Overlap, Threshold };

  double scalar(Input index, std::string_view role, double fallback) const {
    if (!hasInput(index))
      return fallback;
    const std::vector<double> values = constantInput(index, role).toDoubles();
    if (values.size() != 1)
      failInput(fmt::format("its {} is not a scalar", role));
    return values[0];
  }

  Box box(const double *numbers) const {
    if (attributes().getInt("center_point_box", 0) != 0) {
      const double x = numbers[0], y = numbers[1];
      const double width = numbers[2], height = numbers[3];
      return {y - height / 2, x - width / 2, y + height / 2, x + width / 2};
    }
    // Any two opposite corners.
    const auto [top, bottom] = std::minmax(numbers[0], numbers[2]);
    const auto [left, right] = std::minmax(numbers[1], numbers[3]);
    return {top, left, bottom, right};
  }

  /// Batch, class and box of each that is left.
  std::vector<std::int64_t> selected() const {
    const Shape &b = inputShape(Boxes), &s = inputShape(Scores);
    if (b.size() != 3 || s.size() != 3 || b[2] != 4 || b[0] != s[0] ||
        b[1] != s[2])
      failInput(fmt::format("boxes {} and scores {} do not go together",
                            toString(b), toString(s)));
    const std::vector<double> numbers =
        constantInput(Boxes, "boxes").toDoubles();
    const std::vector<double> scores =
        constantInput(Scores, "scores").toDoubles();
    std::vector<std::int64_t> result;
    for (std::int64_t batch = 0; batch != b[0]; ++batch)
      for (std::int64_t kind = 0; kind != s[1]; ++kind)
        for (std::int64_t i :
             selectedOf(numbers.data() + batch * b[1] * 4,
                        scores.data() + (batch * s[1] + kind) * s[2], b[1]))
          result.insert(result.end(), {batch, kind, i});
    return result;
  }

  std::vector<std::int64_t> selectedOf(const double *boxes,
                                       const double *scores,
                                       std::int64_t count) const {
    const double most = scalar(Most, "max_output_boxes_per_class", 0);
    const double largest = scalar(Overlap, "iou_threshold", 0);
    const double least = scalar(Threshold, "score_threshold",
                                -std::numeric_limits<double>::infinity());
    std::vector<std::int64_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater<>(), [&](std::int64_t i) {
      return std::isnan(scores[i]) ? -std::numeric_limits<double>::infinity()
                                   : scores[i];
    });
    std::vector<std::int64_t> result;
    for (std::int64_t i : order) {
      if (static_cast<double>(result.size()) >= most)
        break;
      const bool isHidden =
          std::ranges::any_of(result, [&](std::int64_t other) {
            return overlap(box(boxes + 4 * i), box(boxes + 4 * other)) >
                   largest;
          });
      const bool isHigh =
          hasInput(Threshold) ? scores[i] > least : !std::isnan(scores[i]);
      if (isHigh && !isHidden)
        result.push_back(i);
    }
    return result;
  }
};

const RegisterOp<NonMaxSuppression> registration("NonMaxSuppression", {10, 11});

} // namespace

} // namespace populus::popir
