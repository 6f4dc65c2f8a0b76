// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reverse-mode differentiation of a graph. The operators that compute gradients
// are added to the end of the same graph: from the loss backwards every
// operator on the way to a target gives the gradients of its operands
// (Op::differentiate), and what several users give is summed. The gradient of
// `x` is the value `Gradient___x`.

#ifndef POPULUS_LIB_POPART_TRAINING_AUTODIFF_H
#define POPULUS_LIB_POPART_TRAINING_AUTODIFF_H

#include "lib/PopART/IR/GradientNames.h"
#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/Graph.h"

#include <unordered_map>
#include <vector>

namespace populus::popir {

/// By value of the forward graph.
using GradientMap = std::unordered_map<const Value *, Value *>;

/// A value whose gradient is known: the loss, for one.
struct KnownGradient {
  Value *value = nullptr;
  Value *gradient = nullptr;
};

/// Differentiates what has a known gradient by the targets and all that lies on
/// the way to them. Values that reach nothing with a known gradient have none.
/// An operator on the way that has no gradient is an Error. Graphs that
/// operators call get gradient graphs.
GradientMap differentiate(Graph &graph, const std::vector<KnownGradient> &known,
                          const std::vector<Value *> &targets,
                          GradientGraphs &graphs);

/// Puts what operators stand for where gradients are taken in their place
/// (Op::trainingForm).
void expandForTraining(Graph &graph);

} // namespace populus::popir

#endif
