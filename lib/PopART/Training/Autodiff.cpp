// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk from the loss to the targets.

#include "lib/PopART/Training/Autodiff.h"

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"

#include <algorithm>
#include <unordered_set>

namespace populus::popir {

namespace {

class Autodiff {
public:
  Autodiff(Graph &graph, const std::vector<Value *> &targets)
      : graph(graph), targets(targets), wanted(targets.begin(), targets.end()) {
  }

  GradientMap run(Value &loss, Value &seed) {
    // Operators that are added on the way are not part of the walk.
    std::vector<Op *> forward;
    for (Op *op : graph.ops())
      forward.push_back(op);
    for (const Op *op : forward)
      spreadFrom(*op);
    parts[&loss].push_back(&seed);
    for (auto op = forward.rbegin(); op != forward.rend(); ++op)
      visit(**op);
    for (const Value *target : targets)
      gradientOf(*target);
    return std::move(gradients);
  }

private:
  /// What depends on a target is on the way to it.
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
    Gradients rule(op, std::move(given), needed);
    op.differentiate(rule);
    for (std::size_t i = 0; i != needed.size(); ++i)
      if (Value *part = rule.gradientOf(i); part && needed[i])
        parts[op.inputs()[i]].push_back(part);
  }

  /// The sum of what the users gave, made once all of them have; null where
  /// nobody gave anything.
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
    Value &sum = graph.addValue(graph.uniqueName(name), value.info);
    graph.addOp(createOp(std::move(spec)), given->second, {&sum});
    return gradients[&value] = &sum;
  }

  Graph &graph;
  const std::vector<Value *> &targets;
  /// The targets, and what is computed from them.
  std::unordered_set<const Value *> wanted;
  std::unordered_map<const Value *, std::vector<Value *>> parts;
  GradientMap gradients;
};

} // namespace

GradientMap differentiate(Graph &graph, Value &loss, Value &seed,
                          const std::vector<Value *> &targets) {
  return Autodiff(graph, targets).run(loss, seed);
}

} // namespace populus::popir
