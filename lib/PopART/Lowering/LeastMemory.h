// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program needs at least, from its IR alone: all weights, and beside
// them the values that have to be there at the same time. That is known before
// anything is planned, which takes as long as tensors are large, so a program
// that cannot fit is refused at once.

#ifndef POPULUS_LIB_POPART_LOWERING_LEASTMEMORY_H
#define POPULUS_LIB_POPART_LOWERING_LEASTMEMORY_H

#include "lib/PopART/IR/Module.h"

namespace populus::popir {

struct LeastMemory {
  /// Bytes of all tiles together. On the device elements have four bytes at
  /// most.
  double weights = 0;
  /// Of values where the most are live, of which the largest has so many.
  double live = 0, largestLive = 0;
  /// Of the largest tensor of all, which has to lie on one IPU.
  double largestTensor = 0;
  /// Where the most is live, and the largest value there; null where nothing is
  /// computed.
  const Op *where = nullptr;
  const Value *largest = nullptr;

  double total() const { return weights + live; }
};

/// Bytes of a tensor on the device.
double deviceBytes(const TensorInfo &info);

/// Of the module's main graph, with what it calls.
LeastMemory leastMemory(const Module &module);

} // namespace populus::popir

#endif
