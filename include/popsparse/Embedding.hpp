// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse matrices as tables: rows at run-time indices. The table is the weights
// of a layer of one group: a row for each output channel, with an element for
// each input channel.

#ifndef POPULUS_POPSPARSE_EMBEDDING_HPP
#define POPULUS_POPSPARSE_EMBEDDING_HPP

#include <popsparse/FullyConnectedParams.hpp>
#include <popsparse/PlanningCache.hpp>
#include <popsparse/SparseTensor.hpp>

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

#include <cstddef>

namespace popsparse {
namespace dynamic {

/// [numIndices], UNSIGNED_INT
poplar::Tensor
createIndicesTensor(poplar::Graph &graph, const FullyConnectedParams &params,
                    std::size_t numIndices,
                    const poplar::OptionFlags &options = {},
                    const poplar::DebugContext &debugContext = {});
/// [numIndices, input channels]
poplar::Tensor createSliceTensor(poplar::Graph &graph,
                                 const poplar::Type &dataType,
                                 const FullyConnectedParams &params,
                                 std::size_t numIndices,
                                 const poplar::DebugContext &debugContext = {},
                                 const poplar::OptionFlags &options = {},
                                 PlanningCache *cache = nullptr);

/// Returns the rows at the indices, with zeros for absent values: [numIndices,
/// input channels]. An out-of-range row is zero.
poplar::Tensor embeddingSlice(poplar::Graph &graph, const SparseTensor &t,
                              const poplar::Tensor &indices,
                              poplar::program::Sequence &prog,
                              const FullyConnectedParams &params,
                              const poplar::DebugContext &debugContext = {},
                              const poplar::OptionFlags &options = {},
                              PlanningCache *cache = nullptr);

/// Adds \p scale times each slice to the values of the row at its index. The
/// sparsity pattern does not change.
void embeddingUpdateAdd(
    poplar::Graph &graph, const SparseTensor &t, const poplar::Tensor &slices,
    const poplar::Tensor &indices, const poplar::Tensor &scale,
    poplar::program::Sequence &prog, const FullyConnectedParams &params,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

} // namespace dynamic
} // namespace popsparse

#endif
