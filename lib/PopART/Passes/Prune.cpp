// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prune: dead-code elimination of operators, constants, and uncalled graphs.

#include "lib/PopART/IR/Op.h"
#include "lib/PopART/Passes/Passes.h"

#include <unordered_set>

namespace populus::popir {

/// True if an operator has side effects.
static bool hasEffect(const Op &op) {
  for (std::size_t i = 0; i != op.inputs().size(); ++i)
    if (op.hasInput(i) && op.effect(i).modifies && op.inPlace() != i)
      return true;
  return op.hasEffect();
}

static std::size_t pruneGraph(Graph &graph) {
  std::unordered_set<const Op *> live;
  std::vector<const Op *> work;
  auto keep = [&](const Op *op) {
    if (live.insert(op).second)
      work.push_back(op);
  };
  auto visit = [&](const Value *value) {
    if (value && value->producer())
      keep(value->producer());
  };
  for (const Op *op : graph.ops())
    if (hasEffect(*op))
      keep(op);
  for (const GraphResult &result : graph.results())
    visit(result.value);
  while (!work.empty()) {
    const Op *op = work.back();
    work.pop_back();
    for (const Value *input : op->inputs())
      visit(input);
  }
  const std::size_t count =
      graph.removeOps([&](const Op &op) { return !live.contains(&op); });
  return count + graph.removeUnusedValues();
}

std::size_t prune(Module &module, const PassOptions &) {
  std::size_t changes = 0;
  for (Graph &graph : module.graphs())
    changes += pruneGraph(graph);
  return changes + module.removeUnusedGraphs() + module.removeUnusedVariables();
}

} // namespace populus::popir
