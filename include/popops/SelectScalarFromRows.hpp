// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One element of each row of a matrix.

#ifndef POPULUS_POPOPS_SELECTSCALARFROMROWS_HPP
#define POPULUS_POPOPS_SELECTSCALARFROMROWS_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popops {

/// Returns params[i, indices[i]] for each row i of \p params (FLOAT or HALF): 0
/// if the index is MASKED_LABEL_CODE, NaN if it is out of range.
poplar::Tensor
selectScalarFromRows(poplar::Graph &graph, const poplar::Tensor &params,
                     const poplar::Tensor &indices,
                     poplar::program::Sequence &prog,
                     const poplar::DebugContext &debugContext = {});

} // namespace popops

#endif
