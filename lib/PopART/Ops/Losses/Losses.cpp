// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forward pass of the losses of Graphcore's domain. The result is a scalar,
// the sum or mean of these losses; with NoReduction, it is the losses:
//   IdentityLoss(x)           x
//   L1(x)                     lambda * |x|
//   Nll(probabilities, label) -log p[label], for each row of the last dimension
// A row of Nll whose label is ignoreIndex contributes nothing; the mean is over
// the other rows.

#include "lib/PopART/Ops/Losses/Losses.h"

#include "lib/PopART/IR/GuideText.h"
#include "lib/PopART/Ops/Elementwise/Elementwise.h"
#include "lib/PopART/Ops/Indexing/Indexing.h"
#include "lib/PopART/Ops/Shape/Shapes.h"
#include "lib/PopART/Support/Error.h"

#include <fmt/format.h>
#include <popnn/LogLikelihood.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>

#include <algorithm>
#include <numeric>

namespace populus::popir {

using popops::Operation;

LossReduction lossReduction(const Op &op) {
  const std::string name = op.attributes().getString("reduction", "Mean");
  if (name == "Sum")
    return LossReduction::Sum;
  if (name == "Mean")
    return LossReduction::Mean;
  if (name != "NoReduction" && name != "None")
    op.failInput(fmt::format("its reduction '{}' is not one of Sum, Mean and "
                             "NoReduction",
                             name));
  return LossReduction::None;
}

Shape lossShape(const Op &op, const Shape &unreduced) {
  return lossReduction(op) == LossReduction::None ? unreduced : Shape();
}

poplar::Tensor reducedLoss(Lowering &lowering, const Op &op,
                           const poplar::Tensor &loss) {
  const LossReduction reduction = lossReduction(op);
  if (reduction == LossReduction::None)
    return loss;
  const auto count = static_cast<double>(loss.numElements());
  const double scale = reduction == LossReduction::Mean ? 1 / count : 1;
  return reduceKeepingDims(lowering, op, loss.flatten(), {0}, Operation::ADD,
                           scale)
      .reshape({});
}

Value &unreducedGradient(Gradients &g, double count) {
  return lossReduction(g.forward()) == LossReduction::Mean
             ? g.mul(g.dy(), 1 / count)
             : g.dy();
}

poplar::Tensor labelsOf(Lowering &lowering, const Op &op) {
  const poplar::Tensor labels = lowering.input(op, 1);
  return labels.elementType() == poplar::INT
             ? labels
             : popops::cast(lowering.graph(), labels, poplar::INT,
                            lowering.program(), lowering.debug(op));
}

namespace {

/// A loss for each element of its only input, then a reduction.
class ElementLoss : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    checkFloat(*this);
    return {{input(0).info.type, lossShape(*this, inputShape(0))}};
  }
  void lower(Lowering &lowering) const final {
    checkFloat(*this);
    lowering.setOutput(*this, reducedLoss(lowering, *this, losses(lowering)));
  }
  /// The loss must not be a view of a weight, which may be updated before the
  /// loss is returned.
  bool ownsResult() const final {
    return lossReduction(*this) != LossReduction::None;
  }
  void differentiate(Gradients &g) const final {
    const auto count = static_cast<double>(input(0).info.numElements());
    g.set(0, gradientOfEach(g, unreducedGradient(g, count)));
  }

private:
  /// The gradient of the input, from that of each element's loss.
  virtual Value &gradientOfEach(Gradients &g, Value &dy) const = 0;
  virtual poplar::Tensor losses(Lowering &lowering) const = 0;
};

class IdentityLoss final : public ElementLoss {
public:
  using ElementLoss::ElementLoss;

  /// Accepts any type: training reports an operator without gradient by name.
  std::vector<TensorInfo> infer() const override {
    return {{input(0).info.type, lossShape(*this, inputShape(0))}};
  }
  bool isIdentity() const override {
    return inputShape(0).empty() || lossReduction(*this) == LossReduction::None;
  }

private:
  Value &gradientOfEach(Gradients &g, Value &dy) const override {
    return g.expand(dy, inputShape(0));
  }
  poplar::Tensor losses(Lowering &lowering) const override {
    return lowering.input(*this, 0);
  }
};

class L1Loss final : public ElementLoss {
public:
  using ElementLoss::ElementLoss;

private:
  Value &gradientOfEach(Gradients &g, Value &dy) const override {
    Value &sign = g.op("Sign", {&g.x()});
    return g.mul(g.mul(dy, attributes().getFloat("lambda", 1)), sign);
  }
  poplar::Tensor losses(Lowering &lowering) const override {
    poplar::Tensor x = lowering.input(*this, 0);
    const expr::Const lambda(attributes().getFloat("lambda", 1),
                             x.elementType());
    return popops::map(lowering.graph(), expr::Abs(expr::_1) * lambda, {x},
                       lowering.program(), lowering.debug(*this));
  }
};

class NllLoss final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    checkFloat(*this);
    const Shape &probabilities = inputShape(0);
    if (probabilities.empty())
      failInput("its probabilities are a scalar, which has no classes");
    // Programs compare the beginning of this text.
    if (inputShape(1) != rows())
      popir::failInput(
          "The label tensor ({}) must have shape {} to match all but the final "
          "dimension of the probabilities tensor ({}); node {}",
          guideText(input(1).info), guideText(rows()), guideText(input(0).info),
          describe());
    if (isFloatingPoint(input(1).info.type))
      failInput("its labels are not integers");
    return {{input(0).info.type, lossShape(*this, rows())}};
  }

  void lower(Lowering &lowering) const override {
    poplar::Tensor p = lowering.input(*this, 0);
    poplar::Tensor labels = labelsOf(lowering, *this);
    poplar::Tensor loss =
        ignoresRows() ? poplar::Tensor() : lossOfRows(lowering, p, labels);
    if (!loss.valid())
      loss = sumOfChosen(lowering, p, labels);
    lowering.setOutput(*this, ignoresRows()
                                  ? withoutIgnored(lowering, loss, labels)
                                  : reducedLoss(lowering, *this, loss));
  }

  void differentiate(Gradients &g) const override { differentiateNll(g); }

private:
  Shape rows() const {
    return Shape(inputShape(0).begin(), inputShape(0).end() - 1);
  }

  bool ignoresRows() const { return attributes().has("ignoreIndex"); }
  expr::Any isCounted(const expr::Expr &label) const {
    return expr::NotEqual(label, expr::Const(static_cast<int>(
                                     attributes().getInt("ignoreIndex", 0))));
  }

  bool isOfLogarithms() const {
    return attributes().getInt("inputIsLogProbability", 0) != 0;
  }

  /// The loss per row, for rows that fit in one vertex.
  poplar::Tensor lossOfRows(Lowering &lowering, const poplar::Tensor &p,
                            const poplar::Tensor &labels) const {
    return popnn::negativeLogLikelihood(
        lowering.graph(), p, labels,
        isOfLogarithms() ? popnn::LikelihoodOf::LOGARITHMS
                         : popnn::LikelihoodOf::PROBABILITIES,
        lowering.program(), lowering.debug(*this));
  }

  /// The loss per row, for rows distributed over several vertices.
  poplar::Tensor sumOfChosen(Lowering &lowering, const poplar::Tensor &p,
                             const poplar::Tensor &labels) const {
    std::vector<std::size_t> column = labels.shape();
    column.push_back(1);
    const std::size_t last = p.rank() - 1;
    poplar::Tensor chosen = popops::map(
        lowering.graph(), chosenLoss(p.elementType()),
        {p, labels.reshape(column), countingRow(lowering, *this, p.dim(last))},
        lowering.program(), lowering.debug(*this));
    return reduceKeepingDims(lowering, *this, chosen, {last}, Operation::ADD)
        .reshape(labels.shape());
  }

  /// The loss of probability _1 if its class _3 is the label _2; else 0.
  expr::Any chosenLoss(const poplar::Type &type) const {
    const double least = type == poplar::HALF ? 6.104e-5 : 1e-7;
    const expr::Any log =
        isOfLogarithms() ? expr::Any(expr::_1)
                         : expr::Any(expr::Log(
                               expr::Max(expr::_1, expr::Const(least, type))));
    expr::Any isChosen = expr::Equal(expr::_2, expr::_3);
    if (ignoresRows())
      isChosen = expr::And(isChosen, isCounted(expr::_2));
    return expr::Select(-log, expr::Const(0, type), isChosen);
  }

  /// The mean over the rows that are not ignored; there may be none.
  poplar::Tensor withoutIgnored(Lowering &lowering, const poplar::Tensor &loss,
                                const poplar::Tensor &labels) const {
    if (lossReduction(*this) != LossReduction::Mean)
      return reducedLoss(lowering, *this, loss);
    poplar::Graph &graph = lowering.graph();
    poplar::program::Sequence &program = lowering.program();
    auto sum = [&](const poplar::Tensor &values) {
      return reduceKeepingDims(lowering, *this, values.flatten(), {0},
                               Operation::ADD)
          .reshape({});
    };
    poplar::Tensor counted =
        popops::map(graph, expr::Cast(isCounted(expr::_1), loss.elementType()),
                    {labels}, program, lowering.debug(*this));
    return popops::map(
        graph,
        expr::_1 / expr::Max(expr::_2, expr::Const(1, loss.elementType())),
        {sum(loss), sum(counted)}, program, lowering.debug(*this));
  }
};

const RegisterOp<IdentityLoss> identity("IdentityLoss", {1}, "ai.graphcore", 1);
const RegisterOp<L1Loss> l1("L1", {1}, "ai.graphcore", 1);
const RegisterOp<NllLoss> nll("Nll", {1}, "ai.graphcore", 2);

} // namespace

} // namespace populus::popir
