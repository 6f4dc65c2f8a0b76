// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax: exponentials divided by their sum along an axis; until opset 12,
// over all dimensions from an axis on. LogSoftmax is the logarithm of Softmax.

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Losses/Losses.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <popnn/LogSoftmax.hpp>
#include <popnn/NonLinearity.hpp>

namespace populus::popir {

namespace {

class Softmax final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    checkFloat(*this);
    axis();
    return {input(0).info};
  }

  bool ownsResult() const override { return true; }

  void lower(Lowering &lowering) const override {
    poplar::Tensor x = lowering.input(*this, 0);
    lowering.setOutput(*this, version() < 13 ? overRest(lowering, x)
                                             : overAxis(lowering, x));
  }

  void differentiate(Gradients &g) const override {
    if (id().type == "LogSoftmax") {
      Value &sum = g.reduce("ReduceSum", g.dy(), axes());
      g.set(0, g.sub(g.dy(), g.mul(g.op("Exp", {&g.y()}), sum)));
      return;
    }
    if (Value *direct = gradientOfNll(g))
      return g.set(0, *direct);
    Value &product = g.mul(g.dy(), g.y());
    Value &sum = g.reduce("ReduceSum", product, axes());
    g.set(0, g.sub(product, g.mul(g.y(), sum)));
  }

private:
  /// The dimensions over which it sums.
  std::vector<std::int64_t> axes() const {
    std::vector<std::int64_t> all = {axis()};
    if (version() < 13)
      for (std::int64_t i = axis() + 1; i < input(0).info.rank(); ++i)
        all.push_back(i);
    return all;
  }

  /// If only a negative log likelihood reads the probabilities, the usual end
  /// of a classifier, the gradient of both is fused to (p - label) d. It has no
  /// quotient, so small probabilities do no harm. Returns null otherwise.
  Value *gradientOfNll(Gradients &g) const {
    Op *sum = g.dy().producer();
    Op *nll = sum && sum->inputs().size() == 1 ? sum->inputs()[0]->producer()
                                               : nullptr;
    const bool overLast =
        axes() == std::vector<std::int64_t>{input(0).info.rank() - 1};
    if (!nll || !overLast || !isNllGradient(*nll) || nll->inputs()[0] != &g.y())
      return nullptr;
    return &nllOfSoftmaxGradient(g, *nll);
  }

  std::int64_t axis() const {
    // A scalar is a row of one element.
    std::int64_t rank = std::max(input(0).info.rank(), 1);
    return normalAxis(*this,
                      attributes().getInt("axis", version() < 13 ? 1 : -1),
                      rank, version() < 13 ? 1 : 0);
  }

  poplar::Tensor overRest(Lowering &lowering, const poplar::Tensor &x) const {
    const Shape &shape = inputShape(0);
    std::int64_t dim = axis();
    std::int64_t rows = product(shape, 0, dim);
    std::int64_t columns = product(shape, dim, shape.size());
    return softmax(lowering, x.reshape(toPoplar({rows, columns})))
        .reshape(toPoplar(shape));
  }

  poplar::Tensor overAxis(Lowering &lowering, const poplar::Tensor &x) const {
    if (inputShape(0).empty())
      return softmax(lowering, x.reshape({1})).reshape({});
    auto dim = static_cast<unsigned>(axis());
    unsigned last = static_cast<unsigned>(inputShape(0).size()) - 1;
    return softmax(lowering, x.dimRoll(dim, last)).dimRoll(last, dim);
  }

  poplar::Tensor softmax(Lowering &lowering, const poplar::Tensor &x) const {
    if (id().type == "LogSoftmax")
      return popnn::logSoftmax(lowering.graph(), x, lowering.program(),
                               lowering.debug(*this));
    return popnn::softmaxStable(lowering.graph(), x, lowering.program(),
                                lowering.debug(*this));
  }
};

const RegisterOp<Softmax> softmax("Softmax", {1, 11, 13});
const RegisterOp<Softmax> logSoftmax("LogSoftmax", {1, 11, 13});

} // namespace

} // namespace populus::popir
