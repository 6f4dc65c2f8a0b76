// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs that are called: each becomes one function of the poplar graph, with a
// variable for every parameter, however often it is called. A call copies its
// arguments to the parameters, runs the function, and copies the results out of
// the function's variables, which the next call overwrites. Parameters that are
// weights have the layout that their reader in the function wants, and so have
// the weights themselves: their copies stay on the tile. Others lie as the
// argument of the first call does.

#include "lib/PopART/Lowering/Lowering.h"

#include <algorithm>

namespace populus::popir {

struct Lowering::Function {
  Function(const Graph &body, poplar::Graph &graph,
           const ProgramOptions &options, VariableTensors &variables)
      : body(body), lowering(body, graph, options, variables) {}

  bool isLowered() const { return results.size() == body.results().size(); }

  bool hasParameter(std::size_t index) const {
    return lowering.values.count(body.arguments()[index]) != 0;
  }
  /// Made by its reader where it has no place yet.
  poplar::Tensor parameter(std::size_t index) {
    return lowering.get(*body.arguments()[index]);
  }

  /// Whether a result lies in memory of its own, which no argument is copied
  /// to.
  bool ownsResult(std::size_t index) const {
    const Op *producer = body.results()[index].value->producer();
    return producer && producer->ownsResult();
  }

  const Graph &body;
  Lowering lowering;
  poplar::Function code;
  std::vector<poplar::Tensor> results;
};

Lowering::Function &Lowering::functionOf(const Op &call) {
  const Graph &callee = *call.callees()[0];
  std::shared_ptr<Function> &function = functions[&callee];
  if (!function)
    function = std::make_shared<Function>(callee, graph(), options, variables);
  return *function;
}

/// Made anew as the parameter was, not as its clone: what operators make is
/// described in fewer words.
poplar::Tensor Lowering::createArgument(const Op &call, std::size_t index) {
  Function &function = functionOf(call);
  return function.lowering.newVariable(*function.body.arguments()[index]);
}

/// Results of a function that only the next call of it reads stay where they
/// are: it copies them before it runs.
bool Lowering::isReadByNextCallOnly(const Op &call, std::size_t index) const {
  const Value &result = call.output(index);
  const Op *next = OpList::after(call);
  while (next && next->callees() != call.callees())
    next = OpList::after(*next);
  return next && !result.isGraphResult() &&
         std::ranges::all_of(result.uses(),
                             [&](const Use &use) { return use.user == next; });
}

void Lowering::lowerFunction(const Op &call, Function &function) {
  for (std::size_t i = 0; i != call.inputs().size(); ++i)
    if (!call.input(i).isConstant() && !function.hasParameter(i)) {
      const Value &parameter = *function.body.arguments()[i];
      function.lowering.set(parameter,
                            graph().clone(input(call, i), parameter.name));
    }
  for (std::size_t i = 0; i != call.inputs().size(); ++i)
    if (!function.hasParameter(i))
      function.lowering.createVariable(*function.body.arguments()[i]);
  for (const auto &op : function.body.ops())
    function.lowering.lower(*op);
  for (const GraphResult &output : function.body.results())
    function.results.push_back(function.lowering.get(*output.value));
  function.code = graph().addFunction(function.lowering.program());
}

void Lowering::addNamedTensors(
    std::map<std::string, poplar::Tensor> &named) const {
  for (const auto &[tensor, value] : values)
    named[tensor->name] = value;
  for (const auto &[callee, function] : functions)
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

void Lowering::call(const Op &call) {
  Function &function = functionOf(call);
  if (!function.isLowered())
    lowerFunction(call, function);
  poplar::DebugContext name = debug(call);
  for (std::size_t i = 0; i != call.inputs().size(); ++i)
    addCopy(input(call, i), function.parameter(i), name);
  sequence.add(poplar::program::Call(function.code, name));
  for (std::size_t i = 0; i != call.outputs().size(); ++i) {
    const poplar::Tensor &result = function.results[i];
    if (!call.hasOutput(i) || !call.output(i).isUsed())
      continue;
    if (function.ownsResult(i) && isReadByNextCallOnly(call, i)) {
      setOutput(call, result, i);
      continue;
    }
    poplar::Tensor copy = graph().clone(result, call.output(i).name);
    addCopy(result, copy, name);
    setOutput(call, copy, i);
  }
}

} // namespace populus::popir
