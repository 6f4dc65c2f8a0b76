// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RoiAlign: rectangles of images, each divided into the same number of bins. A
// bin is the mean (or the maximum) of points spread evenly over it. Without a
// sampling_ratio the number of points follows from the size of the rectangle,
// which has to be constant then.

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Indexing.h"
#include "lib/PopART/Ops/Reduction.h"
#include "lib/PopART/Ops/Sampling.h"
#include "lib/PopART/Ops/Shapes.h"

#include <fmt/format.h>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>

#include <algorithm>
#include <cmath>

namespace populus::popir {

namespace {

using popops::Operation;

expr::Const number(double value) { return {value, poplar::FLOAT}; }

class RoiAlign final : public DeviceOp {
public:
  explicit RoiAlign(OpSpec newSpec) : DeviceOp(std::move(newSpec)) {
    const std::string mode = attributes().getString("mode", "avg");
    if (mode != "avg" && mode != "max")
      failUnsupported(fmt::format("its mode \"{}\" is not supported", mode));
    bins(Rows);
    bins(Columns);
  }

  std::vector<TensorInfo> infer() const override {
    checkFloat(*this);
    const Shape &x = inputShape(0), &rois = inputShape(1);
    if (x.size() != 4 || rois.size() != 2 || rois[1] != 4 ||
        inputShape(2) != Shape{rois[0]} || x[2] < 1 || x[3] < 1)
      failInput(fmt::format("images {}, rectangles {} and batch indices {} do "
                            "not go together",
                            toString(x), toString(rois),
                            toString(inputShape(2))));
    if (samplingRatio() < 0)
      failInput("its sampling_ratio is negative");
    if (samplingRatio() == 0 && !input(1).isConstant())
      failUnsupported("its sampling_ratio is 0, so that the number of points "
                      "depends on the rectangles, which are not constant; "
                      "export the model with a sampling_ratio");
    return {{input(0).info.type, {rois[0], x[1], bins(Rows), bins(Columns)}}};
  }

  bool needsFloat32(std::size_t index) const override { return index == 1; }

  bool dependsOnValue(std::size_t index) const override {
    return index == 1 && samplingRatio() == 0;
  }

  void lower(Lowering &lowering) const override {
    const poplar::Tensor table = pixelTable(lowering.input(*this, 0));
    poplar::Tensor rois = lowering.input(*this, 1);
    if (rois.elementType() != poplar::FLOAT)
      rois = popops::cast(lowering.graph(), rois, poplar::FLOAT,
                          lowering.program(), lowering.debug(*this));
    const auto imageSize =
        static_cast<int>(inputShape(0)[2] * inputShape(0)[3]);
    const poplar::Tensor first = popops::map(
        lowering.graph(),
        expr::Cast(expr::_1, poplar::INT) * expr::Const(imageSize),
        {lowering.input(*this, 2)}, lowering.program(), lowering.debug(*this));
    std::vector<poplar::Tensor> parts;
    if (samplingRatio() != 0) {
      const auto points = static_cast<std::size_t>(samplingRatio());
      parts.push_back(pooled(lowering, table, rois, first, points, points));
    } else {
      for (std::size_t i = 0; i != rois.dim(0); ++i)
        parts.push_back(pooled(lowering, table, rois.slice(i, i + 1),
                               first.slice(i, i + 1), pointsOf(i, Rows),
                               pointsOf(i, Columns)));
    }
    lowering.setOutput(
        *this,
        (parts.empty() ? table.slice(0, 0).reshape(toPoplar(
                             {0, bins(Rows), bins(Columns), inputShape(0)[1]}))
                       : poplar::concat(parts))
            .dimShuffle({0, 3, 1, 2}));
  }

private:
  /// Rectangles are [x, y, x, y].
  enum Dimension { Columns = 0, Rows = 1 };

  std::int64_t bins(Dimension which) const {
    const char *name = which == Rows ? "output_height" : "output_width";
    const std::int64_t count = attributes().getInt(name, 1);
    if (count < 1 || count > (1 << 16))
      failInput(fmt::format("its {} of {} is not possible", name, count));
    return count;
  }
  std::int64_t samplingRatio() const {
    return attributes().getInt("sampling_ratio", 0);
  }
  double scale() const { return attributes().getFloat("spatial_scale", 1); }
  bool isHalfPixel() const {
    return version() >= 16 &&
           attributes().getString("coordinate_transformation_mode",
                                  "half_pixel") == "half_pixel";
  }
  bool isMax() const { return attributes().getString("mode", "avg") == "max"; }

  /// The number of points in a bin of a constant rectangle.
  std::size_t pointsOf(std::size_t roi, Dimension which) const {
    const std::vector<double> corners = input(1).constant()->toDoubles();
    double size =
        (corners[4 * roi + which + 2] - corners[4 * roi + which]) * scale();
    if (!isHalfPixel())
      size = std::max(size, 1.0);
    const double points = std::ceil(size / static_cast<double>(bins(which)));
    if (!(points <= 4096))
      failInput("its rectangles are too large");
    return static_cast<std::size_t>(std::max(points, 0.0));
  }

  /// [rectangles, bins * points]: coordinates in pixels.
  poplar::Tensor coordinates(Lowering &lowering, const poplar::Tensor &rois,
                             Dimension which, std::size_t points) const {
    const auto count = static_cast<std::size_t>(bins(which)) * points;
    expr::Any size = (expr::_2 - expr::_1) * number(scale());
    if (!isHalfPixel())
      size = expr::Max(size, number(1));
    const expr::Any start =
        expr::_1 * number(scale()) - number(isHalfPixel() ? 0.5 : 0);
    const expr::Any step = (expr::Cast(expr::_3, poplar::FLOAT) + number(0.5)) *
                           number(1 / static_cast<double>(count));
    return popops::map(lowering.graph(), start + step * size,
                       {rois.slice(which, which + 1, 1),
                        rois.slice(which + 2, which + 3, 1),
                        countingRow(lowering, *this, count).expand({0})},
                       lowering.program(), lowering.debug(*this));
  }

  /// Points that are more than a pixel outside count as zero; others are moved
  /// to the border.
  poplar::Tensor isNear(Lowering &lowering, const poplar::Tensor &points,
                        std::int64_t extent) const {
    return popops::map(
        lowering.graph(),
        expr::Cast(expr::And(expr::Gte(expr::_1, number(-1)),
                             expr::Lte(expr::_1, number(double(extent)))),
                   poplar::FLOAT),
        {points}, lowering.program(), lowering.debug(*this));
  }

  /// [rectangles, rows, columns, channels]
  poplar::Tensor pooled(Lowering &lowering, const poplar::Tensor &table,
                        const poplar::Tensor &rois, const poplar::Tensor &first,
                        std::size_t rowPoints, std::size_t columnPoints) const {
    poplar::Graph &graph = lowering.graph();
    const std::size_t count = rois.dim(0), channels = table.dim(1);
    const auto rows = static_cast<std::size_t>(bins(Rows));
    const auto columns = static_cast<std::size_t>(bins(Columns));
    if (rowPoints == 0 || columnPoints == 0)
      return lowering.addConstant(
          HostTensor({output().info.type,
                      {static_cast<std::int64_t>(count), bins(Rows),
                       bins(Columns), static_cast<std::int64_t>(channels)}}),
          {lowering.debug(*this), "empty"});
    const poplar::Tensor y =
        coordinates(lowering, rois, Rows, rowPoints).expand({2});
    const poplar::Tensor x =
        coordinates(lowering, rois, Columns, columnPoints).expand({1});
    const std::int64_t height = inputShape(0)[2], width = inputShape(0)[3];
    const poplar::Tensor weight = popops::mul(
        graph, isNear(lowering, y, height), isNear(lowering, x, width),
        lowering.program(), lowering.debug(*this));
    poplar::Tensor sum;
    for (Pixels pixels : pixelsAround(
             lowering, *this, moved(lowering, y, height),
             moved(lowering, x, width), first.reshape({count, 1, 1}), height,
             width, Interpolation::Linear, {Outside::Border})) {
      popops::mulInPlace(graph, pixels.weights, weight, lowering.program(),
                         lowering.debug(*this));
      poplar::Tensor part = weightedRows(lowering, *this, table, pixels);
      if (!sum.valid())
        sum = part;
      else if (isMax())
        popops::maxInPlace(graph, sum, part, lowering.program(),
                           lowering.debug(*this));
      else
        popops::addInPlace(graph, sum, part, lowering.program(),
                           lowering.debug(*this));
    }
    const double mean = 1 / static_cast<double>(rowPoints * columnPoints);
    return reduceKeepingDims(lowering, *this,
                             sum.reshape({count, rows, rowPoints, columns,
                                          columnPoints, channels}),
                             {2, 4}, isMax() ? Operation::MAX : Operation::ADD,
                             isMax() ? 1 : mean)
        .reshape({count, rows, columns, channels});
  }

  poplar::Tensor moved(Lowering &lowering, const poplar::Tensor &points,
                       std::int64_t extent) const {
    return popops::map(
        lowering.graph(),
        expr::Max(expr::Min(expr::_1, number(double(extent - 1))), number(0)),
        {points}, lowering.program(), lowering.debug(*this));
  }
};

const RegisterOp<RoiAlign> registration("RoiAlign", {10, 16, 22});

} // namespace

} // namespace populus::popir
