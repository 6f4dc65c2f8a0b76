// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradients of one operator.

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/Annotations.h"

#include "lib/PopART/IR/GradientNames.h"

#include <fmt/format.h>

namespace populus::popir {

Gradients::Gradients(Op &forward, std::vector<Value *> given,
                     std::vector<bool> wanted, GradientGraphs &graphs)
    : GraphBuilder(*forward.graph(), forward.name() + GradientScope,
                   forward.placement()),
      forwardOp(forward), graphs(graphs), given(std::move(given)),
      wanted(std::move(wanted)), found(forward.inputs().size()),
      linedUp(forward.inputs().size()), asked(forward.outputs().size()),
      ended(forward.inputs().size()) {}

bool Gradients::hasTorchTies() const {
  return forwardOp.attributes().getInt(annotations::TorchTies, 0) != 0;
}

Value &Gradients::x(std::size_t index) {
  forwardOp.input(index); // an Error where it is missing
  return linedUp[index] ? *linedUp[index] : *forwardOp.inputs()[index];
}

void Gradients::lineUp(std::size_t index, const Shape &shape) {
  linedUp[index] = &reshape(x(index), shape);
}

Value &Gradients::y(std::size_t index) {
  if (!forwardOp.hasOutput(index)) {
    const std::vector<TensorInfo> infos = forwardOp.infer();
    graph().setOutput(
        forwardOp, index,
        &graph().addValue(graph().uniqueName(fmt::format(
                              "{}/result{}", forwardOp.name(), index)),
                          infos.at(index)));
  }
  return *forwardOp.outputs()[index];
}

Value &Gradients::dy(std::size_t index) {
  if (!hasDy(index))
    return zerosLike(forwardOp.infer().at(index));
  asked[index] = true;
  return *given[index];
}

void Gradients::set(std::size_t index, Value &gradient) {
  found[index] =
      &reshape(sumTo(gradient, shape(index)), forwardOp.inputShape(index));
}

void Gradients::checkComplete() const {
  if (isEnd)
    return;
  // An operator with a single result may ignore its gradient if it is flat.
  for (std::size_t i = 0; i != given.size(); ++i)
    if (given.size() > 1 && given[i] && !asked[i])
      forwardOp.failUnsupported(
          fmt::format("the loss is computed with its result {} ('{}'), of "
                      "which it has no gradient",
                      i, forwardOp.outputs()[i]->name));
  // Integers have no gradient, even if a caller asks for one.
  for (std::size_t i = 0; i != wanted.size(); ++i)
    if (wanted[i] && !found[i] && !ended[i] &&
        isFloatingPoint(forwardOp.inputs()[i]->info.type))
      forwardOp.failUnsupported(fmt::format(
          "it has no gradient of its input {} ('{}'), and the loss is "
          "differentiated by what that is computed with",
          i, forwardOp.inputs()[i]->name));
}

Value &Gradients::zerosLike(const TensorInfo &info) {
  return expand(scalar(info.type, 0), info.shape);
}

Value &Gradients::sumOfChannels(Value &x) {
  std::vector<std::int64_t> axes = {0};
  for (std::int64_t i = 2; i < x.info.rank(); ++i)
    axes.push_back(i);
  return reshape(reduce("ReduceSum", x, axes), {x.info.shape[1]});
}

Value &Gradients::sumTo(Value &x, const Shape &shape) {
  if (x.info.shape == shape)
    return x;
  const Shape &from = x.info.shape;
  const std::size_t shift = from.size() - shape.size();
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i != from.size(); ++i)
    if (i < shift || (shape[i - shift] == 1 && from[i] != 1))
      axes.push_back(static_cast<std::int64_t>(i));
  Value &sum = axes.empty() ? x : reduce("ReduceSum", x, axes);
  return reshape(sum, shape);
}

} // namespace populus::popir
