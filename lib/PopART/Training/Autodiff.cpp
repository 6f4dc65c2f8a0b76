// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reverse-mode differentiation: walks the graph backwards from the loss to the
// targets, applies each operator's rule, and sums the gradients of each value.

#include "lib/PopART/Training/Autodiff.h"

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"

#include <algorithm>
#include <unordered_set>

namespace populus::popir {

namespace {

class Autodiff {
public:
  Autodiff(Graph &graph, const std::vector<Value *> &targets,
           GradientGraphs &graphs)
      : graph(graph), targets(targets), graphs(graphs),
        wanted(targets.begin(), targets.end()) {}

  GradientMap run(const std::vector<KnownGradient> &known) {
    // A copy of the list: gradient operators that rules add are not visited.
    std::vector<Op *> forward;
    for (Op *op : graph.ops())
      forward.push_back(op);
    for (const Op *op : forward)
      spreadFrom(*op);
    for (const KnownGradient &given : known)
      parts[given.value].push_back(given.gradient);
    for (auto op = forward.rbegin(); op != forward.rend(); ++op)
      visit(**op);
    for (const Value *target : targets)
      gradientOf(*target);
    return std::move(gradients);
  }

private:
  /// The results of an operator need gradients if one of its inputs does.
  void spreadFrom(const Op &op) {
    const bool isOnTheWay =
        std::ranges::any_of(op.inputs(), [&](const Value *input) {
          return input && wanted.contains(input);
        });
    if (!isOnTheWay)
      return;
    for (const Value *output : op.outputs())
      if (output && isFloatingPoint(output->info.type))
        wanted.insert(output);
  }

  void visit(Op &op) {
    std::vector<Value *> given;
    bool matters = false;
    for (const Value *output : op.outputs()) {
      given.push_back(output && wanted.contains(output) ? gradientOf(*output)
                                                        : nullptr);
      matters |= given.back() != nullptr;
    }
    std::vector<bool> needed;
    for (const Value *input : op.inputs())
      needed.push_back(input && wanted.contains(input));
    if (!matters || std::ranges::count(needed, true) == 0)
      return;
    Gradients rule(op, std::move(given), needed, graphs);
    op.differentiate(rule);
    rule.checkComplete();
    for (std::size_t i = 0; i != needed.size(); ++i)
      if (Value *part = rule.gradientOf(i); part && needed[i])
        parts[op.inputs()[i]].push_back(part);
  }

  /// Sums the gradients that the users contributed, once all have; null if
  /// there are none.
  Value *gradientOf(const Value &value) {
    if (auto known = gradients.find(&value); known != gradients.end())
      return known->second;
    auto given = parts.find(&value);
    if (given == parts.end())
      return nullptr;
    const std::string name = GradientPrefix + value.name;
    OpSpec spec;
    spec.id = newestOf("", "Sum");
    spec.name = "GradSum_" + name;
    spec.numInputs = given->second.size();
    if (const Op *producer = value.producer())
      spec.placement = producer->placement();
    else if (!value.uses().empty())
      spec.placement = value.users().front()->placement();
    Value &sum = graph.addValue(graph.uniqueName(name), value.info);
    graph.addOp(createOp(std::move(spec)), given->second, {&sum});
    return gradients[&value] = &sum;
  }

  Graph &graph;
  const std::vector<Value *> &targets;
  GradientGraphs &graphs;
  /// The targets, and what is computed from them.
  std::unordered_set<const Value *> wanted;
  std::unordered_map<const Value *, std::vector<Value *>> parts;
  GradientMap gradients;
};

} // namespace

GradientMap differentiate(Graph &graph, const std::vector<KnownGradient> &known,
                          const std::vector<Value *> &targets,
                          GradientGraphs &graphs) {
  return Autodiff(graph, targets, graphs).run(known);
}

/// The new value gets the name of the old one.
static void replaceResult(Graph &graph, Op &op, std::size_t index,
                          Value &value) {
  Value &old = *op.outputs()[index];
  const std::string name = old.name;
  graph.replaceUses(old, value);
  graph.rename(old, graph.uniqueName(name));
  graph.rename(value, name);
}

/// Expands operators into their training forms; true if there was one.
static bool expandOnce(Graph &graph) {
  std::vector<Op *> ops;
  bool isChanged = false;
  for (Op *op : graph.ops())
    ops.push_back(op);
  for (Op *op : ops) {
    GraphBuilder b(graph, op->name(), op->placement(), op);
    const std::vector<Value *> results = op->trainingForm(b);
    if (results.empty())
      continue;
    for (std::size_t i = 0; i != op->outputs().size(); ++i)
      if (op->hasOutput(i))
        replaceResult(graph, *op, i, *results.at(i));
    graph.erase(*op);
    isChanged = true;
  }
  return isChanged;
}

void expandForTraining(Graph &graph) {
  // Expanded operators may have training forms themselves.
  while (expandOnce(graph)) {
  }
}

} // namespace populus::popir
