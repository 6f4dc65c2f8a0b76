// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common parts of losses: reduction, labels, gradients.

#ifndef POPULUS_LIB_POPART_OPS_LOSSES_LOSSES_H
#define POPULUS_LIB_POPART_OPS_LOSSES_LOSSES_H

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Ops/Reduction/Reduction.h"

namespace populus::popir {

enum class LossReduction { Sum, Mean, None };

/// The attribute "reduction": "Sum", "Mean" (the default) or "NoReduction".
LossReduction lossReduction(const Op &op);

/// The shape of the result: a scalar, or `unreduced` with NoReduction.
Shape lossShape(const Op &op, const Shape &unreduced);

/// Reduces losses to the result.
poplar::Tensor reducedLoss(Lowering &lowering, const Op &op,
                           const poplar::Tensor &loss);

/// Operand 1 of a negative log likelihood, as INT.
poplar::Tensor labelsOf(Lowering &lowering, const Op &op);

/// The gradient of each of `count` unreduced losses, as a tensor to broadcast.
Value &unreducedGradient(Gradients &gradients, double count);

/// The gradient of Ctc (CtcGradient.cpp).
void differentiateCtc(Gradients &gradients);

// The gradient of Nll by its probabilities (NllGradient.cpp).
void differentiateNll(Gradients &gradients);
/// True if an operator is the gradient of an Nll by its probabilities.
bool isNllGradient(const Op &op);
/// The gradient of Nll by the logits, if a softmax computed the probabilities.
Value &nllOfSoftmaxGradient(Gradients &gradients, const Op &nllGradient);

} // namespace populus::popir

#endif
