// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What losses share: how they are reduced.

#ifndef POPULUS_LIB_POPART_OPS_LOSSES_LOSSES_H
#define POPULUS_LIB_POPART_OPS_LOSSES_LOSSES_H

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Ops/Reduction/Reduction.h"

namespace populus::popir {

enum class LossReduction { Sum, Mean, None };

/// The attribute "reduction": "Sum", "Mean" (the default) or "NoReduction".
LossReduction lossReduction(const Op &op);

/// The shape of the result: a scalar, or what is not reduced.
Shape lossShape(const Op &op, const Shape &unreduced);

/// The result, from the losses that are to be reduced.
poplar::Tensor reducedLoss(Lowering &lowering, const Op &op,
                           const poplar::Tensor &loss);

/// Operand 1 of a negative log likelihood, as INT.
poplar::Tensor labelsOf(Lowering &lowering, const Op &op);

/// What of the loss's gradient each of `count` unreduced losses gets; it is
/// broadcast to them.
Value &unreducedGradient(Gradients &gradients, double count);

/// The gradient of Ctc (CtcGradient.cpp).
void differentiateCtc(Gradients &gradients);

// The gradient of Nll by its probabilities (NllGradient.cpp).
void differentiateNll(Gradients &gradients);
/// Whether an operator is that gradient, of operand 0.
bool isNllGradient(const Op &op);
/// The same by the logits that a softmax made the probabilities of.
Value &nllOfSoftmaxGradient(Gradients &gradients, const Op &nllGradient);

} // namespace populus::popir

#endif
