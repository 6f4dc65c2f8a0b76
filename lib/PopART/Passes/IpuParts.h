// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What AssignIpus knows of weights: which operators only prepare them for
// others, and how a model is cut where it does not say its IPUs.

#ifndef POPULUS_LIB_POPART_PASSES_IPUPARTS_H
#define POPULUS_LIB_POPART_PASSES_IPUPARTS_H

#include "lib/PopART/IR/Graph.h"

#include <unordered_map>

namespace populus::popir {

/// By operator that computes from variables and constants only (a weight in
/// half precision, a weight turned round), the first operator that reads its
/// result and computes from more. What no such operator reads is left out.
using Preparations = std::unordered_map<const Op *, Op *>;
Preparations findPreparations(const Graph &graph);

/// Cuts the graph's order into parts that need about the same memory for
/// weights and results, one for each IPU. An operator far behind that reads a
/// weight once more runs on the weight's IPU, if the weight is larger than what
/// would have to be copied there; what depends on it alone, too.
void placeByMemory(Graph &graph, unsigned count,
                   const Preparations &preparations);

} // namespace populus::popir

#endif // POPULUS_LIB_POPART_PASSES_IPUPARTS_H
