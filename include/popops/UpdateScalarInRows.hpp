// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes one element of each row of a matrix.

#ifndef POPULUS_POPOPS_UPDATESCALARINROWS_HPP
#define POPULUS_POPOPS_UPDATESCALARINROWS_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popops {

/// Computes params[i, indices[i]] -= 1 for each row i of \p params (FLOAT or
/// HALF). An out-of-range index has no effect.
void updateScalarInRows(poplar::Graph &graph, const poplar::Tensor &params,
                        const poplar::Tensor &indices,
                        poplar::program::Sequence &prog,
                        const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
