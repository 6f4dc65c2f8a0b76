// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quarters as operands of products. A half can represent the unscaled value of
// a quarter, but not always that value times 2^scale. So products use unscaled
// values, and the scales are applied to the result.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_ELEMENTWISE_QUARTERCAST_H
#define POPULUS_LIB_POPLIBS_POPOPS_ELEMENTWISE_QUARTERCAST_H

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popops {

/// Converts quarters to halves without the scale. The conversion is exact.
poplar::Tensor castUnscaled(poplar::Graph &graph, const poplar::Tensor &src,
                            poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext);

/// The product of the scales of two tensors of quarters, a FLOAT.
poplar::Tensor productOfScales(poplar::Graph &graph, const poplar::Tensor &a,
                               const poplar::Tensor &b,
                               poplar::program::Sequence &prog,
                               const poplar::DebugContext &debugContext);

} // namespace popops

#endif
