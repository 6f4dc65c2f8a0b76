// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PostNRepl: users of an operator that returns its input unchanged (Identity,
// Dropout, a Reshape to the same shape) use that input instead.

#include "lib/PopART/IR/Op.h"
#include "lib/PopART/Transforms/Transforms.h"

namespace popart {

std::size_t removeIdentities(Graph &graph) {
  for (const auto &op : graph.ops())
    if (op->hasOutput(0) && op->isIdentity())
      graph.replaceUses(*op->outputs()[0], *op->inputs()[0]);
  return graph.removeOps(
      [](const Op &op) { return op.hasOutput(0) && op.isIdentity(); });
}

} // namespace popart
