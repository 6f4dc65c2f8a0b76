// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Union of values that may share memory.

#include "lib/PopART/IR/Aliases.h"

namespace populus::popir {

Aliases::Aliases(const Graph &graph) {
  for (const Op *op : graph.ops())
    for (std::size_t result = 0; result != op->outputs().size(); ++result)
      for (std::size_t i = 0; i != op->inputs().size(); ++i)
        if (op->hasOutput(result) && op->hasInput(i) && op->mayAlias(result, i))
          unite(op->input(i), op->output(result));
}

const Value *Aliases::groupOf(const Value &value) const {
  const Value *root = &value;
  for (auto up = parents.find(root); up != parents.end();
       up = parents.find(root))
    root = up->second;
  // So that the next look-up is short.
  for (const Value *step = &value; step != root;) {
    const Value *&up = parents.at(step);
    step = up;
    up = root;
  }
  return root;
}

void Aliases::unite(const Value &a, const Value &b) {
  const Value *groupA = groupOf(a), *groupB = groupOf(b);
  if (groupA != groupB)
    parents[groupB] = groupA;
}

Writers::Writers(const Graph &graph) : aliases(graph) {
  for (const Op *op : graph.ops())
    for (std::size_t i = 0; i != op->inputs().size(); ++i)
      if (op->hasInput(i) && op->effect(i).modifies)
        writersOf[aliases.groupOf(op->input(i))].push_back(op);
}

const std::vector<const Op *> &Writers::of(const Value &value) const {
  static const std::vector<const Op *> none;
  const auto found = writersOf.find(aliases.groupOf(value));
  return found == writersOf.end() ? none : found->second;
}

} // namespace populus::popir
