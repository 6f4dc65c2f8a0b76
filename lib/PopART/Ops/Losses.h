// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What losses share: how they are reduced.

#ifndef POPULUS_LIB_POPART_OPS_LOSSES_H
#define POPULUS_LIB_POPART_OPS_LOSSES_H

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Ops/Reduction.h"

namespace populus::popir {

enum class LossReduction { Sum, Mean, None };

/// The attribute "reduction": "Sum", "Mean" (the default) or "NoReduction".
LossReduction lossReduction(const Op &op);

/// The shape of the result: a scalar, or what is not reduced.
Shape lossShape(const Op &op, const Shape &unreduced);

/// The result, from the losses that are to be reduced.
poplar::Tensor reducedLoss(Lowering &lowering, const Op &op,
                           const poplar::Tensor &loss);

} // namespace populus::popir

#endif
