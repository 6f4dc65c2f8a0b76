// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An order-preserving map of floats to integers. It sorts NaN behind all
// numbers, and INT_MIN stays free as a key below all floats.

#ifndef POPULUS_LIB_POPART_OPS_BOUNDED_FLOATORDER_H
#define POPULUS_LIB_POPART_OPS_BOUNDED_FLOATORDER_H

#include "lib/PopART/Lowering/Lowering.h"

namespace populus::popir {

/// Maps FLOAT to INT. Both zeros map to one integer, and so do all NaNs.
poplar::Tensor orderedIntegers(Lowering &lowering, const Op &op,
                               const poplar::Tensor &floats);
/// The inverse map.
poplar::Tensor floatsOfOrder(Lowering &lowering, const Op &op,
                             const poplar::Tensor &integers);

} // namespace populus::popir

#endif
