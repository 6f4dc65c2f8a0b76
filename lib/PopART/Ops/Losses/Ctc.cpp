// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ctc: the loss of connectionist temporal classification, minus the logarithm
// of the probability of a label sequence over all its alignments. With blanks
// around and between the labels, a sequence of S labels has L = 2 S + 1 places;
// alpha[n, l] is the probability that sequence n is at place l by now. From one
// step to the next a place is reached from itself, from the place before it,
// and past a blank between two different labels.

#include "lib/PopART/Ops/Elementwise/Expressions.h"
#include "lib/PopART/Ops/Indexing/Indexing.h"
#include "lib/PopART/Ops/Losses/Losses.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Loop.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>

namespace populus::popir {

namespace {

using poplar::program::Copy;
using poplar::program::Sequence;

class Ctc final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    checkFloat(*this);
    const Shape &p = inputShape(0), &targets = inputShape(1);
    if (p.size() != 3 || targets.size() != 2 || p[0] < 1 || targets[1] < 1 ||
        p[1] != targets[0] || inputShape(2) != Shape{p[1]} ||
        inputShape(3) != Shape{p[1]})
      failInput(fmt::format(
          "log probabilities {}, targets {} and lengths {} and {} do not go "
          "together; they are [T, N, C], [N, S], [N] and [N]",
          toString(p), toString(targets), toString(inputShape(2)),
          toString(inputShape(3))));
    if (blank() < 0 || blank() >= p[2])
      failInput(fmt::format("its blank {} is not a class", blank()));
    return {{resultType(), lossShape(*this, {p[1]})}};
  }

  void lower(Lowering &lowering) const override {
    poplar::Tensor labels = integers(lowering, Targets);
    poplar::Tensor places = labelsOfPlaces(lowering, labels);
    poplar::Tensor emitted = emissions(lowering, places);
    poplar::Tensor alpha = alignments(lowering, places, emitted);
    poplar::Tensor loss = lossOf(lowering, alpha);
    poplar::Type type = deviceType(resultType());
    loss = reducedLoss(lowering, *this, weighted(lowering, loss));
    if (loss.elementType() != type)
      loss = popops::cast(lowering.graph(), loss, type, lowering.program(),
                          lowering.debug(*this));
    lowering.setOutput(*this, loss);
  }

  void differentiate(Gradients &g) const override { differentiateCtc(g); }

private:
  enum Input { LogProbabilities, Targets, InputLengths, TargetLengths };

  std::int64_t blank() const { return attributes().getInt("blank", 0); }

  DataType resultType() const {
    const std::string name = attributes().getString("outDataType", "UNDEFINED");
    if (name == "UNDEFINED")
      return input(0).info.type;
    if (name == "FLOAT")
      return DataType::Float;
    if (name != "FLOAT16")
      failInput(fmt::format("its outDataType '{}' is not one of FLOAT, FLOAT16 "
                            "and UNDEFINED",
                            name));
    return DataType::Float16;
  }

  poplar::Tensor integers(Lowering &lowering, Input index) const {
    return castInput(lowering, *this, index, poplar::INT);
  }

  /// [N, L]: blank, first label, blank, second label, …, blank.
  poplar::Tensor labelsOfPlaces(Lowering &lowering,
                                const poplar::Tensor &labels) const {
    auto n = static_cast<std::int64_t>(labels.dim(0));
    poplar::Tensor blanks =
        filled(lowering, *this, {n, 1}, DataType::Int32, double(blank()));
    std::vector<poplar::Tensor> columns = {blanks};
    for (std::size_t s = 0; s != labels.dim(1); ++s) {
      columns.push_back(labels.slice(s, s + 1, 1));
      columns.push_back(blanks);
    }
    return poputil::duplicate(lowering.graph(), poplar::concat(columns, 1),
                              lowering.program(), lowering.debug(*this));
  }

  /// [T, N, L]: the log probability of each place's label.
  poplar::Tensor emissions(Lowering &lowering,
                           const poplar::Tensor &places) const {
    poplar::Tensor p = lowering.input(*this, LogProbabilities);
    if (p.elementType() != poplar::FLOAT)
      p = popops::cast(lowering.graph(), p, poplar::FLOAT, lowering.program(),
                       lowering.debug(*this));
    std::size_t steps = p.dim(0), batch = p.dim(1), classes = p.dim(2);
    // A table with a row for each sequence and class, of all steps.
    poplar::Tensor table =
        p.dimShuffle({1, 2, 0}).reshape({batch * classes, steps});
    poplar::Tensor first = mapped(
        lowering, *this, expr::_1 * expr::Const(static_cast<int>(classes)),
        {countingRow(lowering, *this, batch)});
    poplar::Tensor rows = mapped(
        lowering, *this, expr::Cast(expr::_1 + expr::_2, poplar::UNSIGNED_INT),
        {places, first.expand({1})});
    return takeRows(lowering, *this, table, rows.flatten())
        .reshape({batch, places.dim(1), steps})
        .dimShuffle({2, 0, 1});
  }

  /// [N, L]: `alpha` at the place `distance` before each one.
  poplar::Tensor before(Lowering &lowering, const poplar::Tensor &alpha,
                        std::size_t distance) const {
    poplar::Tensor none = filled(lowering, *this,
                                 {static_cast<std::int64_t>(alpha.dim(0)),
                                  static_cast<std::int64_t>(distance)},
                                 DataType::Float, LogOfZero);
    return poplar::concat(none, alpha.slice(0, alpha.dim(1) - distance, 1), 1);
  }

  /// [N, L]: log probabilities after the steps that each sequence has.
  poplar::Tensor alignments(Lowering &lowering, const poplar::Tensor &places,
                            const poplar::Tensor &emitted) const {
    poplar::Graph &graph = lowering.graph();
    const auto steps = static_cast<unsigned>(emitted.dim(0));
    const std::size_t extent = places.dim(1);
    poplar::Tensor place = countingRow(lowering, *this, extent).expand({0});
    // Labels follow each other without a blank where they differ.
    poplar::Tensor skips =
        extent < 3
            ? filled(lowering, *this, {1, 1}, DataType::Bool, 0)
            : mapped(lowering, *this,
                     expr::And(
                         expr::NotEqual(expr::_1,
                                        expr::Const(static_cast<int>(blank()))),
                         expr::NotEqual(expr::_1, expr::_2)),
                     {places, shifted(lowering, places)});
    poplar::Tensor alpha =
        mapped(lowering, *this,
               expr::Select(expr::_1, expr::Const(LogOfZero),
                            expr::Lt(expr::_2, expr::Const(2))),
               {emitted[0], place});
    poplar::Tensor lengths = integers(lowering, InputLengths).expand({1});
    poplar::Tensor all =
        poputil::duplicate(graph, emitted.slice(1, steps), lowering.program(),
                           lowering.debug(*this));
    if (steps > 1)
      lowering.program().add(popops::countedLoop(
          graph, steps - 1,
          [&](const poplar::Tensor &step) {
            Sequence body;
            poplar::Tensor now =
                popops::dynamicSlice(graph, all, step.reshape({1}), {0}, {1},
                                     body, lowering.debug(*this))[0];
            expr::Any reached = logSum(expr::_1, expr::_2);
            std::vector<poplar::Tensor> operands = {
                alpha, before(lowering, alpha, 1), now, lengths,
                step.reshape({1, 1})};
            if (extent >= 3) {
              reached =
                  logSum(reached, expr::Select(expr::_6, expr::Const(LogOfZero),
                                               expr::_7));
              operands.push_back(before(lowering, alpha, 2));
              operands.push_back(skips);
            }
            // Step 0 of the loop is the second one of the sequence.
            expr::Any goesOn = expr::Lt(
                expr::Cast(expr::_5, poplar::INT) + expr::Const(1), expr::_4);
            poplar::Tensor next = popops::map(
                graph, expr::Select(reached + expr::_3, expr::_1, goesOn),
                operands, body, lowering.debug(*this));
            body.add(Copy(next, alpha, false, lowering.debug(*this)));
            return body;
          },
          lowering.debug(*this)));
    return alpha;
  }

  /// The label two places before each one; blanks at the beginning.
  poplar::Tensor shifted(Lowering &lowering,
                         const poplar::Tensor &places) const {
    auto n = static_cast<std::int64_t>(places.dim(0));
    poplar::Tensor none =
        filled(lowering, *this, {n, 2}, DataType::Int32, double(blank()));
    return poplar::concat(none, places.slice(0, places.dim(1) - 2, 1), 1);
  }

  /// [N]: of the two places where a sequence may end.
  poplar::Tensor lossOf(Lowering &lowering, const poplar::Tensor &alpha) const {
    poplar::Tensor place =
        countingRow(lowering, *this, alpha.dim(1)).expand({0});
    poplar::Tensor length = integers(lowering, TargetLengths).expand({1});
    auto endingAt = [&](int back) {
      poplar::Tensor kept =
          mapped(lowering, *this,
                 expr::Select(expr::_1, expr::Const(LogOfZero),
                              expr::Equal(expr::_2, expr::_3 * expr::Const(2) -
                                                        expr::Const(back))),
                 {alpha, place, length});
      return reduceKeepingDims(lowering, *this, kept, {1},
                               popops::Operation::MAX)
          .flatten();
    };
    expr::Any loss = -logSum(expr::_1, expr::_2);
    expr::Any impossible =
        attributes().getInt("zeroInfinity", 0) != 0
            ? expr::Any(expr::Const(0.0F))
            : expr::Any(expr::Const(std::numeric_limits<float>::infinity()));
    return mapped(
        lowering, *this,
        expr::Select(impossible, loss, expr::Gt(loss, expr::Const(1e29F))),
        {endingAt(0), endingAt(1)});
  }

  /// A mean is over the labels of a sequence first, then over the sequences.
  poplar::Tensor weighted(Lowering &lowering,
                          const poplar::Tensor &loss) const {
    if (lossReduction(*this) != LossReduction::Mean)
      return loss;
    return mapped(lowering, *this,
                  expr::_1 / expr::Cast(expr::Max(expr::_2, expr::Const(1)),
                                        poplar::FLOAT),
                  {loss, integers(lowering, TargetLengths)});
  }
};

const RegisterOp<Ctc> registration("Ctc", {1}, "ai.graphcore", 4);

} // namespace

} // namespace populus::popir
