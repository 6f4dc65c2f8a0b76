// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Aligned rectangles and their gradient against a reference in double.

#include "Harness.h"

#include <popnn/experimental/ROIAlign.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace test;
using namespace popnn::experimental;

POPLIBS_INSTANTIATE_ON("cpu", "model7", "ipu7");

namespace {

struct Images {
  std::size_t count, channels, height, width;
  std::size_t elements() const { return count * channels * height * width; }
};

/// Visits each point: the bin, the pixel, and the weight of the pixel in the
/// bin. Rectangles are {x, y, x, y}.
template <class Visit>
void forPoints(const Images &images, const Values &rois, const Values &imageOf,
               const roiAlignParams &params, Visit visit) {
  for (std::size_t r = 0; r != imageOf.size(); ++r) {
    const double *roi = &rois[4 * r];
    const double offset = params.halfPixel ? 0.5 : 0;
    double start[2], bin[2];
    std::size_t points[2];
    const std::size_t bins[] = {params.alignedWidth, params.alignedHeight};
    for (int d = 0; d != 2; ++d) {
      start[d] = roi[d] * params.spatialScale - offset;
      double size = roi[d + 2] * params.spatialScale - offset - start[d];
      if (!params.halfPixel)
        size = std::max(size, 1.0);
      bin[d] = size / static_cast<double>(bins[d]);
      points[d] = params.samplingRatio
                      ? params.samplingRatio
                      : static_cast<std::size_t>(std::ceil(bin[d]));
    }
    const double share =
        1.0 /
        static_cast<double>(std::max<std::size_t>(1, points[0] * points[1]));
    forEachIndex({bins[1], bins[0], points[1], points[0]}, [&](const Shape &i) {
      const double y = start[1] + bin[1] * (i[0] + (i[2] + 0.5) / points[1]);
      const double x = start[0] + bin[0] * (i[1] + (i[3] + 0.5) / points[0]);
      const double h = images.height, w = images.width;
      if (y < -1 || y > h || x < -1 || x > w)
        return;
      // Each pixel within one of the point has a share.
      const double ny = std::clamp(y, 0.0, h - 1);
      const double nx = std::clamp(x, 0.0, w - 1);
      for (std::size_t py = 0; py != images.height; ++py)
        for (std::size_t px = 0; px != images.width; ++px) {
          const double wy = 1 - std::abs(ny - double(py));
          const double wx = 1 - std::abs(nx - double(px));
          if (wy > 0 && wx > 0)
            visit(r, i[0], i[1], py, px, wy * wx * share);
        }
    });
  }
}

const roiAlignParams Cases[] = {{3, 2, 2, 1.0f, false},
                                {1, 5, 0, 0.5f, true},
                                {2, 2, 3, 0.25f, false},
                                {4, 3, 0, 1.0f, false}};

} // namespace

TEST_P(OnDevices, RoiAlign) {
  for (const Type &type : {FLOAT, HALF})
    for (const roiAlignParams &params : Cases) {
      const Images images{3, 5, 7, 6};
      const Values data = randomValues(images.elements(), -1, 1, 3);
      // Inside, over the border, and outside.
      const Values rois{0.3f, 1.1f,  4.7f, 5.2f, 3.0f, 2.0f, 9.5f, 11.0f,
                        1.2f, -2.3f, 2.1f, 0.4f, 20,   20,   24,   23};
      const Values imageOf{2, 0, 1, 1};
      const std::size_t bins = params.alignedHeight * params.alignedWidth;
      const Values top =
          randomValues(imageOf.size() * images.channels * bins, -1, 1, 4);
      Program p(GetParam());
      const Tensor in = p.input(
          type, {images.count, images.channels, images.height, images.width},
          data);
      const Tensor rectangles = p.input({4, 4}, rois);
      const Tensor which = p.input(INT, {4}, imageOf);
      const Tensor out =
          roiAlignFwd(p.graph, in, rectangles, which, params, p.prog);
      ASSERT_EQ(out.shape(), (Shape{4, images.channels, params.alignedHeight,
                                    params.alignedWidth}));
      const auto forward = p.output(out);
      const auto backward = p.output(
          roiAlignInputGradient(p.graph, p.input(type, out.shape(), top), in,
                                rectangles, which, params, p.prog));
      p.run();
      Values expected(top.size()), gradient(data.size());
      forPoints(images, rois, imageOf, params,
                [&](std::size_t r, std::size_t row, std::size_t column,
                    std::size_t y, std::size_t x, double weight) {
                  for (std::size_t c = 0; c != images.channels; ++c) {
                    const std::size_t bin = (r * images.channels + c) * bins +
                                            row * params.alignedWidth + column;
                    const auto image = static_cast<std::size_t>(imageOf[r]);
                    const std::size_t pixel =
                        ((image * images.channels + c) * images.height + y) *
                            images.width +
                        x;
                    expected[bin] += weight * data[pixel];
                    gradient[pixel] += weight * top[bin];
                  }
                });
      const double tolerance = type == HALF ? 3e-3 : 2e-5;
      expectNear(p.result(forward), expected, tolerance, tolerance);
      expectNear(p.result(backward), gradient, tolerance, tolerance);
    }
}

// A rectangle of an image that there is not.
TEST_P(OnDevices, RoiAlignOutsideOfBatch) {
  Program p(GetParam());
  const roiAlignParams params;
  const Tensor in = p.input({1, 2, 3, 3}, Values(18, 1.0));
  const Values out = p.valuesOf(
      roiAlignFwd(p.graph, in, p.input({2, 4}, {0, 0, 2, 2, 0, 0, 2, 2}),
                  p.input(INT, {2}, {0, 1}), params, p.prog));
  EXPECT_NEAR(out[0], 1, 1e-6);
  EXPECT_TRUE(std::isnan(out[2]) && std::isnan(out[3]));
}

TEST(RoiAlign, Refusals) {
  Program p("cpu");
  const Tensor in = p.input({1, 2, 3, 3}, Values(18));
  const Tensor rois = p.input({2, 4}, Values(8));
  const Tensor which = p.input(INT, {2}, {0, 0});
  const auto align = [&](const Tensor &data, const Tensor &r, const Tensor &w,
                         const roiAlignParams &params) {
    roiAlignFwd(p.graph, data, r, w, params, p.prog);
  };
  EXPECT_THROW(align(in[0], rois, which, {}), poputil::poplibs_error);
  EXPECT_THROW(align(in, rois.slice(0, 1), which, {}), poputil::poplibs_error);
  EXPECT_THROW(align(in, rois, rois[0].slice(0, 2), {}),
               poputil::poplibs_error);
  roiAlignParams none;
  none.alignedWidth = 0;
  EXPECT_THROW(align(in, rois, which, none), poputil::poplibs_error);
}

// The IPU Model's estimates are those of the vertices on tiles.
TEST(RoiAlign, Estimates) {
  constexpr std::size_t Rectangles = 10;
  Values rois;
  for (std::size_t i = 0; i != Rectangles; ++i)
    rois.insert(rois.end(), {1, 1, 15, 15});
  for (unsigned points : {1u, 2u, 3u})
    for (bool gradient : {false, true}) {
      std::map<std::string, double> cycles;
      for (const char *device : {"model6", "ipu6"}) {
        Program p(device);
        const roiAlignParams params{7, 7, points, 1.0f, false};
        const Tensor in = p.input({1, 6, 20, 20}, Values(2400, 1.0));
        const Tensor r = p.input({Rectangles, 4}, rois);
        const Tensor which =
            p.input(UNSIGNED_INT, {Rectangles}, Values(Rectangles, 0.0));
        const Tensor top =
            p.input({Rectangles, 6, 7, 7}, Values(Rectangles * 6 * 49, 1.0));
        p.output(gradient ? roiAlignInputGradient(p.graph, top, in, r, which,
                                                  params, p.prog)
                          : roiAlignFwd(p.graph, in, r, which, params, p.prog));
        cycles[device] = static_cast<double>(p.cycles());
      }
      EXPECT_NEAR(cycles["model6"] / cycles["ipu6"], 1, 0.25)
          << points << (gradient ? " points, backwards" : " points");
    }
}
