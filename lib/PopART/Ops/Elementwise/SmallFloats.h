// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounding to floats of 8 and 4 bits, which the device holds in float.

#ifndef POPULUS_LIB_POPART_OPS_ELEMENTWISE_SMALLFLOATS_H
#define POPULUS_LIB_POPART_OPS_ELEMENTWISE_SMALLFLOATS_H

#include "lib/PopART/Lowering/Lowering.h"

namespace populus::popir {

/// True if the device rounds conversions to the type.
bool isSmallFloat(DataType type);

/// Rounds `x`, of type float, to the nearest number of `type`, ties to even.
/// Overflow saturates to the largest number; without `saturate` it gives an
/// infinity or NaN.
poplar::Tensor roundedTo(Lowering &lowering, const Op &op,
                         const poplar::Tensor &x, DataType type, bool saturate);

} // namespace populus::popir

#endif
