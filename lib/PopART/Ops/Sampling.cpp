// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pixels around points, as expressions of the points' coordinates.

#include "lib/PopART/Ops/Sampling.h"

#include "lib/PopART/Ops/Indexing.h"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>

namespace populus::popir {

namespace {

using expr::Any;

/// A pixel along one dimension: where it is, as a float, and its weight.
struct Place {
  Any index;
  Any weight;
};

expr::Const number(double value) { return {value, poplar::FLOAT}; }

/// Keys' kernel with a = -0.75, at a distance of 0 to 1 and of 1 to 2.
Any nearCubic(const Any &d) {
  return ((d * number(1.25) - number(2.25)) * d) * d + number(1);
}
Any farCubic(const Any &d) {
  return ((d * number(-0.75) + number(3.75)) * d - number(6)) * d + number(3);
}

std::vector<Place> placesAround(const expr::Expr &point,
                                Interpolation interpolation) {
  if (interpolation == Interpolation::Nearest)
    return {{expr::NearbyInt(point), number(1)}};
  const Any low = expr::Floor(point);
  const Any t = point - low;
  const Any rest = number(1) - t;
  if (interpolation == Interpolation::Linear)
    return {{low, rest}, {low + number(1), t}};
  return {{low - number(1), farCubic(t + number(1))},
          {low, nearCubic(t)},
          {low + number(1), nearCubic(rest)},
          {low + number(2), farCubic(rest + number(1))}};
}

Any heldTo(const Any &index, std::int64_t extent) {
  return expr::Max(expr::Min(index, number(double(extent - 1))), number(0));
}

/// The pixel of the image that stands for one that may be outside; its weight
/// is then zero where there is none.
Place inside(const Place &place, std::int64_t extent, Outside outside) {
  if (outside.kind == Outside::Zeros)
    return {
        heldTo(place.index, extent),
        expr::Select(place.weight, number(0),
                     expr::Equal(heldTo(place.index, extent), place.index))};
  if (outside.kind == Outside::Border)
    return {heldTo(place.index, extent), place.weight};
  const double edge = outside.atCentres ? 0 : -0.5;
  const Any index = reflected(place.index, edge, double(extent - 1) - edge);
  return {heldTo(expr::NearbyInt(index), extent), place.weight};
}

} // namespace

Any reflected(const expr::Expr &value, double low, double high) {
  if (high <= low)
    return number(low);
  const Any distance = expr::Abs(value - number(low));
  const Any turns = expr::Floor(distance / number(high - low));
  const Any rest = distance - turns * number(high - low);
  const Any half = turns * number(0.5);
  return expr::Select(number(low) + rest, number(high) - rest,
                      expr::Equal(expr::Floor(half), half));
}

poplar::Tensor pixelTable(const poplar::Tensor &images) {
  return images.dimShuffle({0, 2, 3, 1})
      .reshape({images.dim(0) * images.dim(2) * images.dim(3), images.dim(1)});
}

std::vector<Pixels> pixelsAround(Lowering &lowering, const Op &op,
                                 const poplar::Tensor &y,
                                 const poplar::Tensor &x,
                                 const poplar::Tensor &first,
                                 std::int64_t height, std::int64_t width,
                                 Interpolation interpolation, Outside outside) {
  auto compute = [&](const Any &value) {
    return popops::map(lowering.graph(), value, {y, x, first},
                       lowering.program(), lowering.debug(op));
  };
  std::vector<Pixels> result;
  for (const Place &up : placesAround(expr::_1, interpolation))
    for (const Place &left : placesAround(expr::_2, interpolation)) {
      const Place row = inside(up, height, outside);
      const Place column = inside(left, width, outside);
      const Any place = expr::Cast(row.index, poplar::INT) *
                            expr::Const(static_cast<int>(width)) +
                        expr::Cast(column.index, poplar::INT) + expr::_3;
      result.push_back({compute(expr::Cast(place, poplar::UNSIGNED_INT)),
                        compute(row.weight * column.weight)});
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
