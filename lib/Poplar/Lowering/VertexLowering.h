// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowering of compute sets: the tile and state of each vertex, and the
// exchanges that bring its inputs and take its outputs away.

#ifndef POPULUS_LIB_POPLAR_LOWERING_VERTEXLOWERING_H
#define POPULUS_LIB_POPLAR_LOWERING_VERTEXLOWERING_H

#include "lib/Poplar/Lowering/ComputeSetMerging.h"
#include "lib/Poplar/Lowering/Draft.h"

namespace poplar::core {

/// A compute set in the executable.
struct LoweredComputeSet {
  std::string name;
  std::uint32_t computeSet = None;
  /// Pieces of the exchanges before and after.
  std::vector<Piece> inputs, outputs;
};

/// Makes one compute set of one or several that can run at the same time. \p
/// overwritten elements, by compute set, are read from a copy.
LoweredComputeSet
lowerComputeSets(Draft &draft, std::span<const std::uint32_t> sets,
                 const std::vector<std::vector<ElementSpan>> &overwritten);

} // namespace poplar::core

#endif
