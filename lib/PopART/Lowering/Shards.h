// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which IPU of several an operator runs on. A model on several IPUs is cut into
// as many parts, one after the other in the model's order.

#ifndef POPULUS_LIB_POPART_LOWERING_SHARDS_H
#define POPULUS_LIB_POPART_LOWERING_SHARDS_H

#include "lib/PopART/IR/Op.h"

#include <unordered_map>

namespace popart {

/// The attribute by which a node says its IPU.
inline constexpr const char *IpuNumber = "__ipu_number";

using Shards = std::unordered_map<const Op *, unsigned>;

/// Cuts the graph so that parts need about the same memory for weights and
/// results. Where nodes have the attribute __ipu_number, that decides; those
/// without it go with the node before.
Shards assignShards(const Graph &ir, unsigned count);

} // namespace popart

#endif
