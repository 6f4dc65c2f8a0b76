// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats as integers that are in the same order: comparisons of integers put
// what is no number behind all numbers, and have a least one that is no float.

#ifndef POPULUS_LIB_POPART_OPS_BOUNDED_FLOATORDER_H
#define POPULUS_LIB_POPART_OPS_BOUNDED_FLOATORDER_H

#include "lib/PopART/Lowering/Lowering.h"

namespace populus::popir {

/// Of type INT, for type FLOAT. Zeros of both signs are the same, and so is all
/// that is no number.
poplar::Tensor orderedIntegers(Lowering &lowering, const Op &op,
                               const poplar::Tensor &floats);
/// The other way.
poplar::Tensor floatsOfOrder(Lowering &lowering, const Op &op,
                             const poplar::Tensor &integers);

} // namespace populus::popir

#endif
