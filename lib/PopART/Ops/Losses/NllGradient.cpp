// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of the negative log likelihood. Ordinary operators compute the
// gradient d of each row, including reduction and ignored labels. One operator
// of (probabilities p, labels, d) then computes, for each row:
//   by                    at the label        elsewhere
//   probabilities         -d / max(p, least)  0
//   log probabilities     -d                  0
//   logits of a softmax   (p - 1) d           p d

#include "lib/PopART/Ops/Losses/Losses.h"

#include "lib/PopART/Ops/Elementwise/Elementwise.h"
#include "lib/PopART/Ops/Indexing/Indexing.h"

#include <popnn/LogLikelihood.hpp>
#include <popops/ElementWise.hpp>

namespace populus::popir {

namespace {

constexpr const char *Type = "NllGrad";

/// Attributes that select the form.
constexpr const char *OfLogits = "ofLogits";
constexpr const char *OfLogarithms = "inputIsLogProbability";

class NllGradient final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override { return {input(0).info}; }
  bool ownsResult() const override { return true; }

  void lower(Lowering &lowering) const override {
    poplar::Graph &graph = lowering.graph();
    const poplar::Tensor p = lowering.input(*this, 0);
    const poplar::Tensor labels = labelsOf(lowering, *this);
    const poplar::Tensor ofRows = popnn::negativeLogLikelihoodGradient(
        graph, p, labels, lowering.input(*this, 2), kind(), lowering.program(),
        lowering.debug(*this));
    if (ofRows.valid())
      return lowering.setOutput(*this, ofRows);
    std::vector<std::size_t> column = labels.shape();
    column.push_back(1);
    const std::size_t classes = p.dim(p.rank() - 1);
    lowering.setOutput(*this,
                       popops::map(graph, expression(p.elementType()),
                                   {p, labels.reshape(column),
                                    countingRow(lowering, *this, classes),
                                    lowering.input(*this, 2).reshape(column)},
                                   lowering.program(), lowering.debug(*this)));
  }

private:
  popnn::LikelihoodBy kind() const {
    if (attributes().getInt(OfLogits, 0) != 0)
      return popnn::LikelihoodBy::LOGITS;
    return attributes().getInt(OfLogarithms, 0) != 0
               ? popnn::LikelihoodBy::LOGARITHMS
               : popnn::LikelihoodBy::PROBABILITIES;
  }

  /// The gradient as an expression of p, label, class number, and d.
  expr::Any expression(const poplar::Type &type) const {
    const expr::Any isLabel = expr::Equal(expr::_2, expr::_3);
    if (attributes().getInt(OfLogits, 0) != 0)
      return (expr::_1 - expr::Cast(isLabel, type)) * expr::_4;
    const expr::Const none(0, type);
    if (attributes().getInt(OfLogarithms, 0) != 0)
      return expr::Select(-expr::_4, none, isLabel);
    const double least = type == poplar::HALF ? 6.104e-5 : 1e-10;
    return expr::Select(-expr::_4 /
                            expr::Max(expr::_1, expr::Const(least, type)),
                        none, isLabel);
  }
};

const RegisterInternalOp<NllGradient> registration(Type);

/// For each label, 0 if it is ignored, else 1.
Value &counted(Gradients &g, DataType type) {
  Value &labels = g.cast(g.x(1), DataType::Int32);
  Value &ignored =
      g.scalar(DataType::Int32,
               static_cast<double>(g.attributes().getInt("ignoreIndex", 0)));
  Value &isIgnored = g.op("Equal", {&labels, &ignored});
  return g.from(1, g.asNumber(isIgnored, type));
}

/// The gradient of each row's loss.
Value &rowGradients(Gradients &g) {
  const TensorInfo &labels = g.x(1).info;
  const DataType type = g.x(0).info.type;
  if (!g.attributes().has("ignoreIndex"))
    return g.expand(
        unreducedGradient(g, static_cast<double>(labels.numElements())),
        labels.shape);
  Value &counts = counted(g, type);
  if (lossReduction(g.forward()) != LossReduction::Mean)
    return g.mul(g.dy(), counts);
  Value &number =
      g.op("Max", {&g.reduceAll("ReduceSum", counts), &g.scalar(type, 1)});
  return g.mul(g.div(g.dy(), number), counts);
}

} // namespace

void differentiateNll(Gradients &g) {
  g.set(0, g.op(Type, {&g.x(0), &g.x(1), &rowGradients(g)},
                {{OfLogarithms, g.attributes().getInt(OfLogarithms, 0)}},
                "ai.graphcore"));
}

bool isNllGradient(const Op &op) {
  return op.id().type == Type && op.attributes().getInt(OfLogarithms, 0) == 0;
}

Value &nllOfSoftmaxGradient(Gradients &g, const Op &nllGradient) {
  return g.op(Type, nllGradient.inputs(), {{OfLogits, std::int64_t(1)}},
              "ai.graphcore");
}

} // namespace populus::popir
