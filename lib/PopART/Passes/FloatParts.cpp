// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Propagates float32 backwards from operands that need it, through arguments
// and results of calls, up to matrix products, which may be float16.

#include "lib/PopART/Passes/FloatParts.h"

#include "lib/PopART/Ops/Normalization/BatchNormalization.h"

#include <algorithm>

namespace populus::popir {

namespace {

bool isConvolution(const Op *op) { return op->id().type == "Conv"; }

/// The convolution after the first \p count ones; the first operator if \p
/// count is 0; null if there are not that many.
Op *convolutionAfter(const Graph &graph, std::size_t count) {
  if (count == 0)
    return graph.ops().front();
  for (Op *op : graph.ops())
    if (isConvolution(op) && count-- == 0)
      return op;
  return nullptr;
}

/// Batch statistics sum too many elements for float16.
bool sumsBatch(const Op &op) {
  const auto *norm = dynamic_cast<const BatchNormalization *>(&op);
  return norm && norm->isTraining();
}

const CallingOp *asCall(const Op *op) {
  return dynamic_cast<const CallingOp *>(op);
}

} // namespace

FloatParts::FloatParts(Module &module,
                       std::optional<std::size_t> floatConvolutions)
    : floatConvolutions(floatConvolutions) {
  findSites(module);
  for (const Graph &graph : module.graphs())
    for (const Op *op : graph.ops()) {
      addExact(*op);
      addWritten(*op);
      finish();
    }
  // Last, because operands of these operators need not be exact.
  for (const Graph &graph : module.graphs())
    addBeginning(graph);
}

void FloatParts::findSites(Module &module) {
  for (const Graph &graph : module.graphs())
    for (const Op *op : graph.ops())
      if (const CallingOp *call = asCall(op))
        for (const Graph *callee : call->callees())
          if (auto &list = sites[callee]; list.empty() || list.back() != call)
            list.push_back(call);
  for (const auto &[graph, calls] : sites)
    for (std::size_t i = 0; i != graph->arguments().size(); ++i)
      argumentOf[graph->arguments()[i]] = {graph, i};
}

Op *FloatParts::firstHalf(const Graph &graph) const {
  if (isCalled(graph)) // wherever in the network that is
    return graph.ops().front();
  const auto convolutions = static_cast<std::size_t>(
      std::ranges::count_if(graph.ops(), isConvolution));
  return convolutionAfter(graph, floatConvolutions.value_or(convolutions / 3));
}

void FloatParts::addBeginning(const Graph &graph) {
  const Op *first = firstHalf(graph);
  for (const Op *op : graph.ops()) {
    if (op == first)
      break;
    if (!asCall(op))
      floatOps.insert(op);
  }
  for (const Op *op : graph.ops())
    if (sumsBatch(*op))
      floatOps.insert(op);
}

void FloatParts::addExact(const Op &op) {
  for (std::size_t i = 0; i != op.inputs().size(); ++i)
    if (op.needsFloat32(i))
      visit(op.inputs()[i]);
}

/// A tensor that is modified in place cannot be converted by a copy. Writer,
/// tensor and, for a call by reference, the callee's argument stay float32.
void FloatParts::addWritten(const Op &op) {
  const auto writes = [&](std::size_t operand) {
    return op.hasInput(operand) && op.effect(operand).modifies;
  };
  if (const CallingOp *call = asCall(&op)) {
    for (const CallingOp::Passed &passed : call->passed())
      if (writes(passed.operand)) {
        makeFloat(op.input(passed.operand));
        makeArgumentFloat(*passed.graph->arguments()[passed.argument]);
      }
    return;
  }
  for (std::size_t i = 0; i != op.inputs().size(); ++i)
    if (writes(i)) {
      floatOps.insert(&op);
      makeFloat(op.input(i));
    }
}

void FloatParts::finish() {
  while (!work.empty()) {
    const Op *op = work.back();
    work.pop_back();
    for (const Value *input : op->inputs())
      visit(input);
  }
}

void FloatParts::visit(const Value *value) {
  if (!value || value->info.type != DataType::Float)
    return;
  const Op *producer = value->producer();
  if (producer && !asCall(producer) && producer->codeValue() >= 1)
    return;
  if (producer && !asCall(producer) && exactOps.insert(producer).second)
    work.push_back(producer);
  makeFloat(*value);
}

void FloatParts::makeFloat(const Value &value) {
  if (value.info.type != DataType::Float)
    return;
  const Op *producer = value.producer();
  if (const CallingOp *call = asCall(producer))
    visitResult(*call, value.resultNumber());
  else if (producer)
    floatOps.insert(producer);
  else if (argumentOf.contains(&value))
    makeArgumentFloat(value);
}

void FloatParts::visitResult(const CallingOp &op, std::size_t result) {
  for (const Graph *callee : op.callees())
    makeResultFloat(*callee, op.firstResult() + result);
}

void FloatParts::makeArgumentFloat(const Value &argument) {
  if (argument.info.type != DataType::Float ||
      !floatArguments.insert(&argument).second)
    return;
  const auto [graph, number] = argumentOf.at(&argument);
  for (const CallingOp *call : sites.at(graph)) {
    for (const CallingOp::Passed &passed : call->passed())
      if (passed.graph == graph && passed.argument == number)
        visit(call->inputs()[passed.operand]);
    if (number >= 1 && number <= call->numCarried())
      makeResultFloat(*graph, call->firstResult() + number - 1);
  }
}

void FloatParts::makeResultFloat(const Graph &graph, std::size_t result) {
  const Value *value = graph.results()[result].value;
  if (value->info.type != DataType::Float ||
      !floatResults.insert({&graph, result}).second)
    return;
  visit(value);
  for (const CallingOp *call : sites.at(&graph)) {
    // All branches of an If return the same type.
    visitResult(*call, result - call->firstResult());
    const std::size_t number = result - call->firstResult();
    if (number < call->numCarried())
      makeArgumentFloat(*graph.arguments()[1 + number]);
  }
}

bool FloatParts::readsFloat(const Op &op, std::size_t operand) const {
  if (const CallingOp *call = asCall(&op)) {
    const auto passed = call->passed();
    const auto found =
        std::ranges::find(passed, operand, &CallingOp::Passed::operand);
    return found == passed.end() ||
           isFloatArgument(*found->graph->arguments()[found->argument]);
  }
  return floatOps.contains(&op) || op.needsFloat32(operand);
}

bool FloatParts::isFloatResult(const Value &result) const {
  const Op *producer = result.producer();
  if (const CallingOp *call = asCall(producer))
    return returnsFloat(*call->callees().front(),
                        call->firstResult() + result.resultNumber());
  return floatOps.contains(producer);
}

} // namespace populus::popir
