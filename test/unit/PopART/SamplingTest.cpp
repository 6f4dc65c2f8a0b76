// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RoiAlign where ONNX's test data have nothing: rectangles that are known when
// the model runs, maxima, and version 10. The reference is a plain float64
// computation.

#include "lib/PopART/Support/Error.h"
#include "test/unit/PopART/ModelBuilder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace populus::popir::test {
namespace {

/// The parts of the pixels around a point, each with its weight.
std::array<double, 4> pixelsAt(const Array &image, std::int64_t n,
                               std::int64_t c, double y, double x) {
  const std::int64_t height = image.shape[2], width = image.shape[3];
  if (y < -1 || y > double(height) || x < -1 || x > double(width))
    return {};
  y = std::clamp(y, 0.0, double(height - 1));
  x = std::clamp(x, 0.0, double(width - 1));
  const auto y0 = static_cast<std::int64_t>(y);
  const auto x0 = static_cast<std::int64_t>(x);
  const std::int64_t y1 = std::min(y0 + 1, height - 1);
  const std::int64_t x1 = std::min(x0 + 1, width - 1);
  const double v = y - double(y0), u = x - double(x0);
  return {(1 - v) * (1 - u) * image({n, c, y0, x0}),
          (1 - v) * u * image({n, c, y0, x1}),
          v * (1 - u) * image({n, c, y1, x0}), v * u * image({n, c, y1, x1})};
}

struct Form {
  bool isMax, isHalfPixel;
};

Array reference(const Array &image, const Array &rois, const Array &batch,
                Form form) {
  const std::int64_t points = 2, rows = 3, columns = 2;
  const double scale = 0.5, offset = form.isHalfPixel ? 0.5 : 0;
  Array result{{rois.shape[0], image.shape[1], rows, columns}, {}};
  for (std::int64_t r = 0; r != rois.shape[0]; ++r)
    for (std::int64_t c = 0; c != image.shape[1]; ++c)
      for (std::int64_t row = 0; row != rows; ++row)
        for (std::int64_t column = 0; column != columns; ++column) {
          double width = (rois({r, 2}) - rois({r, 0})) * scale;
          double height = (rois({r, 3}) - rois({r, 1})) * scale;
          if (!form.isHalfPixel) {
            width = std::max(width, 1.0);
            height = std::max(height, 1.0);
          }
          double sum = 0, most = -1e9;
          for (std::int64_t i = 0; i != points; ++i)
            for (std::int64_t k = 0; k != points; ++k) {
              const double y = rois({r, 1}) * scale - offset +
                               height / rows * (row + (i + 0.5) / points);
              const double x = rois({r, 0}) * scale - offset +
                               width / columns * (column + (k + 0.5) / points);
              for (double part :
                   pixelsAt(image, std::int64_t(batch.values[r]), c, y, x)) {
                sum += part;
                most = std::max(most, part);
              }
            }
          result.values.push_back(form.isMax ? most : sum / (points * points));
        }
  return result;
}

onnx::ModelProto model(int opset, const Form &form, std::int64_t ratio = 2) {
  ModelBuilder m(opset);
  m.input("x", {2, 3, 6, 5}).input("rois", {4, 4});
  m.input("batch", {4}, onnx::TensorProto::INT64);
  std::vector<Attr> attributes = {{"output_height", 3},
                                  {"output_width", 2},
                                  {"sampling_ratio", ratio},
                                  {"spatial_scale", 0.5F},
                                  {"mode", form.isMax ? "max" : "avg"}};
  if (opset >= 16)
    attributes.emplace_back("coordinate_transformation_mode",
                            form.isHalfPixel ? "half_pixel"
                                             : "output_half_pixel");
  m.node("RoiAlign", {"x", "rois", "batch"}, {"y"}, attributes);
  return m.output("y").model;
}

TEST(Sampling, RoiAlign) {
  const Array image = randomArray({2, 3, 6, 5}, 71);
  const Array rois{{4, 4},
                   {0, 0, 8, 10, 3.5, 2.25, 4, 3, 1, 2, 20, 30, -9, -9, -1, 5}};
  const Array batch{{4}, {0, 1, 1, 0}};
  auto check = [&](int opset, Form form, const MachineOptions &machine) {
    expectClose(run(model(opset, form),
                    {{"x", image}, {"rois", rois}, {"batch", batch}}, machine)
                    .at("y"),
                reference(image, rois, batch, form));
  };
  for (const MachineOptions &machine :
       {MachineOptions{"cpu", "cpu"}, MachineOptions{"ipu2", "ipu", 1, 4}}) {
    check(16, {false, true}, machine);
    check(10, {false, false}, machine);
    check(16, {true, false}, machine);
  }
}

// popart-compile/forms-sampling.test compares its values.
TEST(Sampling, RoiAlignWithoutRatioTakesRectanglesAtRunTime) {
  EXPECT_NO_THROW(importModel(model(16, {false, true}, 0)));
}

} // namespace
} // namespace populus::popir::test
