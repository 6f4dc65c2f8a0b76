// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NonMaxSuppression of boxes that are known only at run time. A loop processes
// all batches and classes in parallel: each round selects the best remaining
// box of each class, and drops it together with the boxes that overlap it. At
// the end the selected boxes are compacted; the padding indices are -1.
//
// Scores are compared as integers (FloatOrder.h), whose smallest value is free
// to mark dropped boxes.

#include "lib/PopART/Ops/Bounded/BoundedOp.h"
#include "lib/PopART/Ops/Bounded/FloatOrder.h"
#include "lib/PopART/Ops/Elementwise/Expressions.h"
#include "lib/PopART/Ops/Indexing/Indexing.h"
#include "lib/PopART/Ops/Reduction/Reduction.h"

#include <fmt/format.h>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Loop.hpp>
#include <poputil/TileMapping.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace populus::popir {

namespace {

using poplar::Tensor;
using popops::Operation;

constexpr int Dropped = std::numeric_limits<int>::min();

/// Top, left, bottom, right and area of boxes.
constexpr std::size_t NumParts = 5;
using Parts = std::array<Tensor, NumParts>;

class BoundedNonMaxSuppression final : public BoundedOp {
public:
  using BoundedOp::BoundedOp;

  std::vector<Result> bounded() const override {
    return {{{DataType::Int64, {bound(), 3}}, 0}};
  }

  std::int64_t mostRows() const override {
    const Shape &b = inputShape(Boxes), &s = inputShape(Scores);
    if (b.size() != 3 || s.size() != 3 || b[2] != 4 || b[0] != s[0] ||
        b[1] != s[2])
      failInput(fmt::format("boxes {} and scores {} do not go together",
                            toString(b), toString(s)));
    for (const Input scalar : {Most, Overlap, Threshold})
      if (hasInput(scalar) && input(scalar).info.numElements() != 1)
        failInput(fmt::format("its input {} is not a scalar",
                              static_cast<std::size_t>(scalar)));
    return s[0] * s[1] * rounds();
  }

  /// Coordinates and thresholds; scores may be float16.
  bool needsFloat32(std::size_t index) const override {
    return index != Scores;
  }

protected:
  void lowerRows(Lowering &lowering) const override {
    const Boxed boxed = prepared(lowering);
    const Tensor taken = takenOfRounds(lowering, boxed);
    const int none = static_cast<int>(boxed.extent);
    const Rows rows = chosen(
        lowering, mapped(lowering, *this,
                         expr::NotEqual(expr::_1, expr::Const(none)), {taken})
                      .flatten());
    const Tensor indices =
        takeRows(lowering, *this, asRows(taken.flatten(), 1),
                 mapped(lowering, *this,
                        expr::Cast(expr::_1, poplar::UNSIGNED_INT),
                        {rows.places}))
            .flatten();
    const int classes = static_cast<int>(inputShape(Scores)[1]);
    const int each = static_cast<int>(rounds());
    const auto column = [&](const expr::Any &value) {
      return mapped(lowering, *this,
                    expr::Select(value, expr::Const(-1),
                                 expr::Lt(expr::_1, expr::Const(rows.none))),
                    {rows.places, indices})
          .expand({1});
    };
    setResult(lowering, 0,
              poplar::concat(
                  {column(expr::Divide(expr::_1, expr::Const(classes * each))),
                   column(expr::Rem(expr::Divide(expr::_1, expr::Const(each)),
                                    expr::Const(classes))),
                   column(expr::_2)},
                  1));
  }

private:
  enum Input : std::size_t { Boxes, Scores, Most, Overlap, Threshold };

  /// The boxes [batches, classes, extent], with scores and coordinates.
  struct Boxed {
    std::size_t extent = 0;
    Tensor keys, places;
    /// [parts, batches, classes, extent]
    Tensor parts;
  };

  /// The largest number of boxes selected per class.
  std::int64_t rounds() const {
    const std::int64_t boxes = inputShape(Boxes)[1];
    if (!hasInput(Most))
      return 0;
    return input(Most).isConstant()
               ? std::clamp<std::int64_t>(
                     constantInput(Most, "max_output_boxes_per_class")
                         .toInts()
                         .at(0),
                     0, boxes)
               : boxes;
  }

  /// An optional scalar input, reshaped to three dimensions.
  Tensor scalar(Lowering &lowering, Input index, double fallback) const {
    if (!hasInput(index))
      return filled(lowering, *this, {1, 1, 1}, DataType::Float, fallback);
    return castInput(lowering, *this, index, poplar::FLOAT).reshape({1, 1, 1});
  }

  /// [batches, 1, boxes] each.
  Parts partsOfBoxes(Lowering &lowering) const {
    const Tensor boxes = castInput(lowering, *this, Boxes, poplar::FLOAT);
    std::vector<Tensor> numbers;
    for (std::size_t i = 0; i != 4; ++i)
      numbers.push_back(boxes.slice(i, i + 1, 2).dimShuffle({0, 2, 1}));
    const auto part = [&](const expr::Any &value) {
      return mapped(lowering, *this, value, numbers);
    };
    Parts parts;
    if (attributes().getInt("center_point_box", 0) != 0) {
      const expr::Const half(0.5F);
      parts = {part(expr::_2 - expr::_4 * half),
               part(expr::_1 - expr::_3 * half),
               part(expr::_2 + expr::_4 * half),
               part(expr::_1 + expr::_3 * half), Tensor()};
    } else { // any two opposite corners
      parts = {part(expr::Min(expr::_1, expr::_3)),
               part(expr::Min(expr::_2, expr::_4)),
               part(expr::Max(expr::_1, expr::_3)),
               part(expr::Max(expr::_2, expr::_4)), Tensor()};
    }
    parts[4] =
        mapped(lowering, *this, (expr::_3 - expr::_1) * (expr::_4 - expr::_2),
               {parts[0], parts[1], parts[2], parts[3]});
    return parts;
  }

  /// Scores as integers. Boxes below the threshold and NaNs are dropped.
  Tensor keysOfScores(Lowering &lowering) const {
    const Tensor scores = castInput(lowering, *this, Scores, poplar::FLOAT);
    const expr::Any isHigh = hasInput(Threshold)
                                 ? expr::Any(expr::Gt(expr::_2, expr::_3))
                                 : expr::Any(expr::Equal(expr::_2, expr::_2));
    return mapped(lowering, *this,
                  expr::Select(expr::_1, expr::Const(Dropped), isHigh),
                  {orderedIntegers(lowering, *this, scores), scores,
                   scalar(lowering, Threshold, 0)});
  }

  Boxed prepared(Lowering &lowering) const {
    poplar::Graph &graph = lowering.graph();
    const poplar::DebugContext debug = lowering.debug(*this);
    const std::vector<std::size_t> shape = toPoplar(inputShape(Scores));
    Boxed result;
    result.extent = shape[2];
    const auto spread = [&](const Tensor &from) {
      Tensor to = graph.addVariable(from.elementType(), shape, debug);
      poputil::mapTensorLinearly(graph, to, 1, 1);
      Tensor all = from;
      for (unsigned i = 0; i != 3; ++i)
        if (all.dim(i) != shape[i])
          all = all.broadcast(static_cast<unsigned>(shape[i]), i);
      lowering.program().add(poplar::program::Copy(all, to, false, debug));
      return to;
    };
    result.keys = spread(keysOfScores(lowering));
    result.places = spread(
        countingRow(lowering, *this, result.extent).reshape({1, 1, shape[2]}));
    std::vector<Tensor> parts;
    for (const Tensor &part : partsOfBoxes(lowering))
      parts.push_back(spread(part).expand({0}));
    result.parts = poplar::concat(parts, 0);
    return result;
  }

  /// [batches, classes, rounds]: the box selected in each round, or the number
  /// of boxes if there is none.
  Tensor takenOfRounds(Lowering &lowering, const Boxed &boxed) const {
    poplar::Graph &graph = lowering.graph();
    const poplar::DebugContext debug = lowering.debug(*this);
    const std::vector<std::size_t> shape = boxed.keys.shape();
    const auto count = static_cast<std::size_t>(rounds());
    const Tensor taken =
        graph.addVariable(poplar::INT, {shape[0], shape[1], count}, debug);
    poputil::mapTensorLinearly(graph, taken);
    const Tensor overlap = scalar(lowering, Overlap, 0);
    const Tensor most =
        input(Most).isConstant()
            ? filled(lowering, *this, {1, 1, 1}, DataType::Int32,
                     static_cast<double>(count))
            : castInput(lowering, *this, Most, poplar::INT).reshape({1, 1, 1});
    lowering.program().add(popops::countedLoop(
        graph, count,
        [&](const Tensor &round) {
          return lowering.nested([&] {
            const Tensor place = takeBest(lowering, boxed, overlap);
            const Tensor isTaken = mapped(
                lowering, *this,
                expr::Select(
                    expr::_1, expr::Const(static_cast<int>(boxed.extent)),
                    expr::Lt(expr::Cast(expr::_2, poplar::INT), expr::_3)),
                {place, round.reshape({1, 1, 1}), most});
            popops::dynamicUpdate(graph, taken, isTaken, round.reshape({1}),
                                  {2}, {1}, lowering.program(), debug);
          });
        },
        debug));
    return taken;
  }

  /// Selects the best boxes: their indices [batches, classes, 1], or the number
  /// of boxes if none is left. Drops them and the boxes that overlap them.
  Tensor takeBest(Lowering &lowering, const Boxed &boxed,
                  const Tensor &overlap) const {
    const expr::Const none(static_cast<int>(boxed.extent));
    const Tensor best =
        reduceKeepingDims(lowering, *this, boxed.keys, {2}, Operation::MAX);
    const Tensor candidates = mapped(
        lowering, *this,
        expr::Select(expr::_3, none,
                     expr::And(expr::Equal(expr::_1, expr::_2),
                               expr::NotEqual(expr::_1, expr::Const(Dropped)))),
        {boxed.keys, best, boxed.places});
    const Tensor place =
        reduceKeepingDims(lowering, *this, candidates, {2}, Operation::MIN);
    // All of the others are zero.
    const Tensor chosen = reduceKeepingDims(
        lowering, *this,
        mapped(lowering, *this,
               expr::Select(expr::_1, expr::Const(0.0F),
                            expr::Equal(expr::_2, expr::_3)),
               {boxed.parts, boxed.places.expand({0}), place.expand({0})}),
        {3}, Operation::ADD);
    std::vector<Tensor> operands = {boxed.keys, boxed.places, place, overlap};
    for (const Tensor &parts : {boxed.parts, chosen})
      for (std::size_t i = 0; i != NumParts; ++i)
        operands.push_back(parts[i]);
    const expr::Any height = expr::Min(expr::_7, expr::_12) -
                             expr::Max(expr::_5, expr::_10),
                    width = expr::Min(expr::_8, expr::_13) -
                            expr::Max(expr::_6, expr::_11),
                    both = height * width, zero = expr::Const(0.0F);
    const expr::Any isCommon =
        expr::And(expr::Gt(height, zero), expr::Gt(width, zero));
    const expr::Any share = expr::Select(
        expr::Divide(both, expr::Select(expr::_9 + expr::_14 - both,
                                        expr::Const(1.0F), isCommon)),
        zero, isCommon);
    const expr::Any isDropped =
        expr::Or(expr::Equal(expr::_2, expr::_3), expr::Gt(share, expr::_4));
    popops::mapInPlace(lowering.graph(),
                       expr::Select(expr::Const(Dropped), expr::_1, isDropped),
                       operands, lowering.program(), lowering.debug(*this));
    return place;
  }
};

const RegisterBoundedOp<BoundedNonMaxSuppression> registration(
    {"NonMaxSuppression", "BoundedNonMaxSuppression", {0, 1, 2, 3, 4}});

} // namespace

} // namespace populus::popir
