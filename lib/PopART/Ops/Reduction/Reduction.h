// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common parts of operators that reduce dimensions.

#ifndef POPULUS_LIB_POPART_OPS_REDUCTION_REDUCTION_H
#define POPULUS_LIB_POPART_OPS_REDUCTION_REDUCTION_H

#include "lib/PopART/Lowering/Lowering.h"

#include <popops/OperationDef.hpp>

namespace populus::popir {

/// Reduces `dims` of `x` and keeps them with extent 1. Sums are multiplied by
/// `scale`. Without dimensions each element is its own reduction.
poplar::Tensor reduceKeepingDims(Lowering &lowering, const Op &op,
                                 const poplar::Tensor &x,
                                 const std::vector<std::size_t> &dims,
                                 popops::Operation operation, double scale = 1);

/// The square roots of sums of squares over `dims`, which stay with the extent
/// 1. Nothing overflows or vanishes in between.
poplar::Tensor euclideanNorm(Lowering &lowering, const Op &op,
                             const poplar::Tensor &x,
                             const std::vector<std::size_t> &dims);

/// The number of elements that are reduced to one.
double reducedCount(const poplar::Tensor &x,
                    const std::vector<std::size_t> &dims);

} // namespace populus::popir

#endif
