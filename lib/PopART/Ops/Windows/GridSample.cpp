// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GridSample: samples an image at the points of a grid; coordinates run from -1
// to 1 across the image. The gradient of the image adds the gradient of each
// point to the pixels around it. The gradient of the grid is the slope of the
// image at the points.

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

namespace populus::popir {

namespace {

expr::Const number(double value) { return {value, poplar::FLOAT}; }

/// Common base of the operator and its gradients: the positions of the points.
class GridOp : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  bool needsFloat32(std::size_t index) const override {
    return index == GridOperand;
  }

protected:
  static constexpr std::size_t GridOperand = 1;

  /// [N, C, H, W]
  virtual Shape imageShape() const = 0;

  Interpolation interpolation() const {
    const std::string mode = attributes().getString("mode", "bilinear");
    // The names of version 16, and of version 20 and later.
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

  /// The grid as [2, N, H', W'], in float: x and y are separated to be computed
  /// as vectors. Both coordinates of a point are on one tile.
  poplar::Tensor grid(Lowering &lowering) const {
    poplar::Tensor given = lowering.input(*this, GridOperand);
    if (given.elementType() != poplar::FLOAT)
      given = popops::cast(lowering.graph(), given, poplar::FLOAT,
                           lowering.program(), lowering.debug(*this));
    given = given.dimRoll(3, 0);
    const poplar::Tensor apart = lowering.graph().addVariable(
        poplar::FLOAT, given.shape(), {lowering.debug(*this), "coordinates"});
    for (const Coordinate which : {X, Y})
      poputil::mapTensorLinearly(lowering.graph(), oneOf(apart, which));
    lowering.program().add(
        poplar::program::Copy(given, apart, false, lowering.debug(*this)));
    return apart;
  }

  /// The pixels around all points.
  std::vector<Pixels> pixels(Lowering &lowering, const poplar::Tensor &grid,
                             Weights weights = Weights::Value) const {
    const Shape image = imageShape();
    std::vector<std::int64_t> starts(image[0]);
    for (std::size_t n = 0; n != starts.size(); ++n)
      starts[n] = static_cast<std::int64_t>(n) * image[2] * image[3];
    const poplar::Tensor first =
        lowering
            .addConstant(
                HostTensor::ofInts(starts).convertedTo(DataType::Int32),
                {lowering.debug(*this), "first"})
            .reshape({starts.size(), 1, 1});
    return pixelsAround(lowering, *this, coordinates(lowering, grid, Y),
                        coordinates(lowering, grid, X), first, image[2],
                        image[3], interpolation(), outside(), weights);
  }

  /// The two coordinates of a point.
  enum Coordinate { X, Y };

  /// The derivative of the position in pixels by the coordinate.
  poplar::Tensor slopeOfCoordinates(Lowering &lowering,
                                    const poplar::Tensor &grid,
                                    Coordinate which) const {
    const expr::Any place = inPixels(expr::_1, which);
    const double last = extent(which) - 1;
    expr::Any slope = number(scale(which));
    if (outside().kind == Outside::Border)
      slope = expr::Select(slope, number(0), isWithinEdges(place, which));
    if (outside().kind == Outside::Reflection)
      slope = slope * slopeOfReflected(place, edge(), last - edge());
    return popops::map(lowering.graph(), slope, {oneOf(grid, which)},
                       lowering.program(), lowering.debug(*this));
  }

private:
  double extent(Coordinate which) const {
    return static_cast<double>(imageShape()[which == X ? 3 : 2]);
  }
  double scale(Coordinate which) const {
    return (outside().atCentres ? extent(which) - 1 : extent(which)) / 2;
  }
  /// The lower edge of the image, where positions are reflected.
  double edge() const { return outside().atCentres ? 0 : -0.5; }

  /// True where a position keeps its value with the border outside. Between the
  /// edge and the centre of the outer pixel other positions give that pixel,
  /// but the cubic kernel reaches farther.
  expr::Any isWithinEdges(const expr::Any &place, Coordinate which) const {
    const double last = extent(which) - 1;
    if (interpolation() == Interpolation::Cubic)
      return expr::And(expr::Gte(place, number(edge())),
                       expr::Lte(place, number(last - edge())));
    return expr::And(expr::Gt(place, number(0)), expr::Lt(place, number(last)));
  }

  static poplar::Tensor oneOf(const poplar::Tensor &grid, Coordinate which) {
    return grid[static_cast<std::size_t>(which)];
  }
  expr::Any inPixels(const expr::Any &coordinate, Coordinate which) const {
    return (coordinate + number(1)) * number(scale(which)) -
           number(outside().atCentres ? 0 : 0.5);
  }

  poplar::Tensor coordinates(Lowering &lowering, const poplar::Tensor &grid,
                             Coordinate which) const {
    expr::Any point = inPixels(expr::_1, which);
    const double last = extent(which) - 1;
    if (outside().kind == Outside::Border) {
      const expr::Any held =
          expr::Max(expr::Min(point, number(last)), number(0));
      point = interpolation() == Interpolation::Cubic
                  ? expr::Any(
                        expr::Select(point, held, isWithinEdges(point, which)))
                  : held;
    }
    if (outside().kind == Outside::Reflection)
      point = reflected(point, edge(), last - edge());
    return popops::map(lowering.graph(), point, {oneOf(grid, which)},
                       lowering.program(), lowering.debug(*this));
  }
};

/// The channels of images at the points: [points, channels].
poplar::Tensor sampled(Lowering &lowering, const Op &op,
                       const poplar::Tensor &table,
                       const std::vector<Pixels> &parts) {
  poplar::Tensor sum;
  for (const Pixels &pixels : parts) {
    const poplar::Tensor part = weightedRows(lowering, op, table, pixels);
    if (sum.valid())
      popops::addInPlace(lowering.graph(), sum, part, lowering.program(),
                         lowering.debug(op));
    else
      sum = part;
  }
  return sum;
}

/// The gradient of GridSample's result as [points, channels].
poplar::Tensor rowsOfPoints(const poplar::Tensor &dy) {
  return dy.dimShuffle({0, 2, 3, 1})
      .reshape({dy.dim(0) * dy.dim(2) * dy.dim(3), dy.dim(1)});
}

class GridSample final : public GridOp {
public:
  using GridOp::GridOp;

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

  void lower(Lowering &lowering) const override {
    const Shape &shape = output().info.shape;
    const poplar::Tensor sum =
        sampled(lowering, *this, pixelTable(lowering.input(*this, 0)),
                pixels(lowering, grid(lowering)));
    lowering.setOutput(*this, imagesOf(sum, shape));
  }

  void differentiate(Gradients &g) const override {
    if (g.wants(0)) {
      Attributes given = attributes();
      given.set("image_shape", inputShape(0));
      g.set(0, g.opLike("GridSampleImageGrad", {&g.dy(), &g.x(1)}, given,
                        "ai.graphcore"));
    }
    if (g.wants(1))
      g.set(1, g.opLike("GridSampleGridGrad", {&g.dy(), &g.x(1), &g.x(0)},
                        attributes(), "ai.graphcore"));
  }

private:
  Shape imageShape() const override { return inputShape(0); }
};

const RegisterOp<GridSample> registration("GridSample", {16, 20, 22});

class ImageGradient final : public GridOp {
public:
  using GridOp::GridOp;

  std::vector<TensorInfo> infer() const override {
    return {{input(0).info.type, imageShape()}};
  }

  bool ownsResult() const override { return true; }

  void lower(Lowering &lowering) const override {
    const poplar::Tensor table = zeroPixels(lowering, *this, imageShape());
    const poplar::Tensor points = rowsOfPoints(lowering.input(*this, 0));
    for (const Pixels &around : pixels(lowering, grid(lowering)))
      updateRows(
          lowering, *this, table,
          popops::map(lowering.graph(),
                      expr::_1 * expr::Cast(expr::_2, table.elementType()),
                      {points, around.weights.flatten().expand({1})},
                      lowering.program(), lowering.debug(*this)),
          around.rows.flatten(), UpdateKind::Add);
    lowering.setOutput(*this, imagesOf(table, imageShape()));
  }

private:
  Shape imageShape() const override {
    return attributes().getInts("image_shape");
  }
};

const RegisterInternalOp<ImageGradient> imageGradient("GridSampleImageGrad");

class GridGradient final : public GridOp {
public:
  using GridOp::GridOp;

  std::vector<TensorInfo> infer() const override {
    return {input(GridOperand).info};
  }

  void lower(Lowering &lowering) const override {
    const poplar::Tensor points = grid(lowering);
    const poplar::Tensor both =
        poplar::concat(partOf(lowering, points, X).expand({3}),
                       partOf(lowering, points, Y).expand({3}), 3);
    lowering.setOutput(
        *this, both.elementType() == deviceType(output().info.type)
                   ? both
                   : popops::cast(lowering.graph(), both,
                                  deviceType(output().info.type),
                                  lowering.program(), lowering.debug(*this)));
  }

private:
  Shape imageShape() const override { return inputShape(2); }

  /// The gradient of one coordinate of all points: [N, H', W'].
  poplar::Tensor partOf(Lowering &lowering, const poplar::Tensor &points,
                        Coordinate which) const {
    const poplar::Tensor slopes =
        sampled(lowering, *this, pixelTable(lowering.input(*this, 2)),
                pixels(lowering, points,
                       which == X ? Weights::SlopeOfX : Weights::SlopeOfY));
    const poplar::Tensor parts =
        popops::map(lowering.graph(),
                    expr::Cast(expr::_1, poplar::FLOAT) *
                        expr::Cast(expr::_2, poplar::FLOAT),
                    {slopes, rowsOfPoints(lowering.input(*this, 0))},
                    lowering.program(), lowering.debug(*this));
    const poplar::Tensor sum =
        reduceKeepingDims(lowering, *this, parts, {1}, popops::Operation::ADD)
            .reshape(points[0].shape());
    return popops::map(lowering.graph(), expr::_1 * expr::_2,
                       {sum, slopeOfCoordinates(lowering, points, which)},
                       lowering.program(), lowering.debug(*this));
  }
};

const RegisterInternalOp<GridGradient> gridGradient("GridSampleGridGrad");

} // namespace

} // namespace populus::popir
