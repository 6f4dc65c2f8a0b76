// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gradients of graphs that are called.

#include "lib/PopART/Ops/Control/CallGradients.h"

#include <algorithm>

namespace populus::popir {

Graph &privateCopy(Graph &graph) {
  Graph &copy = graph.module().addGraphBefore(graph, graph.name);
  cloneInto(graph, copy);
  return copy;
}

CalledGradients gradientsOf(GradientGraphs &graphs, OpBuilder &b, Graph &graph,
                            const std::vector<Value *> &given,
                            const std::vector<Value *> &required) {
  CalledGradients result;
  std::vector<Value *> provided;
  for (std::size_t i = 0; i != given.size(); ++i) {
    Value &value = *graph.results()[i].value;
    if (!given[i] || value.isConstant())
      continue;
    const auto known = std::ranges::find(provided, &value);
    if (known == provided.end()) {
      provided.push_back(&value);
      result.given.push_back(given[i]);
    } else { // returned twice
      Value *&sum = result.given[known - provided.begin()];
      sum = &b.add(*sum, *given[i]);
    }
  }
  result.back = graphs.of(graph, provided, required);
  return result;
}

std::optional<std::size_t> argumentNumber(const Graph &graph,
                                          const Value &value) {
  const auto found = std::ranges::find(graph.arguments(), &value);
  if (found == graph.arguments().end())
    return std::nullopt;
  return found - graph.arguments().begin();
}

std::optional<std::size_t> resultNumber(const Graph &graph,
                                        const Value &value) {
  const auto found =
      std::ranges::find(graph.results(), &value, &GraphResult::value);
  if (found == graph.results().end())
    return std::nullopt;
  return found - graph.results().begin();
}

/// A name that no result has yet.
static std::string newResultName(const Graph &graph, const std::string &stem) {
  const auto isTaken = [&](const std::string &name) {
    return std::ranges::count(graph.results(), name, &GraphResult::name) != 0;
  };
  std::string name = stem;
  for (unsigned i = 1; isTaken(name); ++i)
    name = stem + "/" + std::to_string(i);
  return name;
}

void addNewResult(Graph &graph, Value &value) {
  graph.addResult(newResultName(graph, value.name), value);
}

std::size_t makeResult(Graph &graph, Value &value) {
  if (const auto known = resultNumber(graph, value))
    return *known;
  addNewResult(graph, value);
  return graph.results().size() - 1;
}

void addZeroResult(Graph &graph, const TensorInfo &info) {
  GraphBuilder b(graph, "zeros");
  addNewResult(graph, b.expand(b.scalar(info.type, 0), info.shape));
}

} // namespace populus::popir
