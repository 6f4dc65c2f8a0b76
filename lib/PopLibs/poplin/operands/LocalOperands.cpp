// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One copy program moves all blocks: they arrive in one exchange.

#include "lib/PopLibs/poplin/operands/LocalOperands.h"

using namespace poplar;
using namespace poplar::program;

namespace poplin {

bool LocalOperands::isLocal(const Tensor &block, unsigned tile) const {
  if (!block.isContiguous())
    return false;
  const auto mapping = graph.getTileMapping(block);
  std::size_t elements = 0;
  for (const Interval &interval : mapping[tile])
    elements += interval.size();
  return elements == block.numElements();
}

Tensor LocalOperands::get(const Tensor &block, std::size_t key, unsigned tile,
                          std::size_t users) {
  Tensor &operand = known[{tile, key}];
  if (operand.valid())
    return operand;
  const Tensor flat = block.flatten();
  if (isLocal(flat, tile)) {
    operand = flat;
    return operand;
  }
  // The graph compiler gathers what a single vertex reads.
  if (users == 1)
    return flat;
  operand = graph.addVariable(flat.elementType(), {flat.numElements()},
                              {debugContext, "Operand"});
  graph.setTileMapping(operand, tile);
  sources.push_back(flat);
  copies.push_back(operand);
  return operand;
}

void LocalOperands::addCopies(Sequence &prog) {
  if (!sources.empty())
    prog.add(Copy(concat(sources), concat(copies), false,
                  {debugContext, "Arrange"}));
  sources.clear();
  copies.clear();
}

} // namespace poplin
