// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of Ctc by its log probabilities. popnn computes the gradient of
// each sequence's loss, [T, N, C]; it is scaled by the gradient that the
// reduction passes to the sequence.

#include "lib/PopART/Ops/Elementwise/Expressions.h"
#include "lib/PopART/Ops/Losses/Losses.h"

#include <popnn/CTCLoss.hpp>
#include <popops/ElementWise.hpp>

namespace populus::popir {

namespace {

constexpr const char *Type = "CtcGrad";

/// The operands of Ctc, and the gradient of each sequence's loss.
enum Operand : std::size_t {
  LogProbabilities,
  Targets,
  InputLengths,
  TargetLengths,
  Given
};

class CtcGradient final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override { return {input(0).info}; }
  bool ownsResult() const override { return true; }

  void lower(Lowering &lowering) const override {
    poplar::Graph &graph = lowering.graph();
    const poplar::Tensor p = lowering.input(*this, LogProbabilities);
    const poplar::Type type = p.elementType();
    const poplar::OptionFlags options = {
        {"includeSoftmaxGradient", "false"},
        {"zeroInfinity",
         attributes().getInt("zeroInfinity", 0) != 0 ? "true" : "false"}};
    auto integers = [&](Operand index) {
      return castInput(lowering, *this, index, poplar::UNSIGNED_INT);
    };
    const poplar::Tensor targets = integers(Targets);
    const popnn::ctc::Plan plan = popnn::ctc::plan(
        graph, type, type, p.dim(1), p.dim(0), targets.dim(1), p.dim(2));
    const poplar::Tensor gradient =
        popnn::ctc::calcLossAndGradientLogProbabilities(
            graph, type, p, targets, integers(InputLengths),
            integers(TargetLengths), lowering.program(),
            static_cast<unsigned>(attributes().getInt("blank", 0)), plan,
            lowering.debug(*this), options)
            .second;
    const poplar::Tensor given = lowering.input(*this, Given).expand({0, 1});
    lowering.setOutput(*this,
                       popops::mul(graph, gradient, given, lowering.program(),
                                   lowering.debug(*this)));
  }
};

const RegisterInternalOp<CtcGradient> registration(Type);

/// The gradient of each sequence's loss. A mean divides by the number of labels
/// of the sequence first.
Value &sequenceGradients(Gradients &g) {
  const TensorInfo &lengths = g.x(TargetLengths).info;
  const DataType type = g.x().info.type;
  Value &dy = g.cast(g.dy(), type);
  if (lossReduction(g.forward()) != LossReduction::Mean)
    return g.expand(dy, lengths.shape);
  Value &labels =
      g.op("Max", {&g.cast(g.x(TargetLengths), type), &g.scalar(type, 1)});
  return g.div(g.mul(dy, 1 / static_cast<double>(lengths.numElements())),
               labels);
}

} // namespace

void differentiateCtc(Gradients &g) {
  Attributes attributes = g.attributes();
  g.set(0, g.opLike(Type,
                    {&g.x(LogProbabilities), &g.x(Targets), &g.x(InputLengths),
                     &g.x(TargetLengths), &sequenceGradients(g)},
                    std::move(attributes), "ai.graphcore"));
}

} // namespace populus::popir
