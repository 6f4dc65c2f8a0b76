// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BatchNormIntoConv: a batch norm of inference scales and shifts every channel
// by constants. Where it alone reads the result of a convolution with constant
// weights, the scale goes into the weights and the shift into the bias.

#include "lib/PopART/IR/Op.h"
#include "lib/PopART/Ops/Normalization/BatchNormalization.h"
#include "lib/PopART/Passes/Passes.h"

#include <unordered_set>

namespace populus::popir {

namespace {

/// The convolution that `norm` can be folded into, or null.
Op *foldableConv(const Graph &graph, const BatchNormalization &norm) {
  const Value &x = norm.input(0);
  Op *conv = x.producer();
  if (!conv || conv->id().type != "Conv" || !conv->id().domain.empty())
    return nullptr;
  const bool isOnlyReader = x.onlyUser() != nullptr;
  bool isConstant = conv->input(1).isConstant() &&
                    (!conv->hasInput(2) || conv->input(2).isConstant()) &&
                    conv->input(1).info.type == DataType::Float;
  return isOnlyReader && isConstant ? conv : nullptr;
}

HostTensor scaledWeights(const HostTensor &weights,
                         const std::vector<double> &scale) {
  HostTensor result = weights;
  std::span<float> values = result.as<float>();
  std::size_t perChannel = scale.empty() ? 0 : values.size() / scale.size();
  for (std::size_t channel = 0; channel != scale.size(); ++channel)
    for (float &value : values.subspan(channel * perChannel, perChannel))
      value = static_cast<float>(value * scale[channel]);
  return result;
}

HostTensor newBias(const Op &conv, const BatchNormalization::Affine &affine) {
  std::vector<double> bias(affine.scale.size(), 0);
  if (conv.hasInput(2))
    bias = conv.input(2).constant()->toDoubles();
  std::vector<float> values;
  for (std::size_t i = 0; i != bias.size(); ++i)
    values.push_back(
        static_cast<float>(bias[i] * affine.scale[i] + affine.shift[i]));
  return HostTensor::ofFloats({std::int64_t(values.size())}, values);
}

void fold(Graph &graph, Op &conv, const BatchNormalization &norm,
          const BatchNormalization::Affine &affine) {
  auto addConstant = [&](const std::string &stem, HostTensor value) {
    return &graph.addConstant(graph.uniqueName(stem), std::move(value));
  };
  Value *weights =
      addConstant(conv.input(1).name + "/folded",
                  scaledWeights(*conv.input(1).constant(), affine.scale));
  Value *bias =
      addConstant(conv.name() + "/bias/folded", newBias(conv, affine));
  graph.setInput(conv, 1, weights);
  graph.setInput(conv, 2, bias);
  graph.replaceUses(*norm.outputs()[0], *conv.outputs()[0]);
}

} // namespace

std::size_t foldBatchNorms(Graph &graph) {
  std::unordered_set<const Op *> folded;
  for (Op *op : graph.ops()) {
    const auto *norm = dynamic_cast<const BatchNormalization *>(op);
    Op *conv = norm ? foldableConv(graph, *norm) : nullptr;
    std::optional<BatchNormalization::Affine> affine =
        conv ? norm->affine() : std::nullopt;
    if (!affine)
      continue;
    fold(graph, *conv, *norm, *affine);
    folded.insert(norm);
  }
  return graph.removeOps([&](const Op &op) { return folded.count(&op) != 0; });
}

} // namespace populus::popir
