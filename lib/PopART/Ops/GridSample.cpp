// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GridSample: an image at the points of a grid, whose coordinates go from -1 to
// 1 over the image.

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Sampling.h"
#include "lib/PopART/Ops/Shapes.h"

#include <fmt/format.h>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>

#include <numeric>

namespace populus::popir {

namespace {

class GridSample final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    checkFloat(*this);
    interpolation();
    outside();
    const Shape &x = inputShape(0), &grid = inputShape(1);
    if (x.size() != 4 || grid.size() != 4 || grid[0] != x[0] || grid[3] != 2 ||
        x[2] < 1 || x[3] < 1)
      failUnsupported(fmt::format("images {} and a grid {} do not go together; "
                                  "they are [N, C, H, W] and [N, H', W', 2]",
                                  toString(x), toString(grid)));
    return {{input(0).info.type, {x[0], x[1], grid[1], grid[2]}}};
  }

  bool needsFloat32(std::size_t index) const override { return index == 1; }

  void lower(Lowering &lowering) const override {
    const Shape &image = inputShape(0), &shape = output().info.shape;
    poplar::Tensor grid = lowering.input(*this, 1);
    if (grid.elementType() != poplar::FLOAT)
      grid = popops::cast(lowering.graph(), grid, poplar::FLOAT,
                          lowering.program(), lowering.debug(*this));
    std::vector<std::int64_t> starts(image[0]);
    for (std::size_t n = 0; n != starts.size(); ++n)
      starts[n] = static_cast<std::int64_t>(n) * image[2] * image[3];
    const poplar::Tensor first =
        lowering
            .addConstant(
                HostTensor::ofInts(starts).convertedTo(DataType::Int32),
                {lowering.debug(*this), "first"})
            .reshape({starts.size(), 1, 1});
    const poplar::Tensor table = pixelTable(lowering.input(*this, 0));
    poplar::Tensor sum;
    for (const Pixels &pixels :
         pixelsAround(lowering, *this, coordinates(lowering, grid, 1, image[2]),
                      coordinates(lowering, grid, 0, image[3]), first, image[2],
                      image[3], interpolation(), outside())) {
      poplar::Tensor part = weightedRows(lowering, *this, table, pixels);
      if (sum.valid())
        popops::addInPlace(lowering.graph(), sum, part, lowering.program(),
                           lowering.debug(*this));
      else
        sum = part;
    }
    lowering.setOutput(
        *this, sum.reshape(toPoplar({shape[0], shape[2], shape[3], shape[1]}))
                   .dimShuffle({0, 3, 1, 2}));
  }

private:
  Interpolation interpolation() const {
    const std::string mode = attributes().getString("mode", "bilinear");
    // The names of version 16 and those since version 20.
    if (mode == "bilinear" || mode == "linear")
      return Interpolation::Linear;
    if (mode == "nearest")
      return Interpolation::Nearest;
    if (mode != "bicubic" && mode != "cubic")
      failUnsupported(fmt::format("its mode \"{}\" is not supported", mode));
    return Interpolation::Cubic;
  }

  Outside outside() const {
    const bool atCentres = attributes().getInt("align_corners", 0) != 0;
    const std::string mode = attributes().getString("padding_mode", "zeros");
    if (mode == "zeros")
      return {Outside::Zeros, atCentres};
    if (mode == "border")
      return {Outside::Border, atCentres};
    if (mode != "reflection")
      failUnsupported(
          fmt::format("its padding_mode \"{}\" is not supported", mode));
    return {Outside::Reflection, atCentres};
  }

  /// Of the points in one dimension, in pixels.
  poplar::Tensor coordinates(Lowering &lowering, const poplar::Tensor &grid,
                             std::size_t which, std::int64_t extent) const {
    const Outside rule = outside();
    auto number = [](double value) {
      return expr::Const(value, poplar::FLOAT);
    };
    const auto size = static_cast<double>(extent);
    const double scale = (rule.atCentres ? size - 1 : size) / 2;
    expr::Any point = (expr::_1 + number(1)) * number(scale) -
                      number(rule.atCentres ? 0 : 0.5);
    if (rule.kind == Outside::Border)
      point = expr::Max(expr::Min(point, number(size - 1)), number(0));
    if (rule.kind == Outside::Reflection) {
      const double edge = rule.atCentres ? 0 : -0.5;
      point = reflected(point, edge, size - 1 - edge);
    }
    return popops::map(lowering.graph(), point,
                       {grid.slice(which, which + 1, 3)
                            .reshape({grid.dim(0), grid.dim(1), grid.dim(2)})},
                       lowering.program(), lowering.debug(*this));
  }
};

const RegisterOp<GridSample> registration("GridSample", {16, 20, 22});

} // namespace

} // namespace populus::popir
