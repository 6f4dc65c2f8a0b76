// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights in AssignIpus: finds the operators that only prepare weights, and
// partitions a model without annotated IPUs.

#ifndef POPULUS_LIB_POPART_PASSES_IPUPARTS_H
#define POPULUS_LIB_POPART_PASSES_IPUPARTS_H

#include "lib/PopART/IR/Graph.h"

#include <unordered_map>

namespace populus::popir {

/// Maps a preparation, which depends on variables and constants only (such as
/// a Cast or Transpose of a weight), to the first operator that combines its
/// result with other data. Preparations without such a reader are left out.
using Preparations = std::unordered_map<const Op *, Op *>;
Preparations findPreparations(const Graph &graph);

/// Cuts the graph's order into one part for each IPU, with about equal memory
/// for weights and results. A later reader of a weight moves to the weight's
/// IPU if the weight is larger than the data that would be copied there; so do
/// operators that depend on this reader alone.
void placeByMemory(Graph &graph, unsigned count,
                   const Preparations &preparations);

} // namespace populus::popir

#endif // POPULUS_LIB_POPART_PASSES_IPUPARTS_H
