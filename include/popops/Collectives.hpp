// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations across the replicas of a graph. Every replica gets the same
// result, bit by bit. Option: "method", "auto" or the name of a ring
// ("clockwise_ring", "anticlockwise_ring", "bidirectional_ring_pair",
// "meet_in_middle_ring", "quad_directional_ring"); <gcl/Collectives.hpp> tells
// the order in which each of them adds up.

#ifndef POPULUS_POPOPS_COLLECTIVES_HPP
#define POPULUS_POPOPS_COLLECTIVES_HPP

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <popops/Operation.hpp>

namespace popops {

/// Returns the reduction of the data of all replicas.
poplar::Tensor
replicatedAllReduce(poplar::Graph &graph, const poplar::Tensor &data,
                    Operation op, poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext = {},
                    const poplar::OptionFlags &options = {});
void replicatedAllReduceInPlace(poplar::Graph &graph,
                                const poplar::Tensor &data, Operation op,
                                poplar::program::Sequence &prog,
                                const poplar::DebugContext &debugContext = {},
                                const poplar::OptionFlags &options = {});
void replicatedAllReduceWithOutput(
    poplar::Graph &graph, const poplar::Tensor &data,
    const poplar::Tensor &output, Operation op, poplar::program::Sequence &prog,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {});

/// Returns this replica's share of the reduction. The flattened data is padded
/// with zeros to a multiple of the number of replicas and divided equally.
poplar::Tensor
replicatedReduceScatter(poplar::Graph &graph, const poplar::Tensor &data,
                        Operation op, poplar::program::Sequence &prog,
                        const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {});

/// Returns the data of all replicas, [replicas, shape of the data...].
poplar::Tensor
replicatedAllGather(poplar::Graph &graph, const poplar::Tensor &data,
                    poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext = {},
                    const poplar::OptionFlags &options = {});

} // namespace popops

#endif
