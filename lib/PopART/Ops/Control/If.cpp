// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If(condition, operands…): runs the first graph if the condition is true, else
// the second one. The first `then_inputs` operands behind the condition are the
// arguments of the first graph; the rest are arguments of the second. Both
// return the same types and shapes.

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Control/CallGradients.h"
#include "lib/PopART/Ops/Control/CallingOp.h"

#include <fmt/format.h>
#include <poplar/Tensor.hpp>

namespace populus::popir {

namespace {

class If final : public CallingOp {
public:
  explicit If(OpSpec spec)
      : CallingOp(std::move(spec)),
        thenInputs(attributes().getInt("then_inputs", 0)) {
    if (thenInputs < 0)
      failInput("its attribute 'then_inputs' is negative");
  }

  std::vector<TensorInfo> infer() const override {
    const TensorInfo &condition = input(0).info;
    if (condition.type != DataType::Bool || condition.numElements() != 1)
      failInput("its condition is " + toString(condition) +
                "; it has to be one bool");
    if (1 + thenInputs > static_cast<std::int64_t>(inputs().size()))
      failInput(fmt::format("{} of its {} operands are for the first graph",
                            thenInputs, inputs().size()));
    const Graph &yes = branch(0), &no = branch(1);
    for (std::size_t i : {0, 1}) {
      const Range range = operandsOf(i);
      checkCount(branch(i), range.count);
      for (std::size_t k = 0; k != range.count; ++k)
        checkArgument(branch(i), k, input(range.first + k).info);
    }
    if (yes.results().size() != no.results().size())
      failInput(fmt::format("its graphs return {} and {} results",
                            yes.results().size(), no.results().size()));
    std::vector<TensorInfo> infos;
    for (std::size_t i = 0; i != yes.results().size(); ++i) {
      infos.push_back(yes.results()[i].value->info);
      if (no.results()[i].value->info != infos.back())
        failInput(fmt::format("result {} of its graphs is {} and {}", i,
                              toString(infos.back()),
                              toString(no.results()[i].value->info)));
    }
    return infos;
  }

  std::vector<Passed> passed() const override {
    std::vector<Passed> list;
    for (std::size_t side : {0, 1})
      addPassed(list, operandsOf(side), callees()[side]);
    return list;
  }

  poplar::Tensor createInput(Lowering &lowering,
                             std::size_t index) const override {
    if (index == 0)
      return poplar::Tensor();
    const std::size_t side = index <= operandsOf(0).count ? 0 : 1;
    return lowering.createArgument(branch(side),
                                   index - operandsOf(side).first);
  }

  void lower(Lowering &lowering) const override {
    const CalledFunction &yes = functionOf(lowering, 0);
    std::vector<poplar::Tensor> results;
    for (std::size_t i = 0; i != outputs().size(); ++i)
      results.push_back(
          lowering.graph().clone(yes.results[i], branch(0).results()[i].name));
    const auto runOf = [&](std::size_t side) {
      return lowering.nested([&] { addRun(lowering, side, results); });
    };
    const poplar::program::Sequence first = runOf(0), second = runOf(1);
    lowering.program().add(
        poplar::program::If(lowering.input(*this, 0).flatten()[0], first,
                            second, lowering.debug(*this)));
    for (std::size_t i = 0; i != outputs().size(); ++i)
      if (hasOutput(i))
        lowering.setOutput(*this, results[i], i);
  }

  /// Runs the gradient graph of the taken branch. Forward values that it reads
  /// become results of both branches, zeros in the other one; gradients of
  /// operands of the other branch are zeros, too.
  void differentiate(Gradients &g) const override {
    std::vector<Graph *> sides;
    for (Graph *callee : callees())
      sides.push_back(&privateCopy(*callee));
    g.forward().setCallees(sides);
    std::vector<Value *> given;
    for (std::size_t i = 0; i != outputs().size(); ++i)
      given.push_back(g.hasDy(i) ? &g.dy(i) : nullptr);
    std::vector<CalledGradients> found;
    for (std::size_t side : {0, 1}) {
      std::vector<Value *> required;
      for (std::size_t i = 0; i != operandsOf(side).count; ++i)
        if (g.wants(operandsOf(side).first + i))
          required.push_back(sides[side]->arguments()[i]);
      found.push_back(
          gradientsOf(g.gradientGraphs(), g, *sides[side], given, required));
    }
    for (std::size_t side : {0, 1})
      for (Value *value : found[side].back.forwardValues)
        if (!argumentNumber(*sides[side], *value) &&
            !resultNumber(*sides[side], *value)) {
          makeResult(*sides[side], *value);
          addZeroResult(*sides[1 - side], value->info);
        }
    setGradients(g, sides, found);
  }

private:
  /// Adds the operator that runs the gradient graphs, and sets the gradients.
  void setGradients(Gradients &g, const std::vector<Graph *> &sides,
                    const std::vector<CalledGradients> &found) const {
    std::vector<Value *> operands = {&g.x(0)};
    std::vector<Graph *> graphs;
    for (std::size_t side : {0, 1}) {
      const GradientGraph &back = found[side].back;
      graphs.push_back(back.graph);
      operands.insert(operands.end(), found[side].given.begin(),
                      found[side].given.end());
      for (Value *value : back.forwardValues) {
        const auto argument = argumentNumber(*sides[side], *value);
        operands.push_back(argument
                               ? &g.x(operandsOf(side).first + *argument)
                               : &g.y(*resultNumber(*sides[side], *value)));
      }
    }
    for (const Value *value : found[1].back.required)
      addZeroResult(*graphs[0], value->info);
    // The gradients of the first graph's operands come first.
    std::vector<GraphResult> own = graphs[1]->results();
    while (!graphs[1]->results().empty())
      graphs[1]->removeResult(graphs[1]->results().size() - 1);
    for (const Value *value : found[0].back.required)
      addZeroResult(*graphs[1], value->info);
    for (const GraphResult &result : own)
      graphs[1]->addResult(result.name, *result.value);
    Attributes attributes;
    attributes.set("then_inputs",
                   static_cast<std::int64_t>(graphs[0]->arguments().size()));
    const std::vector<Value *> gradients =
        g.addOp(makeCallingOp("If", "If", graphs, operands.size(),
                              graphs[0]->results().size(), attributes),
                operands);
    std::size_t next = 0;
    for (std::size_t side : {0, 1})
      for (const Value *value : found[side].back.required)
        g.set(operandsOf(side).first + *argumentNumber(*sides[side], *value),
              *gradients[next++]);
    g.endRest(); // inside of the graphs no path leads to them
  }

  const Graph &branch(std::size_t side) const { return callee(side, 2); }

  Range operandsOf(std::size_t side) const {
    const auto first = static_cast<std::size_t>(thenInputs);
    return side == 0 ? Range{1, 0, first}
                     : Range{1 + first, 0, inputs().size() - 1 - first};
  }

  const CalledFunction &functionOf(Lowering &lowering, std::size_t side) const {
    const Range range = operandsOf(side);
    const auto begin =
        inputs().begin() + static_cast<std::ptrdiff_t>(range.first);
    return lowering.function(
        branch(side),
        {begin, begin + static_cast<std::ptrdiff_t>(range.count)});
  }

  void addRun(Lowering &lowering, std::size_t side,
              const std::vector<poplar::Tensor> &results) const {
    const CalledFunction &function = functionOf(lowering, side);
    copyIn(lowering, function, operandsOf(side));
    lowering.program().add(
        poplar::program::Call(function.code, lowering.debug(*this)));
    copyBack(lowering, function, operandsOf(side));
    for (std::size_t i = 0; i != outputs().size(); ++i)
      if (hasOutput(i))
        lowering.addCopy(function.results[i], results[i],
                         lowering.debug(*this));
  }

  std::int64_t thenInputs;
};

const RegisterInternalOp<If> registration("If");

} // namespace

} // namespace populus::popir
