// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables that the program itself writes, as training writes weights: where
// they lie says how long their updates take.

#ifndef POPULUS_LIB_POPART_LOWERING_WRITTENVARIABLES_H
#define POPULUS_LIB_POPART_LOWERING_WRITTENVARIABLES_H

#include "lib/PopART/IR/Module.h"

#include <poplar/Graph.hpp>

#include <unordered_set>

namespace populus::popir {

/// Those that an operator of any graph writes.
std::unordered_set<const Variable *> writtenVariables(const Module &module);

/// Spreads a variable over the tiles in the order of its memory, if its largest
/// part of a tile is far above an even one.
void spreadIfCrowded(poplar::Graph &graph, const poplar::Tensor &variable);

} // namespace populus::popir

#endif
