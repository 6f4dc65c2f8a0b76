// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fully connected layers with sparse weights. The sparsity pattern may change
// between runs. The weights are expanded to a dense matrix for dense matrix
// products, so a layer costs the time and memory of a dense one.
//
// Options: "partialsType" ("half", "float") and "availableMemoryProportion" go
// to the products; "metaInfoBucketOversizeProportion", "doGradAPass",
// "doGradWPass", "sharedBuckets", "enableStructuredRearrangements",
// "partitioner.optimiseForSpeed", "partitioner.forceBucketSpills",
// "partitioner.useActualWorkerSplitCosts" are checked and make no difference.

#ifndef POPULUS_POPSPARSE_FULLYCONNECTED_HPP
#define POPULUS_POPSPARSE_FULLYCONNECTED_HPP

#include <popsparse/FullyConnectedParams.hpp>
#include <popsparse/PlanningCache.hpp>
#include <popsparse/SparseTensor.hpp>

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

#include <tuple>

namespace popsparse {
namespace dynamic {

SparseTensor
createFullyConnectedWeights(poplar::Graph &graph, const poplar::Type &inputType,
                            const FullyConnectedParams &params,
                            const poplar::DebugContext &debugContext = {},
                            const poplar::OptionFlags &options = {},
                            PlanningCache *cache = nullptr);
/// [batch, groups * input size]
poplar::Tensor
createFullyConnectedInput(poplar::Graph &graph, const poplar::Type &inputType,
                          const FullyConnectedParams &params,
                          const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {},
                          PlanningCache *cache = nullptr);

/// [batch, groups * output size]
poplar::Tensor fullyConnectedFwd(poplar::Graph &graph,
                                 const SparseTensor &weights,
                                 const poplar::Tensor &activations,
                                 const FullyConnectedParams &params,
                                 poplar::program::Sequence &prog,
                                 const poplar::DebugContext &debugContext = {},
                                 const poplar::OptionFlags &options = {},
                                 PlanningCache *cache = nullptr);
/// The gradient of the activations.
poplar::Tensor fullyConnectedGradA(
    poplar::Graph &graph, const SparseTensor &weights,
    const poplar::Tensor &gradients, const FullyConnectedParams &params,
    poplar::program::Sequence &prog,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
/// The gradient of the values of the weights, in their places.
poplar::Tensor fullyConnectedSparseGradW(
    poplar::Graph &graph, const poplar::Tensor sparsityMetaInfo,
    const poplar::Tensor &gradients, const poplar::Tensor &activations,
    const FullyConnectedParams &params, poplar::program::Sequence &prog,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

/// Number of sequential parts of a dense gradient of the weights, by groups,
/// inputs and outputs: one each.
std::tuple<unsigned, unsigned, unsigned> fullyConnectedDenseGradWSerialSplits(
    const poplar::Graph &graph, const poplar::Type &inputType,
    const FullyConnectedParams &params, const poplar::OptionFlags &options = {},
    PlanningCache *cache = nullptr);

} // namespace dynamic
} // namespace popsparse

#endif
