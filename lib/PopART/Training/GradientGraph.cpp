// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds a backward graph in three steps: copy the forward graph into it,
// differentiate the copy, then turn each value of the copy that gradients read
// into an argument and delete the copy.

#include "lib/PopART/Training/GradientGraph.h"

#include "lib/PopART/Training/Autodiff.h"

#include <algorithm>
#include <unordered_set>

namespace populus::popir {

namespace {

class Maker {
public:
  Maker(Graph &forward, const std::string &name, GradientGraphs &graphs)
      : forward(forward), graph(forward.module().addGraphBefore(forward, name)),
        graphs(graphs) {}

  GradientGraph run(const std::vector<Value *> &provided,
                    const std::vector<Value *> &required) {
    std::vector<Value *> seeds;
    for (const Value *value : provided)
      seeds.push_back(&graph.addArgument(
          graph.uniqueName(GradientPrefix + value->name), value->info));
    copyForward();
    result.provided = provided;
    differentiate(provided, seeds, required);
    dropUnusedGradients();
    takeForwardValues();
    dropForward(seeds.size());
    return std::move(result);
  }

private:
  void copyForward() {
    for (Value *argument : forward.arguments()) {
      Value &copy =
          graph.addArgument(graph.uniqueName(argument->name), argument->info);
      copies[argument] = &copy;
    }
    copyOps(forward, graph, copies);
    auto original = forward.ops().begin();
    for (Op *op : graph.ops())
      originals[op] = *original++;
    for (const auto &[value, copy] : copies)
      forwardOf[copy] = const_cast<Value *>(value);
  }

  void differentiate(const std::vector<Value *> &provided,
                     const std::vector<Value *> &seeds,
                     const std::vector<Value *> &required) {
    std::vector<KnownGradient> known;
    for (std::size_t i = 0; i != provided.size(); ++i)
      known.push_back({copies.at(provided[i]), seeds[i]});
    std::vector<Value *> targets;
    for (const Value *value : required)
      targets.push_back(copies.at(value));
    const GradientMap gradients =
        popir::differentiate(graph, known, targets, graphs);
    for (std::size_t i = 0; i != required.size(); ++i) {
      const auto found = gradients.find(targets[i]);
      if (found == gradients.end())
        continue;
      result.required.push_back(required[i]);
      graph.addResult(GradientPrefix + required[i]->name + "/" +
                          std::to_string(i),
                      *found->second);
    }
  }

  void dropUnusedGradients() {
    for (auto next = graph.ops().end(); next != graph.ops().begin();) {
      Op *op = *--next;
      if (originals.contains(op))
        break;
      const bool isUsed =
          op->hasEffect() ||
          std::ranges::any_of(op->outputs(), [](const Value *output) {
            return output && output->isUsed();
          });
      if (isUsed)
        continue;
      ++next;
      graph.erase(*op);
    }
  }

  void takeForwardValues() {
    for (Op *op : graph.ops())
      if (!originals.contains(op))
        for (std::size_t i = 0; i != op->inputs().size(); ++i)
          if (op->hasInput(i) && isForward(op->input(i)))
            graph.setInput(*op, i, &argumentFor(*op->inputs()[i]));
  }

  /// Constants stay in the backward graph; they become no arguments.
  bool isForward(const Value &value) const {
    if (value.producer())
      return originals.contains(value.producer());
    return value.isArgument() && forwardOf.contains(&value);
  }

  Value &argumentFor(Value &copy) {
    Value *&argument = arguments[&copy];
    if (argument)
      return *argument;
    Value &value = forwardValue(copy);
    result.forwardValues.push_back(&value);
    argument = &graph.addArgument(graph.uniqueName(value.name), value.info);
    return *argument;
  }

  /// Adds optional results to the forward operator that only gradients read.
  Value &forwardValue(const Value &copy) {
    Value *&value = forwardOf[&copy];
    if (value)
      return *value;
    Op &op = *originals.at(copy.producer());
    // A rule may have replaced the callees by graphs with more results.
    op.setCallees(copy.producer()->callees());
    if (op.hasOutput(copy.resultNumber()))
      return *(value = op.outputs()[copy.resultNumber()]);
    value = &forward.addValue(forward.uniqueName(copy.name), copy.info);
    forward.setOutput(op, copy.resultNumber(), value);
    return *value;
  }

  void dropForward(std::size_t numSeeds) {
    graph.removeOps([&](const Op &op) { return originals.contains(&op); });
    for (std::size_t i = 0; i != forward.arguments().size(); ++i)
      graph.removeArgument(numSeeds);
    graph.removeUnusedValues();
    result.graph = &graph;
  }

  Graph &forward;
  Graph &graph;
  GradientGraphs &graphs;
  GradientGraph result;
  /// By value of the forward graph, its copy; and back.
  std::unordered_map<const Value *, Value *> copies;
  std::unordered_map<const Value *, Value *> forwardOf;
  /// By operator of the copy.
  std::unordered_map<const Op *, Op *> originals;
  std::unordered_map<const Value *, Value *> arguments;
};

} // namespace

GradientGraph makeGradientGraph(Graph &forward, const std::string &name,
                                const std::vector<Value *> &provided,
                                const std::vector<Value *> &required,
                                GradientGraphs &graphs) {
  return Maker(forward, name, graphs).run(provided, required);
}

const GradientGraph &
GradientGraphMaker::of(Graph &forward, const std::vector<Value *> &provided,
                       const std::vector<Value *> &required) {
  const Key key{&forward, provided, required};
  auto found = known.find(key);
  if (found == known.end()) {
    expandForTraining(forward);
    found = known
                .emplace(key, makeGradientGraph(forward, forward.name + "_bwd",
                                                provided, required, *this))
                .first;
  }
  return found->second;
}

} // namespace populus::popir
