// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common parts of operators that normalise rows: norms over the last
// dimensions, which fuse scale and shift if possible, and norms with scale and
// shift per channel.

#ifndef POPULUS_LIB_POPART_OPS_NORMALIZATION_ROWNORMS_H
#define POPULUS_LIB_POPART_OPS_NORMALIZATION_ROWNORMS_H

#include "lib/PopART/Lowering/Lowering.h"

#include <popnn/RowNorm.hpp>

namespace populus::popir {

/// Normalises a matrix [rows, elements] in float; also returns the statistics.
popnn::RowNormResult normaliseRows(Lowering &lowering, const Op &op,
                                   poplar::Tensor rows,
                                   const popnn::RowNormParams &params);

/// x * scale + shift in float, converted to the result's type. Parameters are
/// broadcast; an invalid tensor means no parameter.
poplar::Tensor scaled(Lowering &lowering, const Op &op, const poplar::Tensor &x,
                      poplar::Tensor scale, poplar::Tensor shift);

/// Normalises input 0 over its dimensions from `axis` on; inputs 1 and 2, if
/// present, are scale and shift. The result has shape and type of output 0.
popnn::RowNormResult normaliseFrom(Lowering &lowering, const Op &op,
                                   std::size_t axis,
                                   const popnn::RowNormParams &params);

} // namespace populus::popir

#endif
