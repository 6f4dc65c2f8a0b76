// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding to floats of 8 and 4 bits, which the device keeps as float.

#ifndef POPULUS_LIB_POPART_OPS_ELEMENTWISE_SMALLFLOATS_H
#define POPULUS_LIB_POPART_OPS_ELEMENTWISE_SMALLFLOATS_H

#include "lib/PopART/Lowering/Lowering.h"

namespace populus::popir {

/// Whether a conversion to the type is rounded on the device.
bool isSmallFloat(DataType type);

/// `x`, of type float, rounded to the nearest number of `type`, ties to even.
/// What is out of its range becomes the largest number, or without `saturate`
/// infinite or not a number.
poplar::Tensor roundedTo(Lowering &lowering, const Op &op,
                         const poplar::Tensor &x, DataType type, bool saturate);

} // namespace populus::popir

#endif
