// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers each callee to one function of the poplar graph, whatever the number
// of calls, with a variable for every parameter. A call copies arguments to the
// parameters, runs the function, and copies the results out, since the next
// call overwrites them. The function's reader of a weight chooses the layout of
// the parameter, and the weight itself has the same layout, so that the copy
// stays on its tile. Other parameters have the layout of the first call's
// argument. All graphs of a module share the functions.

#include "lib/PopART/Lowering/Lowering.h"

#include "lib/PopART/IR/Module.h"
#include "lib/PopART/IR/PlacedIpus.h"

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

  /// Creates the remaining parameters in the layout of their readers, and the
  /// code.
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
  /// Changes the seed, so that the next call draws other random numbers. The
  /// increment is odd and large, so that it does not collide with the batch
  /// count.
  void countRun() {
    constexpr unsigned Step = 0x9E3779B9;
    const poplar::Tensor runs = lowering.shared.seed.slice(1, 2);
    popops::mapInPlace(lowering.shared.root,
                       popops::expr::_1 + popops::expr::Const(Step), {runs},
                       lowering.program(), {SeedHandle});
  }
};

/// A graph whose operators are on several IPUs, or may be on I/O tiles, is
/// lowered like the main graph.
FunctionLowering &Lowering::functionOf(const Graph &callee) {
  std::shared_ptr<FunctionLowering> &function = shared.functions[&callee];
  if (function)
    return *function;
  const std::set<std::int64_t> ipus = placedIpus(callee);
  poplar::Graph *tiles = &graph();
  if (ipus.size() > 1 || hasIoTiles())
    tiles = &shared.root;
  else if (ipus.size() == 1 && isSpread())
    tiles = &shared.ipus[static_cast<std::size_t>(*ipus.begin())];
  function =
      std::make_shared<FunctionLowering>(callee, *tiles, options, shared);
  return *function;
}

/// Creates the tensor as the parameter was created, instead of cloning it:
/// operators' own layouts have a shorter description.
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
    // A broadcast scalar lies on one tile: its layout is no model.
    if (const poplar::Tensor operand = get(*operands[i]);
        !operand.containsAliases())
      function.setParameter(
          i, graph().clone(operand, callee.arguments()[i]->name));
  }
  function.run(shared.root);
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

/// The variable of which a tensor is a permutation of all elements; invalid if
/// there is none.
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

/// Copies tensors. If both are the same permutation of whole variables, the
/// variables are copied instead. Either may reinterpret its variable as another
/// type of the same size.
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
