// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What operators that normalise rows share: those over the last dimensions of
// their input, which scale and shift in the same step where they can, and those
// whose scale and shift are for channels.

#ifndef POPULUS_LIB_POPART_OPS_NORMALIZATION_ROWNORMS_H
#define POPULUS_LIB_POPART_OPS_NORMALIZATION_ROWNORMS_H

#include "lib/PopART/Lowering/Lowering.h"

#include <popnn/RowNorm.hpp>

namespace populus::popir {

/// Rows in float, with what they had. The matrix is [rows, elements].
popnn::RowNormResult normaliseRows(Lowering &lowering, const Op &op,
                                   poplar::Tensor rows,
                                   const popnn::RowNormParams &params);

/// x * scale + shift in float, then as the result's type. Parameters are
/// broadcast as they are; invalid ones are none.
poplar::Tensor scaled(Lowering &lowering, const Op &op, const poplar::Tensor &x,
                      poplar::Tensor scale, poplar::Tensor shift);

/// Normalises input 0 over its dimensions from `axis` on, with the inputs 1
/// and 2, if there are any, as scale and shift. The rows of the result have the
/// shape and type of output 0.
popnn::RowNormResult normaliseFrom(Lowering &lowering, const Op &op,
                                   std::size_t axis,
                                   const popnn::RowNormParams &params);

} // namespace populus::popir

#endif
