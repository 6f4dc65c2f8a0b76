// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recomputation trades time for memory. The forward pass stores some values for
// the backward pass; any other value is computed again from stored ones, in
// front of the first gradient that reads it, so its memory is free in between.

#ifndef POPULUS_LIB_POPART_TRAINING_RECOMPUTATION_H
#define POPULUS_LIB_POPART_TRAINING_RECOMPUTATION_H

#include "lib/PopART/IR/Graph.h"

#include <optional>
#include <string_view>
#include <unordered_set>

namespace populus::popir {

/// Values to recompute. The model may override it (Placement::recompute).
enum class Recomputation {
  /// Nothing.
  None,
  /// Norms, and the activation functions behind them.
  Norms,
  /// All but products of matrices and convolutions.
  Standard,
  /// All except about sqrt(n) checkpoints among n operators.
  All,
};

/// "none", "norms", "standard", "all".
std::string_view nameOf(Recomputation recomputation);
std::vector<std::string_view> recomputationNames();
std::optional<Recomputation> recomputationOf(std::string_view name);

/// `forward` are the operators of the graph that are not gradients. Returns how
/// many operators are computed again.
std::size_t recompute(Graph &graph,
                      const std::unordered_set<const Op *> &forward,
                      Recomputation recomputation);

} // namespace populus::popir

#endif
