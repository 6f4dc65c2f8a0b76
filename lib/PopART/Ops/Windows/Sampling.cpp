// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pixels around points, as expressions of the points' coordinates.

#include "lib/PopART/Ops/Windows/Sampling.h"

#include "lib/PopART/Ops/Indexing/Indexing.h"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Zero.hpp>
#include <poputil/Broadcast.hpp>
#include <poputil/TileMapping.hpp>

namespace populus::popir {

namespace {

using expr::Any;

/// A pixel along one dimension: its position as a float, its weight, and the
/// derivative of the weight by the point's position.
struct Place {
  Any index;
  Any weight, slope;
};

expr::Const number(double value) { return {value, poplar::FLOAT}; }

/// Keys' kernel with a = -0.75, at a distance of 0 to 1 and of 1 to 2.
Any nearCubic(const Any &d) {
  return ((d * number(1.25) - number(2.25)) * d) * d + number(1);
}
Any farCubic(const Any &d) {
  return ((d * number(-0.75) + number(3.75)) * d - number(6)) * d + number(3);
}

/// Their derivatives.
Any nearSlope(const Any &d) { return (d * number(3.75) - number(4.5)) * d; }
Any farSlope(const Any &d) {
  return (d * number(-2.25) + number(7.5)) * d - number(6);
}

std::vector<Place> placesAround(const expr::Expr &point,
                                Interpolation interpolation) {
  if (interpolation == Interpolation::Nearest)
    return {{expr::NearbyInt(point), number(1), number(0)}};
  const Any low = expr::Floor(point);
  const Any t = point - low;
  const Any rest = number(1) - t;
  if (interpolation == Interpolation::Linear)
    return {{low, rest, number(-1)}, {low + number(1), t, number(1)}};
  const Any before = t + number(1), behind = rest + number(1);
  return {{low - number(1), farCubic(before), farSlope(before)},
          {low, nearCubic(t), nearSlope(t)},
          {low + number(1), nearCubic(rest), -nearSlope(rest)},
          {low + number(2), farCubic(behind), -farSlope(behind)}};
}

Any heldTo(const Any &index, std::int64_t extent) {
  return expr::Max(expr::Min(index, number(double(extent - 1))), number(0));
}

/// Maps a pixel that may lie outside to a pixel of the image; with zeros
/// outside, its weight becomes 0.
Place inside(const Place &place, std::int64_t extent, Outside outside) {
  if (outside.kind == Outside::Zeros) {
    const Any held = heldTo(place.index, extent);
    const Any isInside = expr::Equal(held, place.index);
    return {held, expr::Select(place.weight, number(0), isInside),
            expr::Select(place.slope, number(0), isInside)};
  }
  if (outside.kind == Outside::Border)
    return {heldTo(place.index, extent), place.weight, place.slope};
  const double edge = outside.atCentres ? 0 : -0.5;
  const Any index = reflected(place.index, edge, double(extent - 1) - edge);
  return {heldTo(expr::NearbyInt(index), extent), place.weight, place.slope};
}

/// The number of reflections of a position at `distance` from one end, if the
/// two ends are `extent` apart.
Any turnsOf(const Any &distance, double extent) {
  return expr::Floor(distance / number(extent));
}
Any isEven(const Any &count) {
  const Any half = count * number(0.5);
  return expr::Equal(expr::Floor(half), half);
}

} // namespace

Any reflected(const expr::Expr &value, double low, double high) {
  if (high <= low)
    return number(low);
  const Any distance = expr::Abs(value - number(low));
  const Any turns = turnsOf(distance, high - low);
  const Any rest = distance - turns * number(high - low);
  return expr::Select(number(low) + rest, number(high) - rest, isEven(turns));
}

Any slopeOfReflected(const expr::Expr &value, double low, double high) {
  if (high <= low)
    return number(0);
  const Any turns = turnsOf(expr::Abs(value - number(low)), high - low);
  const Any direction =
      expr::Select(number(1), number(-1), expr::Gte(value, number(low)));
  return expr::Select(direction, -direction, isEven(turns));
}

poplar::Tensor pixelTable(const poplar::Tensor &images) {
  return images.dimShuffle({0, 2, 3, 1})
      .reshape({images.dim(0) * images.dim(2) * images.dim(3), images.dim(1)});
}

poplar::Tensor zeroPixels(Lowering &lowering, const Op &op,
                          const Shape &images) {
  poplar::Tensor table = lowering.graph().addVariable(
      deviceType(op.output().info.type),
      toPoplar({images[0] * images[2] * images[3], images[1]}),
      lowering.debug(op));
  poputil::mapTensorLinearly(lowering.graph(), table);
  popops::zero(lowering.graph(), table, lowering.program(), lowering.debug(op));
  return table;
}

poplar::Tensor imagesOf(const poplar::Tensor &table, const Shape &images) {
  return table.reshape(toPoplar({images[0], images[2], images[3], images[1]}))
      .dimShuffle({0, 3, 1, 2});
}

std::vector<Pixels>
pixelsAround(Lowering &lowering, const Op &op, const poplar::Tensor &y,
             const poplar::Tensor &x, const poplar::Tensor &first,
             std::int64_t height, std::int64_t width,
             Interpolation interpolation, Outside outside, Weights weights) {
  poplar::Tensor all = y, columns = x, images = first;
  poputil::broadcastToMatch(all, columns, images);
  // An expression may lack some of the operands, as the rows of an image of one
  // pixel do.
  auto compute = [&](const Any &value) {
    poplar::Tensor result = popops::map(lowering.graph(), value, {y, x, first},
                                        lowering.program(), lowering.debug(op));
    poputil::broadcastToMatch(result, all.shape());
    return result;
  };
  std::vector<Pixels> result;
  for (const Place &up : placesAround(expr::_1, interpolation))
    for (const Place &left : placesAround(expr::_2, interpolation)) {
      const Place row = inside(up, height, outside);
      const Place column = inside(left, width, outside);
      const Any place = expr::Cast(row.index, poplar::INT) *
                            expr::Const(static_cast<int>(width)) +
                        expr::Cast(column.index, poplar::INT) + expr::_3;
      result.push_back(
          {compute(expr::Cast(place, poplar::UNSIGNED_INT)),
           compute(weights == Weights::SlopeOfY ? row.slope * column.weight
                   : weights == Weights::SlopeOfX
                       ? row.weight * column.slope
                       : row.weight * column.weight)});
    }
  return result;
}

poplar::Tensor weightedRows(Lowering &lowering, const Op &op,
                            const poplar::Tensor &table, const Pixels &pixels) {
  poplar::Tensor rows = takeRows(lowering, op, table, pixels.rows.flatten());
  return popops::map(lowering.graph(),
                     expr::_1 * expr::Cast(expr::_2, table.elementType()),
                     {rows, pixels.weights.flatten().expand({1})},
                     lowering.program(), lowering.debug(op));
}

} // namespace populus::popir
