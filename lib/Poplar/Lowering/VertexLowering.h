// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compute sets: which vertex runs where, its state in memory, and the exchanges
// that bring its inputs before and take its outputs away after.

#ifndef POPULUS_LIB_POPLAR_LOWERING_VERTEXLOWERING_H
#define POPULUS_LIB_POPLAR_LOWERING_VERTEXLOWERING_H

#include "lib/Poplar/Lowering/Draft.h"

namespace poplar::core {

/// A compute set in the executable.
struct LoweredComputeSet {
  std::uint32_t computeSet = None;
  /// Exchanges before and after, or None.
  std::uint32_t gather = None;
  std::uint32_t scatter = None;
};

LoweredComputeSet lowerComputeSet(Draft &draft, std::uint32_t computeSet);

} // namespace poplar::core

#endif
