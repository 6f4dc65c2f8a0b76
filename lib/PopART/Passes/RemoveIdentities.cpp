// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PostNRepl: users of an operator that returns its input unchanged (Identity,
// Dropout, a Reshape to the same shape) use that input instead.

#include "lib/PopART/IR/GradientNames.h"
#include "lib/PopART/IR/Op.h"
#include "lib/PopART/Passes/Passes.h"

namespace populus::popir {

/// A gradient of one part is that part, and keeps the name that it is known by.
static void keepNameOfGradient(Graph &graph, Value &part, Value &gradient) {
  const std::string name = gradient.name;
  if (!name.starts_with(GradientPrefix) || !part.producer() ||
      part.name.starts_with(GradientPrefix) || part.uses().size() != 1)
    return;
  graph.rename(gradient, graph.uniqueName(name));
  graph.rename(part, name);
}

std::size_t removeIdentities(Graph &graph) {
  const auto isRemovable = [](const Op &op) {
    return op.hasOutput(0) && op.isIdentity();
  };
  for (Op *op : graph.ops())
    if (isRemovable(*op)) {
      keepNameOfGradient(graph, *op->inputs()[0], *op->outputs()[0]);
      graph.replaceUses(*op->outputs()[0], *op->inputs()[0]);
    }
  return graph.removeOps(isRemovable);
}

} // namespace populus::popir
