// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common base of Call, Loop and If.

#include "lib/PopART/Ops/Control/CallingOp.h"

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"

#include <fmt/format.h>

#include <algorithm>

namespace populus::popir {

bool CallingOp::modifies(std::size_t operand) const {
  const std::vector<std::int64_t> list =
      attributes().getInts(ModifiedAttribute);
  return std::ranges::count(list, static_cast<std::int64_t>(operand)) != 0;
}

static bool anyCalled(const Op &op, bool (*holds)(const Op &)) {
  return std::ranges::any_of(op.callees(), [&](const Graph *callee) {
    return std::ranges::any_of(callee->ops(),
                               [&](const Op *inner) { return holds(*inner); });
  });
}

void CallingOp::addPassed(std::vector<Passed> &list, Range operands,
                          Graph *graph) const {
  for (std::size_t i = 0; i != operands.count; ++i)
    list.push_back({operands.first + i, graph, operands.argument + i});
}

bool CallingOp::hasEffect() const {
  return anyCalled(*this, [](const Op &op) { return op.hasEffect(); });
}

bool CallingOp::isStateful() const {
  return anyCalled(*this, [](const Op &op) { return op.isStateful(); });
}

double CallingOp::codeValue() const {
  double sum = 0;
  for (const Graph *callee : callees())
    for (const Op *op : callee->ops())
      sum += op->codeValue();
  return sum;
}

const Graph &CallingOp::callee(std::size_t index, std::size_t count) const {
  if (callees().size() != count)
    failInput(fmt::format("it names {} graphs that it calls, and needs {}",
                          callees().size(), count));
  return *callees()[index];
}

void CallingOp::checkArgument(const Graph &callee, std::size_t argument,
                              const TensorInfo &given) const {
  const TensorInfo &wanted = callee.arguments().at(argument)->info;
  if (given != wanted)
    failInput(fmt::format("argument {} of graph '{}' is {}, and gets {}",
                          argument, callee.name, toString(wanted),
                          toString(given)));
}

void CallingOp::checkCount(const Graph &callee, std::size_t given) const {
  if (callee.arguments().size() != given)
    failInput(fmt::format("graph '{}' has {} arguments, and gets {}",
                          callee.name, callee.arguments().size(), given));
}

void CallingOp::copyIn(Lowering &lowering, const CalledFunction &function,
                       Range operands) const {
  for (std::size_t i = 0; i != operands.count; ++i)
    lowering.addCopy(lowering.input(*this, operands.first + i),
                     function.parameters[operands.argument + i],
                     lowering.debug(*this));
}

void CallingOp::copyBack(Lowering &lowering, const CalledFunction &function,
                         Range operands) const {
  for (std::size_t i = 0; i != operands.count; ++i)
    if (modifies(operands.first + i))
      lowering.addCopy(function.parameters[operands.argument + i],
                       lowering.input(*this, operands.first + i),
                       lowering.debug(*this));
}

std::unique_ptr<Op> makeCallingOp(const std::string &type,
                                  const std::string &name,
                                  std::vector<Graph *> callees,
                                  std::size_t numInputs, std::size_t numOutputs,
                                  Attributes attributes) {
  OpSpec spec;
  spec.id = newestOf("ai.graphcore", type);
  spec.name = name;
  spec.attributes = std::move(attributes);
  spec.numInputs = numInputs;
  spec.numOutputs = numOutputs;
  std::unique_ptr<Op> op = createOp(std::move(spec));
  op->setCallees(std::move(callees));
  return op;
}

} // namespace populus::popir
