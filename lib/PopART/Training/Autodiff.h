// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reverse-mode differentiation of a graph. Walking backwards from the loss,
// every operator on the way to a target adds the gradients of its operands
// (Op::differentiate) at the end of the graph; contributions of several users
// are summed. The gradient of `x` is the value `Gradient___x`.

#ifndef POPULUS_LIB_POPART_TRAINING_AUTODIFF_H
#define POPULUS_LIB_POPART_TRAINING_AUTODIFF_H

#include "lib/PopART/IR/GradientNames.h"
#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/Graph.h"

#include <unordered_map>
#include <vector>

namespace populus::popir {

/// Maps values of the forward graph to their gradients.
using GradientMap = std::unordered_map<const Value *, Value *>;

/// A value with a given gradient, such as the loss.
struct KnownGradient {
  Value *value = nullptr;
  Value *gradient = nullptr;
};

/// Differentiates the known values by the targets and by all values on the way.
/// A value that no known value depends on gets no gradient. An operator without
/// a gradient on the way is an Error. Callees get gradient graphs.
GradientMap differentiate(Graph &graph, const std::vector<KnownGradient> &known,
                          const std::vector<Value *> &targets,
                          GradientGraphs &graphs);

/// Expands operators to their training forms (Op::trainingForm).
void expandForTraining(Graph &graph);

} // namespace populus::popir

#endif
