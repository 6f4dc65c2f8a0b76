// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reverse-mode differentiation of a graph. The operators that compute gradients
// are added to the end of the same graph: from the loss backwards every
// operator on the way to a target gives the gradients of its operands
// (Op::differentiate), and what several users give is summed. The gradient of
// `x` is the value `Gradient___x`.

#ifndef POPULUS_LIB_POPART_TRAINING_AUTODIFF_H
#define POPULUS_LIB_POPART_TRAINING_AUTODIFF_H

#include "lib/PopART/IR/Graph.h"

#include <unordered_map>
#include <vector>

namespace populus::popir {

inline constexpr const char *GradientPrefix = "Gradient___";

/// By value of the forward graph.
using GradientMap = std::unordered_map<const Value *, Value *>;

/// Differentiates `loss`, whose own gradient is `seed`, by the targets and all
/// that lies on the way to them. Values that do not reach the loss have no
/// gradient. An operator on the way that has none is an Error.
GradientMap differentiate(Graph &graph, Value &loss, Value &seed,
                          const std::vector<Value *> &targets);

} // namespace populus::popir

#endif
