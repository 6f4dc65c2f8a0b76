// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs that are called: each becomes one function of the poplar graph, with a
// variable for every parameter, however often it is called. A call copies its
// arguments to the parameters, runs the function, and copies the results out of
// the function's variables, which the next call overwrites. Parameters that are
// weights have the layout that their reader in the function wants, and so have
// the weights themselves: their copies stay on the tile. Others lie as the
// argument of the first call does. All graphs of a module share its functions.

#include "lib/PopART/Lowering/Lowering.h"

#include "lib/PopART/IR/Module.h"

#include <popops/ElementWise.hpp>

#include <algorithm>

namespace populus::popir {

struct FunctionLowering {
  FunctionLowering(const Graph &body, poplar::Graph &graph,
                   const ProgramOptions &options, SharedLowering &shared)
      : body(body), lowering(body, graph, options, shared) {}

  bool hasParameter(std::size_t index) const {
    return lowering.values.count(body.arguments()[index]) != 0;
  }
  void setParameter(std::size_t index, poplar::Tensor parameter) {
    lowering.set(*body.arguments()[index], std::move(parameter));
  }

  /// Makes the parameters that have no place yet as their readers want them,
  /// and the code.
  void run(poplar::Graph &graph) {
    for (std::size_t i = 0; i != body.arguments().size(); ++i)
      if (!hasParameter(i))
        lowering.createVariable(*body.arguments()[i]);
    for (const Value *argument : body.arguments())
      function.parameters.push_back(lowering.get(*argument));
    const std::uint32_t randomOps = lowering.shared.randomOps;
    for (const auto &op : body.ops())
      lowering.lower(*op);
    if (lowering.shared.randomOps != randomOps)
      countRun();
    for (const GraphResult &output : body.results()) {
      const Op *producer = output.value->producer();
      function.ownsResult.push_back(producer && producer->ownsResult());
      function.results.push_back(lowering.get(*output.value));
    }
    function.code = graph.addFunction(lowering.program());
    isLowered = true;
  }

  const Graph &body;
  Lowering lowering;
  CalledFunction function;
  bool isLowered = false;

private:
  /// So that the next call draws other random numbers: an odd number that is
  /// far from what batches count.
  void countRun() {
    constexpr unsigned Step = 0x9E3779B9;
    const poplar::Tensor runs = lowering.shared.seed.slice(1, 2);
    popops::mapInPlace(lowering.shared.root,
                       popops::expr::_1 + popops::expr::Const(Step), {runs},
                       lowering.program(), {SeedHandle});
  }
};

FunctionLowering &Lowering::functionOf(const Graph &callee) {
  std::shared_ptr<FunctionLowering> &function = shared.functions[&callee];
  if (!function)
    function =
        std::make_shared<FunctionLowering>(callee, graph(), options, shared);
  return *function;
}

/// Made anew as the parameter was, not as its clone: what operators make is
/// described in fewer words.
poplar::Tensor Lowering::createArgument(const Graph &callee,
                                        std::size_t argument) {
  return functionOf(callee).lowering.newVariable(*callee.arguments()[argument]);
}

const CalledFunction &
Lowering::function(const Graph &callee,
                   const std::vector<const Value *> &operands) {
  FunctionLowering &function = functionOf(callee);
  if (function.isLowered)
    return function.function;
  for (std::size_t i = 0; i != operands.size(); ++i) {
    if (!operands[i] || operands[i]->isConstant() || function.hasParameter(i))
      continue;
    // What is one number for many elements lies on one tile.
    if (const poplar::Tensor operand = get(*operands[i]);
        !operand.containsAliases())
      function.setParameter(
          i, graph().clone(operand, callee.arguments()[i]->name));
  }
  function.run(graph());
  return function.function;
}

void Lowering::addNamedTensors(
    std::map<std::string, poplar::Tensor> &named) const {
  for (const auto &[tensor, value] : values)
    named[tensor->name] = value;
  if (&ir != &ir.module().main())
    return;
  for (const auto &[callee, function] : shared.functions)
    function->lowering.addNamedTensors(named);
}

/// The variable of which a tensor is all elements, in whatever order; invalid
/// where it is not one.
static poplar::Tensor
variableOf(const poplar::Graph &graph,
           const std::vector<poplar::VariableInterval> &regions,
           std::size_t elements) {
  if (regions.empty())
    return poplar::Tensor();
  for (const poplar::VariableInterval &region : regions)
    if (!(region.var == regions.front().var))
      return poplar::Tensor();
  poplar::Tensor variable = graph.getVariable(regions.front().var);
  return variable.numElements() == elements ? variable : poplar::Tensor();
}

/// Tensors that were made alike have their elements in the same order, so that
/// their variables can be copied as a whole. Either may view its variable as
/// another type of the same size.
void Lowering::addCopy(poplar::Tensor from, poplar::Tensor to,
                       const poplar::DebugContext &name) {
  const auto source = from.getVarRegions(), target = to.getVarRegions();
  auto isSameInterval = [](const auto &a, const auto &b) {
    return a.interval == b.interval;
  };
  if (std::ranges::equal(source, target, isSameInterval)) {
    poplar::Tensor wholeSource = variableOf(whole, source, from.numElements());
    poplar::Tensor wholeTarget = variableOf(whole, target, to.numElements());
    if (wholeSource.valid() && wholeTarget.valid()) {
      from = wholeSource.reinterpret(from.elementType());
      to = wholeTarget.reinterpret(to.elementType());
    }
  }
  sequence.add(poplar::program::Copy(from, to, false, name));
}

} // namespace populus::popir
