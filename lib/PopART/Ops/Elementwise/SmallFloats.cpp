// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding: divide x by the power of two of its exponent, round to the mantissa
// bits of the type, multiply again. Only the rounding is inexact. Example with
// 3 bits: 13.7 = 1.7125 * 2^3 -> 1.75 * 2^3 = 14.

#include "lib/PopART/Ops/Elementwise/SmallFloats.h"

#include "lib/PopART/Ops/Elementwise/Elementwise.h"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace populus::popir {

namespace {

struct SmallFloatInfo {
  DataType type;
  int mantissaBits;
  /// The exponent of the smallest normal number.
  int leastExponent;
  float largest;
  /// Overflow gives an infinity if the type has one, else NaN.
  bool hasInfinities;
  bool hasNans;
};

constexpr SmallFloatInfo Table[] = {
    {DataType::Float8E4M3FN, 3, -6, 448, false, true},
    {DataType::Float8E4M3FNUZ, 3, -7, 240, false, true},
    {DataType::Float8E5M2, 2, -14, 57344, true, true},
    {DataType::Float8E5M2FNUZ, 2, -15, 57344, false, true},
    {DataType::Float4E2M1, 1, 0, 6, false, false},
};

const SmallFloatInfo *find(DataType type) {
  const auto *found = std::ranges::find(Table, type, &SmallFloatInfo::type);
  return found == std::end(Table) ? nullptr : found;
}

} // namespace

bool isSmallFloat(DataType type) { return find(type) != nullptr; }

poplar::Tensor roundedTo(Lowering &lowering, const Op &op,
                         const poplar::Tensor &given, DataType type,
                         bool saturate) {
  const SmallFloatInfo &info = *find(type);
  poplar::Graph &graph = lowering.graph();
  auto map = [&](const expr::Any &e, const std::vector<poplar::Tensor> &of) {
    return popops::map(graph, e, of, lowering.program(), lowering.debug(op));
  };
  auto number = [](double value) { return expr::Const(value, poplar::FLOAT); };
  poplar::Tensor x = given;
  if (x.elementType() != poplar::FLOAT)
    x = popops::cast(graph, x, poplar::FLOAT, lowering.program(),
                     lowering.debug(op));
  // Finite, but far enough out of range to overflow.
  const double bound = 4 * info.largest;
  const poplar::Tensor held =
      map(expr::Max(expr::Min(expr::_1, number(bound)), number(-bound)), {x});
  constexpr int Exponent = 0x7f800000;
  const poplar::Tensor power =
      map(expr::BitwiseAnd(expr::_1, expr::Const(Exponent)),
          {held.reinterpret(poplar::INT)})
          .reinterpret(poplar::FLOAT);
  const expr::Any unit =
      expr::Max(expr::_2, number(std::ldexp(1.0, info.leastExponent))) *
      number(std::ldexp(1.0, -info.mantissaBits));
  const expr::Any rounded = expr::NearbyInt(expr::_1 / unit) * unit;
  const poplar::Tensor nearest = map(rounded, {held, power});
  const expr::Any largest = expr::Max(expr::Min(expr::_1, number(info.largest)),
                                      number(-info.largest));
  // Types without NaN encode it as minus zero.
  const double none =
      info.hasNans ? std::numeric_limits<double>::quiet_NaN() : -0.0;
  const double beyond = info.hasInfinities
                            ? std::numeric_limits<double>::infinity()
                            : std::numeric_limits<double>::quiet_NaN();
  expr::Any result = largest;
  if (!saturate && info.hasNans) {
    const expr::Any outside =
        info.hasInfinities
            ? expr::Any(expr::Select(number(-beyond), number(beyond),
                                     expr::_1 < number(0)))
            : expr::Any(number(beyond));
    result = expr::Select(outside, result,
                          expr::Abs(expr::_1) > number(info.largest));
  }
  return map(expr::Select(number(none), result, expr::IsNaN(expr::_2)),
             {nearest, x});
}

} // namespace populus::popir
