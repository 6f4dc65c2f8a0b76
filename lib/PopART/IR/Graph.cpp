// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edits of the IR graph, which keep both ends of every edge in step, and its
// text form.

#include "lib/PopART/IR/Graph.h"

#include "lib/PopART/IR/Op.h"
#include "lib/PopART/Support/Error.h"

#include <algorithm>

namespace popart {

Graph::Graph(std::string name) : name(std::move(name)) {}
Graph::~Graph() = default;
Graph::Graph(Graph &&) noexcept = default;
Graph &Graph::operator=(Graph &&) noexcept = default;

Tensor &Graph::addTensor(const std::string &name, TensorInfo info) {
  auto [place, isNew] = tensorMap.try_emplace(name);
  if (!isNew)
    failInput("the tensor name '{}' is defined twice", name);
  place->second = std::make_unique<Tensor>();
  place->second->name = name;
  place->second->info = std::move(info);
  return *place->second;
}

Tensor &Graph::addConstant(const std::string &name, HostTensor value) {
  Tensor &tensor = addTensor(name, value.info());
  tensor.value = std::make_shared<const HostTensor>(std::move(value));
  return tensor;
}

std::string Graph::uniqueName(const std::string &stem) const {
  std::string candidate = stem;
  for (unsigned i = 1; tensorMap.count(candidate); ++i)
    candidate = fmt::format("{}/{}", stem, i);
  return candidate;
}

Tensor *Graph::findTensor(const std::string &name) const {
  auto found = tensorMap.find(name);
  return found == tensorMap.end() ? nullptr : found->second.get();
}

Op &Graph::addOp(std::unique_ptr<Op> op, std::vector<Tensor *> inputs,
                 std::vector<Tensor *> outputs) {
  return insertOp(opList.size(), std::move(op), std::move(inputs),
                  std::move(outputs));
}

Op &Graph::insertOp(std::size_t position, std::unique_ptr<Op> op,
                    std::vector<Tensor *> inputs,
                    std::vector<Tensor *> outputs) {
  op->inputTensors = std::move(inputs);
  op->outputTensors = std::move(outputs);
  for (Tensor *input : op->inputTensors)
    if (input)
      input->consumers.push_back(op.get());
  for (Tensor *output : op->outputTensors)
    if (output) {
      takeOutput(*output);
      output->producer = op.get();
    }
  return **opList.insert(opList.begin() + position, std::move(op));
}

void Graph::replaceUses(Tensor &from, Tensor &to) {
  std::vector<Op *> consumers = std::move(from.consumers);
  from.consumers.clear();
  for (Op *op : consumers) {
    // An operator that uses it twice is listed twice: one entry, one edge.
    auto edge =
        std::find(op->inputTensors.begin(), op->inputTensors.end(), &from);
    *edge = &to;
    to.consumers.push_back(op);
  }
  for (GraphOutput &output : outputs)
    if (output.tensor == &from)
      output.tensor = &to;
}

static void removeOne(std::vector<Op *> &list, Op *op) {
  auto found = std::find(list.begin(), list.end(), op);
  if (found != list.end())
    list.erase(found);
}

void Graph::replaceInput(Op &op, std::size_t index, Tensor *to) {
  if (op.inputTensors.size() <= index)
    op.inputTensors.resize(index + 1, nullptr);
  if (Tensor *old = op.inputTensors[index])
    removeOne(old->consumers, &op);
  op.inputTensors[index] = to;
  if (to)
    to->consumers.push_back(&op);
}

/// No operator computes the tensor any more.
void Graph::takeOutput(Tensor &tensor) {
  if (Op *op = tensor.producer)
    std::replace(op->outputTensors.begin(), op->outputTensors.end(), &tensor,
                 static_cast<Tensor *>(nullptr));
  tensor.producer = nullptr;
}

void Graph::makeConstant(Tensor &tensor,
                         std::shared_ptr<const HostTensor> value) {
  takeOutput(tensor);
  tensor.info = value->info();
  tensor.value = std::move(value);
}

void Graph::detach(Op &op) {
  for (Tensor *input : op.inputTensors)
    if (input)
      removeOne(input->consumers, &op);
  for (Tensor *output : op.outputTensors)
    if (output)
      tensorMap.erase(output->name);
}

std::size_t Graph::removeOps(const std::function<bool(const Op &)> &isDead) {
  auto last = std::stable_partition(
      opList.begin(), opList.end(),
      [&](const std::unique_ptr<Op> &op) { return !isDead(*op); });
  // Consumers come after producers: take them away first.
  std::for_each(std::make_reverse_iterator(opList.end()),
                std::make_reverse_iterator(last),
                [&](std::unique_ptr<Op> &op) { detach(*op); });
  std::size_t count = opList.end() - last;
  opList.erase(last, opList.end());
  return count;
}

std::size_t Graph::removeUnusedConstants() {
  return std::erase_if(tensorMap, [&](const auto &entry) {
    const Tensor &tensor = *entry.second;
    return tensor.isConstant() && tensor.consumers.empty() &&
           !isOutput(tensor) &&
           std::find(inputs.begin(), inputs.end(), &tensor) == inputs.end();
  });
}

bool Graph::isOutput(const Tensor &tensor) const {
  return std::any_of(
      outputs.begin(), outputs.end(),
      [&](const GraphOutput &output) { return output.tensor == &tensor; });
}

static std::string joinNames(const std::vector<Tensor *> &tensors,
                             bool withTypes) {
  std::vector<std::string> names;
  for (const Tensor *tensor : tensors) {
    if (!tensor)
      names.push_back("_");
    else if (withTypes)
      names.push_back(
          fmt::format("%{}: {}", tensor->name, toString(tensor->info)));
    else
      names.push_back("%" + tensor->name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

static std::string constantLines(const Graph &graph) {
  std::vector<std::string> lines;
  for (const auto &[name, tensor] : graph.tensors())
    if (tensor->isConstant())
      lines.push_back(
          fmt::format("  constant %{}: {}\n", name, toString(tensor->info)));
  std::sort(lines.begin(), lines.end());
  return fmt::format("{}", fmt::join(lines, ""));
}

std::vector<const Graph *> calleesOf(const Graph &graph) {
  std::vector<const Graph *> callees;
  for (const auto &op : graph.ops())
    if (const Graph *callee = op->callee())
      if (std::find(callees.begin(), callees.end(), callee) == callees.end())
        callees.push_back(callee);
  return callees;
}

std::string toString(const Graph &graph) {
  std::string text;
  for (const Graph *callee : calleesOf(graph))
    text += toString(*callee);
  text += fmt::format("graph {}({}) {{\n", graph.name,
                      joinNames(graph.inputs, true));
  text += constantLines(graph);
  for (const auto &op : graph.ops())
    text += fmt::format("  {} = {}({}) {{{}}} \"{}\"\n",
                        joinNames(op->outputs(), true), toString(op->id()),
                        joinNames(op->inputs(), false),
                        op->attributes().toString(), op->name());
  for (const GraphOutput &output : graph.outputs)
    text += fmt::format("  return {} = %{}: {}\n", output.name,
                        output.tensor->name, toString(output.tensor->info));
  return text + "}\n";
}

} // namespace popart
