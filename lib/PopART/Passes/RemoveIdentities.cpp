// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PostNRepl: users of an operator that returns its input unchanged (Identity,
// Dropout, a Reshape to the same shape) use that input instead.

#include "lib/PopART/IR/Op.h"
#include "lib/PopART/Passes/Passes.h"

namespace populus::popir {

std::size_t removeIdentities(Graph &graph) {
  const auto isRemovable = [](const Op &op) {
    return op.hasOutput(0) && op.isIdentity();
  };
  for (Op *op : graph.ops())
    if (isRemovable(*op))
      graph.replaceUses(*op->outputs()[0], *op->inputs()[0]);
  return graph.removeOps(isRemovable);
}

} // namespace populus::popir
