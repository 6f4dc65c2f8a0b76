// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lower bound of a program's memory, from its IR alone: all weights, and the
// largest set of values that are live at the same time. It is known before
// planning, whose time grows with the size of tensors, so a program that cannot
// fit is rejected at once.

#ifndef POPULUS_LIB_POPART_LOWERING_LEASTMEMORY_H
#define POPULUS_LIB_POPART_LOWERING_LEASTMEMORY_H

#include "lib/PopART/IR/Module.h"

namespace populus::popir {

struct LeastMemory {
  /// Bytes of all tiles together; a device element has at most four bytes.
  double weights = 0;
  /// Bytes of live values at the peak, and of the largest value there.
  double live = 0, largestLive = 0;
  /// Bytes of the largest tensor, which has to fit on one IPU.
  double largestTensor = 0;
  /// The operator at the peak, and the largest value there; null without
  /// operators.
  const Op *where = nullptr;
  const Value *largest = nullptr;

  double total() const { return weights + live; }
};

/// Bytes of a tensor on the device.
double deviceBytes(const TensorInfo &info);

/// The lower bound of the module's main graph and its callees.
LeastMemory leastMemory(const Module &module);

} // namespace populus::popir

#endif
