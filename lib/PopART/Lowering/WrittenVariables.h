// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables that the program itself writes, such as weights in training. Their
// tile mapping determines the time of their updates.

#ifndef POPULUS_LIB_POPART_LOWERING_WRITTENVARIABLES_H
#define POPULUS_LIB_POPART_LOWERING_WRITTENVARIABLES_H

#include "lib/PopART/IR/Module.h"

#include <poplar/Graph.hpp>

#include <unordered_set>

namespace populus::popir {

/// Variables that an operator of any graph writes.
std::unordered_set<const Variable *> writtenVariables(const Module &module);

/// Remaps a variable linearly over all tiles if its largest part on a tile is
/// far above average.
void spreadIfCrowded(poplar::Graph &graph, const poplar::Tensor &variable);

} // namespace populus::popir

#endif
