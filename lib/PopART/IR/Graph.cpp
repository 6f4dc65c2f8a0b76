// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edits of a graph.

#include "lib/PopART/IR/Graph.h"

#include "lib/PopART/IR/Module.h"
#include "lib/PopART/Support/Error.h"

#include <algorithm>
#include <unordered_set>

namespace populus::popir {

Value::Kind Value::kind() const {
  if (producerOp)
    return Kind::Result;
  if (data)
    return Kind::Constant;
  return moduleVariable ? Kind::Variable : Kind::Argument;
}

std::vector<Op *> Value::users() const {
  std::vector<Op *> result;
  for (const Use &use : useList)
    result.push_back(use.user);
  std::ranges::sort(result,
                    [](const Op *a, const Op *b) { return a->isBefore(*b); });
  const auto [first, last] = std::ranges::unique(result);
  result.erase(first, last);
  return result;
}

Graph::Graph(Module &module, std::string name)
    : name(std::move(name)), parent(&module) {}

Graph::~Graph() = default;

// ---- Values -----------------------------------------------------------------

Value &Graph::addValue(const std::string &name, TensorInfo info) {
  auto [place, isNew] = valueOfName.try_emplace(name);
  if (!isNew)
    failInput("the tensor name '{}' is defined twice", name);
  Value &value = valueList.emplace_back(Value::Key(), name);
  value.info = std::move(info);
  value.self = std::prev(valueList.end());
  place->second = &value;
  return value;
}

Value &Graph::addArgument(const std::string &name, TensorInfo info) {
  Value &value = addValue(name, std::move(info));
  argumentList.push_back(&value);
  return value;
}

Value &Graph::addConstant(const std::string &name, HostTensor value) {
  return addConstant(name,
                     std::make_shared<const HostTensor>(std::move(value)));
}

Value &Graph::addConstant(const std::string &name,
                          std::shared_ptr<const HostTensor> constant) {
  Value &value = addValue(name, constant->info());
  value.data = std::move(constant);
  return value;
}

Value &Graph::useVariable(Variable &variable) {
  Value *&known = variableValues[&variable];
  if (!known) {
    known = &addValue(uniqueName(variable.name), variable.info);
    known->moduleVariable = &variable;
  }
  return *known;
}

std::string Graph::uniqueName(const std::string &stem) const {
  if (!valueOfName.count(stem))
    return stem;
  std::uint64_t &number = nextNumber[stem];
  for (;;) {
    std::string candidate = fmt::format("{}/{}", stem, ++number);
    if (!valueOfName.count(candidate))
      return candidate;
  }
}

Value *Graph::findValue(const std::string &name) const {
  auto found = valueOfName.find(name);
  return found == valueOfName.end() ? nullptr : found->second;
}

void Graph::rename(Value &value, const std::string &name) {
  if (value.name == name)
    return;
  if (!valueOfName.try_emplace(name, &value).second)
    failInput("the tensor name '{}' is defined twice", name);
  valueOfName.erase(value.name);
  value.name = name;
}

void Graph::eraseValue(Value &value) {
  valueOfName.erase(value.name);
  if (value.moduleVariable)
    variableValues.erase(value.moduleVariable);
  valueList.erase(value.self);
}

void Graph::removeArgument(std::size_t index) {
  Value &argument = *argumentList[index];
  assert(!argument.isUsed());
  argumentList.erase(argumentList.begin() + static_cast<std::ptrdiff_t>(index));
  eraseValue(argument);
}

void Graph::addResult(std::string name, Value &value) {
  resultList.push_back({std::move(name), &value});
  ++value.numGraphResults;
}

void Graph::setResult(std::size_t index, Value &value) {
  --resultList[index].value->numGraphResults;
  resultList[index].value = &value;
  ++value.numGraphResults;
}

void Graph::removeResult(std::size_t index) {
  --resultList[index].value->numGraphResults;
  resultList.erase(resultList.begin() + static_cast<std::ptrdiff_t>(index));
}

// ---- Edges ------------------------------------------------------------------

void Graph::addUse(Op &op, std::size_t operand) {
  Value *value = op.operands[operand];
  if (!value)
    return;
  op.usePlaces[operand] = static_cast<std::uint32_t>(value->useList.size());
  value->useList.push_back({&op, static_cast<std::uint32_t>(operand)});
}

/// Removal in constant time: the last use moves into the freed slot.
void Graph::removeUse(Op &op, std::size_t operand) {
  Value *value = op.operands[operand];
  if (!value)
    return;
  const std::uint32_t place = op.usePlaces[operand];
  const Use last = value->useList.back();
  value->useList[place] = last;
  last.user->usePlaces[last.operand] = place;
  value->useList.pop_back();
}

void Graph::setInput(Op &op, std::size_t index, Value *to) {
  if (op.operands.size() <= index) {
    op.operands.resize(index + 1, nullptr);
    op.usePlaces.resize(index + 1, 0);
  }
  removeUse(op, index);
  op.operands[index] = to;
  addUse(op, index);
}

void Graph::setOutput(Op &op, std::size_t index, Value *output) {
  if (op.results.size() <= index)
    op.results.resize(index + 1, nullptr);
  if (Value *old = op.results[index]) {
    assert(!old->isUsed());
    eraseValue(*old);
  }
  op.results[index] = output;
  if (!output)
    return;
  takeOutput(*output);
  output->producerOp = &op;
  output->numberOfResult = index;
}

void Graph::replaceUses(Value &from, Value &to) {
  if (&from == &to)
    return;
  for (const Use &use : from.useList) {
    use.user->operands[use.operand] = &to;
    addUse(*use.user, use.operand);
  }
  from.useList.clear();
  if (!from.isGraphResult())
    return;
  for (std::size_t i = 0; i != resultList.size(); ++i)
    if (resultList[i].value == &from)
      setResult(i, to);
}

/// No operator computes the value any more.
void Graph::takeOutput(Value &value) {
  if (Op *op = value.producerOp)
    op->results[value.numberOfResult] = nullptr;
  value.producerOp = nullptr;
}

void Graph::makeConstant(Value &value,
                         std::shared_ptr<const HostTensor> constant) {
  takeOutput(value);
  if (value.moduleVariable)
    variableValues.erase(value.moduleVariable);
  value.moduleVariable = nullptr;
  std::erase(argumentList, &value);
  value.info = constant->info();
  value.data = std::move(constant);
}

std::size_t Graph::removeUnusedValues() {
  std::size_t count = 0;
  for (auto next = valueList.begin(); next != valueList.end();) {
    Value &value = *next++;
    const bool isRemovable = value.isConstant() || value.variable();
    const bool isArgument =
        isRemovable &&
        std::ranges::find(argumentList, &value) != argumentList.end();
    if (!isRemovable || isArgument || value.isUsed())
      continue;
    eraseValue(value);
    ++count;
  }
  return count;
}

// ---- Operators --------------------------------------------------------------

Op &Graph::addOp(std::unique_ptr<Op> newOp, std::vector<Value *> inputs,
                 std::vector<Value *> outputs, Op *before) {
  Op &op = opList.insert(std::move(newOp), before);
  op.parent = this;
  op.operands = std::move(inputs);
  op.usePlaces.resize(op.operands.size());
  for (std::size_t i = 0; i != op.operands.size(); ++i)
    addUse(op, i);
  op.results.resize(outputs.size());
  for (std::size_t i = 0; i != outputs.size(); ++i)
    if (outputs[i])
      setOutput(op, i, outputs[i]);
  return op;
}

void Graph::detach(Op &op) {
  for (std::size_t i = 0; i != op.operands.size(); ++i)
    removeUse(op, i);
  op.operands.clear();
  for (Op *other : op.predecessors)
    std::erase(other->successors, &op);
  for (Op *other : op.successors)
    std::erase(other->predecessors, &op);
  // Keep ordering transitive: successors now wait for the predecessors.
  for (Op *after : op.successors)
    for (Op *before : op.predecessors)
      addOrder(*before, *after);
}

void Graph::erase(Op &op) {
  detach(op);
  for (Value *result : op.results)
    if (result) {
      assert(!result->isUsed());
      eraseValue(*result);
    }
  opList.remove(op);
}

std::size_t Graph::removeOps(const std::function<bool(const Op &)> &isDead) {
  std::vector<Op *> dead;
  for (Op *op : opList)
    if (isDead(*op))
      dead.push_back(op);
  // Users come after producers: they go first.
  for (auto op = dead.rbegin(); op != dead.rend(); ++op)
    erase(**op);
  return dead.size();
}

void Graph::addOrder(Op &before, Op &after) {
  if (std::ranges::find(after.predecessors, &before) !=
      after.predecessors.end())
    return;
  after.predecessors.push_back(&before);
  before.successors.push_back(&after);
}

std::vector<Graph *> Graph::callees() const {
  std::vector<Graph *> result;
  std::unordered_set<const Graph *> known;
  for (const Op *op : opList)
    for (Graph *callee : op->callees())
      if (known.insert(callee).second)
        result.push_back(callee);
  return result;
}

} // namespace populus::popir
