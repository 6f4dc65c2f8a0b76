// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prune: removes what no result depends on.

#include "lib/PopART/IR/Op.h"
#include "lib/PopART/Transforms/Transforms.h"

#include <unordered_set>

namespace popart {

std::size_t prune(Graph &graph) {
  std::unordered_set<const Op *> live;
  std::vector<const Op *> work;
  auto keep = [&](const Op *op) {
    if (live.insert(op).second)
      work.push_back(op);
  };
  auto visit = [&](const Tensor *tensor) {
    if (tensor && tensor->producer)
      keep(tensor->producer);
  };
  for (const auto &op : graph.ops())
    if (op->hasEffect())
      keep(op.get());
  for (const GraphOutput &output : graph.outputs)
    visit(output.tensor);
  while (!work.empty()) {
    const Op *op = work.back();
    work.pop_back();
    for (const Tensor *input : op->inputs())
      visit(input);
  }
  std::size_t count =
      graph.removeOps([&](const Op &op) { return !live.count(&op); });
  return count + graph.removeUnusedConstants();
}

} // namespace popart
