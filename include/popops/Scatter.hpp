// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes slices to a tensor at indices known only at run time.

#ifndef POPULUS_POPOPS_SCATTER_HPP
#define POPULUS_POPOPS_SCATTER_HPP

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

#include <cstddef>
#include <functional>
#include <vector>

namespace popops {

/// Scatters as XLA defines it. \p indices holds, along \p indexVectorDim (or,
/// if that is its rank, as single elements), where the windows of \p updates
/// begin in the dimensions \p scatterDimsToOperandDims of the operand.
/// Dimensions
/// \p updateWindowDims of the updates are those of a window, which has size 1
/// also in the dimensions \p insertWindowDims of the operand. What would be
/// outside of the operand is left out; of updates to the same element the last
/// one stays.
void scatter(poplar::Graph &graph, const poplar::Tensor &operand,
             const poplar::Tensor &indices, const poplar::Tensor &updates,
             std::size_t indexVectorDim,
             const std::vector<unsigned> &updateWindowDims,
             const std::vector<std::size_t> &insertWindowDims,
             const std::vector<unsigned> &scatterDimsToOperandDims,
             poplar::program::Sequence &prog,
             const poplar::DebugContext &debugContext = {},
             const poplar::OptionFlags &options = {});

/// Combines a slice with its update: adds programs to the sequence and returns
/// the new slice.
typedef std::function<poplar::Tensor(poplar::Graph &, poplar::Tensor &,
                                     poplar::Tensor &,
                                     poplar::program::Sequence &)>
    UpdateComputationFunc;

/// Combines updates with the operand, one index after the other.
void scatter(poplar::Graph &graph, const poplar::Tensor &operand,
             const poplar::Tensor &indices, const poplar::Tensor &updates,
             std::size_t indexVectorDim,
             const std::vector<unsigned> &updateWindowDims,
             const std::vector<std::size_t> &insertWindowDims,
             const std::vector<unsigned> &scatterDimsToOperandDims,
             UpdateComputationFunc &updateComputation,
             poplar::program::Sequence &prog,
             const poplar::DebugContext &debugContext = {},
             const poplar::OptionFlags &options = {});

} // namespace popops

#endif
