// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes a batch in slices, one after the other, so that fewer activations
// are live. Operators that can work on a slice (BatchRules.h) and depend on
// each other without an operator between that cannot, are a group. Example of
// two slices, with `norm` over the whole batch:
//
//   x -> Conv -> Relu -> norm -> Conv -> loss -> gradients …
//
//   group 1    Conv.0 Relu.0 | Conv.1 Relu.1 | Concat
//   whole      norm
//   group 2    Conv.0 loss.0 gradients.0 | Conv.1 loss.1 gradients.1 | sums
//
// The pass runs on the operators of training, too: gradients of a slice follow
// its forward pass if nothing between needs the whole batch. Gradients of
// weights are added up slice by slice. A loop runs a body for each slice
// instead of copies of the operators.

#ifndef POPULUS_LIB_POPART_PASSES_SERIALIZEBATCH_H
#define POPULUS_LIB_POPART_PASSES_SERIALIZEBATCH_H

#include "lib/PopART/IR/Module.h"

namespace populus::popir {

struct BatchSlices {
  /// The number of slices; 0 or 1: no slices.
  std::int64_t count = 0;
  bool usesLoop = false;
  /// Borders at which the slices are put together, so that the next operators
  /// begin with the first slice again.
  bool joinsAtIpus = true, joinsAtPhases = true, joinsAtStages = true;

  bool operator==(const BatchSlices &) const = default;
};

/// Returns the number of operators that work on slices. Throws an Error if the
/// inputs have no batch of that many elements.
std::size_t serializeBatch(Module &module, const BatchSlices &slices);

} // namespace populus::popir

#endif
