// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RoiAlign: divides rectangles of images into a fixed grid of bins. The result
// for a bin is the mean (or maximum) of the image at points spread evenly over
// it. Without a sampling_ratio, the number of points depends on the size of the
// rectangle, which then has to be constant.
//
// RoiAlignGrad is the gradient of the images: each point adds its share of the
// bin's gradient to the pixels around it.

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Indexing/Indexing.h"
#include "lib/PopART/Ops/Reduction/Reduction.h"
#include "lib/PopART/Ops/Shape/Shapes.h"
#include "lib/PopART/Ops/Windows/Sampling.h"

#include <fmt/format.h>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>

#include <algorithm>
#include <cmath>

namespace populus::popir {

namespace {

using popops::Operation;

expr::Const number(double value) { return {value, poplar::FLOAT}; }

/// Common base of the operator and its gradient: rectangles (input 1) in images
/// (indices in input 2), and the pixels around their points.
class RoiOp : public DeviceOp {
public:
  explicit RoiOp(OpSpec newSpec) : DeviceOp(std::move(newSpec)) {
    bins(Rows);
    bins(Columns);
  }

  bool needsFloat32(std::size_t index) const override { return index == 1; }

  bool dependsOnValue(std::size_t index) const override {
    return index == 1 && samplingRatio() == 0;
  }

protected:
  virtual Shape imageShape() const = 0;
  virtual bool isHalfPixel() const = 0;

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

  poplar::Tensor moved(Lowering &lowering, const poplar::Tensor &points,
                       std::int64_t extent) const {
    return popops::map(
        lowering.graph(),
        expr::Max(expr::Min(expr::_1, number(double(extent - 1))), number(0)),
        {points}, lowering.program(), lowering.debug(*this));
  }

  /// Rectangles that have the same number of points in a bin.
  struct Part {
    std::size_t first, count, rowPoints, columnPoints;

    double share() const {
      return 1 / static_cast<double>(rowPoints * columnPoints);
    }
  };

  std::vector<Part> parts() const {
    const auto count = static_cast<std::size_t>(inputShape(1)[0]);
    const auto points = static_cast<std::size_t>(samplingRatio());
    if (points != 0)
      return {{0, count, points, points}};
    std::vector<Part> result;
    for (std::size_t i = 0; i != count; ++i)
      result.push_back({i, 1, pointsOf(i, Rows), pointsOf(i, Columns)});
    return result;
  }

  /// The pixels around the points of a part's rectangles, [rectangles, rows,
  /// columns].
  std::vector<Pixels> pixels(Lowering &lowering, const Part &part) const {
    const std::size_t end = part.first + part.count;
    poplar::Tensor rois = lowering.input(*this, 1).slice(part.first, end);
    if (rois.elementType() != poplar::FLOAT)
      rois = popops::cast(lowering.graph(), rois, poplar::FLOAT,
                          lowering.program(), lowering.debug(*this));
    const std::int64_t height = imageShape()[2], width = imageShape()[3];
    const poplar::Tensor first =
        popops::map(lowering.graph(),
                    expr::Cast(expr::_1, poplar::INT) *
                        expr::Const(static_cast<int>(height * width)),
                    {lowering.input(*this, 2).slice(part.first, end)},
                    lowering.program(), lowering.debug(*this));
    const poplar::Tensor y =
        coordinates(lowering, rois, Rows, part.rowPoints).expand({2});
    const poplar::Tensor x =
        coordinates(lowering, rois, Columns, part.columnPoints).expand({1});
    const poplar::Tensor weight = popops::mul(
        lowering.graph(), isNear(lowering, y, height),
        isNear(lowering, x, width), lowering.program(), lowering.debug(*this));
    std::vector<Pixels> result = pixelsAround(
        lowering, *this, moved(lowering, y, height), moved(lowering, x, width),
        first.reshape({part.count, 1, 1}), height, width, Interpolation::Linear,
        {Outside::Border});
    for (Pixels &pixels : result)
      popops::mulInPlace(lowering.graph(), pixels.weights, weight,
                         lowering.program(), lowering.debug(*this));
    return result;
  }
};

class RoiAlign final : public RoiOp {
public:
  explicit RoiAlign(OpSpec newSpec) : RoiOp(std::move(newSpec)) {
    const std::string mode = attributes().getString("mode", "avg");
    if (mode != "avg" && mode != "max")
      failUnsupported(fmt::format("its mode \"{}\" is not supported", mode));
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

  void lower(Lowering &lowering) const override {
    const poplar::Tensor table = pixelTable(lowering.input(*this, 0));
    std::vector<poplar::Tensor> results;
    for (const Part &part : parts())
      results.push_back(pooled(lowering, table, part));
    lowering.setOutput(
        *this, (results.empty()
                    ? table.slice(0, 0).reshape(toPoplar(
                          {0, bins(Rows), bins(Columns), inputShape(0)[1]}))
                    : poplar::concat(results))
                   .dimShuffle({0, 3, 1, 2}));
  }

  /// The gradient of the images; PopART has none of the rectangles.
  void differentiate(Gradients &g) const override {
    if (isMax())
      failUnsupported("with mode \"max\" it has no gradient");
    Attributes given = attributes();
    given.set("coordinate_transformation_mode",
              std::string(isHalfPixel() ? "half_pixel" : "output_half_pixel"));
    given.set("image_shape", inputShape(0));
    g.set(0, g.opLike("RoiAlignGrad", {&g.dy(), &g.x(1), &g.x(2)}, given,
                      "ai.graphcore"));
  }

private:
  Shape imageShape() const override { return inputShape(0); }
  bool isHalfPixel() const override {
    return version() >= 16 &&
           attributes().getString("coordinate_transformation_mode",
                                  "half_pixel") == "half_pixel";
  }
  bool isMax() const { return attributes().getString("mode", "avg") == "max"; }

  /// [rectangles, rows, columns, channels]
  poplar::Tensor pooled(Lowering &lowering, const poplar::Tensor &table,
                        const Part &part) const {
    poplar::Graph &graph = lowering.graph();
    const std::size_t channels = table.dim(1);
    const auto rows = static_cast<std::size_t>(bins(Rows));
    const auto columns = static_cast<std::size_t>(bins(Columns));
    if (part.rowPoints == 0 || part.columnPoints == 0)
      return lowering.addConstant(
          HostTensor({output().info.type,
                      {static_cast<std::int64_t>(part.count), bins(Rows),
                       bins(Columns), static_cast<std::int64_t>(channels)}}),
          {lowering.debug(*this), "empty"});
    poplar::Tensor sum;
    for (const Pixels &around : pixels(lowering, part)) {
      poplar::Tensor values = weightedRows(lowering, *this, table, around);
      if (!sum.valid())
        sum = values;
      else if (isMax())
        popops::maxInPlace(graph, sum, values, lowering.program(),
                           lowering.debug(*this));
      else
        popops::addInPlace(graph, sum, values, lowering.program(),
                           lowering.debug(*this));
    }
    return reduceKeepingDims(
               lowering, *this,
               sum.reshape({part.count, rows, part.rowPoints, columns,
                            part.columnPoints, channels}),
               {2, 4}, isMax() ? Operation::MAX : Operation::ADD,
               isMax() ? 1 : part.share())
        .reshape({part.count, rows, columns, channels});
  }
};

const RegisterOp<RoiAlign> registration("RoiAlign", {10, 16, 22});

class RoiAlignGradient final : public RoiOp {
public:
  using RoiOp::RoiOp;

  std::vector<TensorInfo> infer() const override {
    return {{input(0).info.type, imageShape()}};
  }

  bool ownsResult() const override { return true; }

  void lower(Lowering &lowering) const override {
    const poplar::Tensor table = zeroPixels(lowering, *this, imageShape());
    for (const Part &part : parts())
      if (part.count != 0 && part.rowPoints != 0 && part.columnPoints != 0)
        addTo(lowering, table, part);
    lowering.setOutput(*this, imagesOf(table, imageShape()));
  }

private:
  Shape imageShape() const override {
    return attributes().getInts("image_shape");
  }
  bool isHalfPixel() const override {
    return attributes().getString("coordinate_transformation_mode", "") ==
           "half_pixel";
  }

  void addTo(Lowering &lowering, const poplar::Tensor &table,
             const Part &part) const {
    // [rectangles, rows, 1, columns, 1, channels], the same for all points.
    poplar::Tensor bins =
        lowering.input(*this, 0)
            .slice(part.first, part.first + part.count)
            .dimShuffle({0, 2, 3, 1})
            .expand({2, 3})
            .broadcast(static_cast<unsigned>(part.rowPoints), 2)
            .broadcast(static_cast<unsigned>(part.columnPoints), 4);
    bins = bins.reshape({bins.numElements() / table.dim(1), table.dim(1)});
    for (const Pixels &around : pixels(lowering, part))
      updateRows(
          lowering, *this, table,
          popops::map(lowering.graph(),
                      expr::_1 * expr::Cast(expr::_2 * number(part.share()),
                                            table.elementType()),
                      {bins, around.weights.flatten().expand({1})},
                      lowering.program(), lowering.debug(*this)),
          around.rows.flatten(), UpdateKind::Add);
  }
};

const RegisterInternalOp<RoiAlignGradient> gradient("RoiAlignGrad");

} // namespace

} // namespace populus::popir
