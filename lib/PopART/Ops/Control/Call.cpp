// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Call: runs another graph, on its inputs and for its results. Several calls of
// one graph share its code (Lowering/Functions.cpp).

#include "lib/PopART/IR/Module.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Control/CallGradients.h"
#include "lib/PopART/Ops/Control/CallingOp.h"

#include <poplar/Tensor.hpp>

#include <algorithm>

namespace populus::popir {

namespace {

class Call final : public CallingOp {
public:
  using CallingOp::CallingOp;

  std::vector<TensorInfo> infer() const override {
    checkCount(callee(), inputs().size());
    for (std::size_t i = 0; i != inputs().size(); ++i)
      checkArgument(callee(), i, input(i).info);
    std::vector<TensorInfo> infos;
    for (const GraphResult &result : callee().results())
      infos.push_back(result.value->info);
    return infos;
  }

  std::vector<Passed> passed() const override {
    std::vector<Passed> list;
    addPassed(list, everything(), callees().front());
    return list;
  }

  poplar::Tensor createInput(Lowering &lowering,
                             std::size_t index) const override {
    return lowering.createArgument(callee(), index);
  }

  void lower(Lowering &lowering) const override {
    const CalledFunction &function = lowering.function(
        callee(), std::vector<const Value *>(inputs().begin(), inputs().end()));
    copyIn(lowering, function, everything());
    lowering.program().add(
        poplar::program::Call(function.code, lowering.debug(*this)));
    copyBack(lowering, function, everything());
    for (std::size_t i = 0; i != outputs().size(); ++i)
      if (hasOutput(i) && output(i).isUsed())
        setResult(lowering, function, i);
  }

  void differentiate(Gradients &g) const override {
    Graph &forward = *callees()[0];
    std::vector<Value *> given, required;
    for (std::size_t i = 0; i != forward.results().size(); ++i)
      given.push_back(g.hasDy(i) ? &g.dy(i) : nullptr);
    for (std::size_t i = 0; i != inputs().size(); ++i)
      if (g.wants(i))
        required.push_back(forward.arguments()[i]);
    const CalledGradients found =
        gradientsOf(g.gradientGraphs(), g, forward, given, required);
    std::vector<Value *> operands = found.given;
    for (Value *value : found.back.forwardValues) {
      const auto argument = argumentNumber(forward, *value);
      operands.push_back(argument ? &g.x(*argument)
                                  : &g.y(makeResult(forward, *value)));
    }
    const std::vector<Value *> gradients =
        g.addOp(makeCallingOp("Call", "Call", {found.back.graph},
                              operands.size(), found.back.required.size()),
                operands);
    for (std::size_t i = 0; i != gradients.size(); ++i)
      g.set(*argumentNumber(forward, *found.back.required[i]), *gradients[i]);
    g.endRest(); // inside of the graph no path leads to them
  }

private:
  Range everything() const { return {0, 0, inputs().size()}; }

  void setResult(Lowering &lowering, const CalledFunction &function,
                 std::size_t index) const {
    const poplar::Tensor &result = function.results[index];
    if (function.ownsResult[index] && isReadByNextCallOnly(index))
      return lowering.setOutput(*this, result, index);
    poplar::Tensor copy = lowering.graph().clone(result, output(index).name);
    lowering.addCopy(result, copy, lowering.debug(*this));
    lowering.setOutput(*this, copy, index);
  }

  /// True for a result that only the next call of the graph reads, in the same
  /// pipeline stage. It stays in place: the next call copies it before it runs,
  /// and no call runs in between.
  bool isReadByNextCallOnly(std::size_t index) const {
    const Value &result = output(index);
    const Op *next = OpList::after(*this);
    while (next && !runs(*next, callee()))
      next = OpList::after(*next);
    return next && next->id() == id() && next->callees() == callees() &&
           next->placement().stage == placement().stage &&
           !result.isGraphResult() &&
           std::ranges::all_of(
               result.uses(), [&](const Use &use) { return use.user == next; });
  }

  static bool runs(const Op &op, const Graph &graph) {
    return std::ranges::any_of(op.callees(), [&](const Graph *callee) {
      return callee == &graph ||
             std::ranges::count(reachableFrom(*callee), &graph) != 0;
    });
  }
};

const RegisterInternalOp<Call> registration("Call");

} // namespace

} // namespace populus::popir
