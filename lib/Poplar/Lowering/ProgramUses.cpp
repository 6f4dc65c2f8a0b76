// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each node is visited once, however often it is used. So the time does not
// depend on the length of the expanded program.

#include "lib/Poplar/Lowering/ProgramUses.h"

#include "lib/Poplar/Graph/Access.h"

#include <vector>

namespace poplar::core {

ProgramUses::ProgramUses(const GraphImpl &graph,
                         ArrayRef<program::Program> programs) {
  std::vector<const ProgramNode *> pending;
  const auto use = [&](const program::Program &program) {
    const ProgramNode &node = *Access::node(program);
    if (node.kind == ProgramNode::Execute)
      ++ofComputeSet[node.index];
    if (++ofNode[&node] == 1)
      pending.push_back(&node);
  };
  for (const program::Program &program : programs)
    use(program);
  for (const program::Program &function : graph.functions)
    use(function);
  while (!pending.empty()) {
    const ProgramNode &node = *pending.back();
    pending.pop_back();
    for (const program::Program &child : node.children)
      use(child);
  }
}

bool ProgramUses::isUsedOnce(const ProgramNode &node) const {
  return ofNode.at(&node) == 1 && (node.kind != ProgramNode::Execute ||
                                   ofComputeSet.at(node.index) == 1);
}

} // namespace poplar::core
