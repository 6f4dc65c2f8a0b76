// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of the replicas of a graph together, and of the IPUs of one
// replica. Functions with a CommGroup work in groups of replicas; those without
// one in a group of all.
//
// Options are checked by name and without effect here, since there is one way
// to do each operation: "method" (auto, broadcast, clockwise_ring,
// anticlockwise_ring, bidirectional_ring_pair, meet_in_middle_ring,
// quad_directional_ring), "maxBytesPerTile", "useSynclessCollectives",
// "collectiveImplementation", "syncful.maxBroadcastSize",
// "syncful.useOptimisedLayout", "syncful.allToAll",
// "syncful.useForwardingToSupportStridedGroups".
//
// Reductions combine replicas pairwise, nearest neighbours first, so all
// members get the same bits on every device.

#ifndef POPULUS_GCL_COLLECTIVES_HPP
#define POPULUS_GCL_COLLECTIVES_HPP

#include <gcl/CollectiveOperator.hpp>
#include <gcl/CommGroup.hpp>

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

#include <vector>

namespace gcl {

/// The combination, in every member.
poplar::Tensor
allReduceCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                      CollectiveOperator op, poplar::program::Sequence &prog,
                      const CommGroup &group,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});
poplar::Tensor
allReduceCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                      CollectiveOperator op, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});

std::vector<poplar::Tensor> allReduceCrossReplica(
    poplar::Graph &graph, const std::vector<poplar::Tensor> &datas,
    CollectiveOperator op, poplar::program::Sequence &prog,
    const CommGroup &group, const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {});
std::vector<poplar::Tensor>
allReduceCrossReplica(poplar::Graph &graph,
                      const std::vector<poplar::Tensor> &datas,
                      CollectiveOperator op, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});

void allReduceToDestinationCrossReplica(
    poplar::Graph &graph, const poplar::Tensor &data,
    const poplar::Tensor &destination, CollectiveOperator op,
    poplar::program::Sequence &prog, const CommGroup &group,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {});
void allReduceToDestinationCrossReplica(
    poplar::Graph &graph, const poplar::Tensor &data,
    const poplar::Tensor &destination, CollectiveOperator op,
    poplar::program::Sequence &prog,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {});

void allReduceInPlaceCrossReplica(poplar::Graph &graph,
                                  const poplar::Tensor &data,
                                  CollectiveOperator op,
                                  poplar::program::Sequence &prog,
                                  const CommGroup &group,
                                  const poplar::DebugContext &debugContext = {},
                                  const poplar::OptionFlags &options = {});
void allReduceInPlaceCrossReplica(poplar::Graph &graph,
                                  const poplar::Tensor &data,
                                  CollectiveOperator op,
                                  poplar::program::Sequence &prog,
                                  const poplar::DebugContext &debugContext = {},
                                  const poplar::OptionFlags &options = {});

void allReduceInPlaceCrossReplica(poplar::Graph &graph,
                                  const std::vector<poplar::Tensor> &datas,
                                  CollectiveOperator op,
                                  poplar::program::Sequence &prog,
                                  const CommGroup &group,
                                  const poplar::DebugContext &debugContext = {},
                                  const poplar::OptionFlags &options = {});
void allReduceInPlaceCrossReplica(poplar::Graph &graph,
                                  const std::vector<poplar::Tensor> &datas,
                                  CollectiveOperator op,
                                  poplar::program::Sequence &prog,
                                  const poplar::DebugContext &debugContext = {},
                                  const poplar::OptionFlags &options = {});

/// Reduces \p data, which has one dimension, over the group and returns this
/// member's share of the result. \p data is padded with zeros to a multiple of
/// the number of members.
poplar::Tensor reduceScatterCrossReplica(
    poplar::Graph &graph, const poplar::Tensor &data, CollectiveOperator op,
    poplar::program::Sequence &prog, const CommGroup &group,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {});
poplar::Tensor
reduceScatterCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                          CollectiveOperator op,
                          poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {},
                          const poplar::OptionFlags &options = {});

std::vector<poplar::Tensor> reduceScatterCrossReplica(
    poplar::Graph &graph, const std::vector<poplar::Tensor> &datas,
    CollectiveOperator op, poplar::program::Sequence &prog,
    const CommGroup &group, const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {});
std::vector<poplar::Tensor> reduceScatterCrossReplica(
    poplar::Graph &graph, const std::vector<poplar::Tensor> &datas,
    CollectiveOperator op, poplar::program::Sequence &prog,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {});

void reduceScatterToDestinationCrossReplica(
    poplar::Graph &graph, const poplar::Tensor &data,
    const poplar::Tensor &destination, CollectiveOperator op,
    poplar::program::Sequence &prog, const CommGroup &group,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {});
void reduceScatterToDestinationCrossReplica(
    poplar::Graph &graph, const poplar::Tensor &data,
    const poplar::Tensor &destination, CollectiveOperator op,
    poplar::program::Sequence &prog,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {});

/// The data of all members, [members, the shape of the data...].
poplar::Tensor
allGatherCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                      poplar::program::Sequence &prog, const CommGroup &group,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});
poplar::Tensor
allGatherCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});

std::vector<poplar::Tensor>
allGatherCrossReplica(poplar::Graph &graph,
                      const std::vector<poplar::Tensor> &datas,
                      poplar::program::Sequence &prog, const CommGroup &group,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});
std::vector<poplar::Tensor>
allGatherCrossReplica(poplar::Graph &graph,
                      const std::vector<poplar::Tensor> &datas,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});

void allGatherToDestinationCrossReplica(
    poplar::Graph &graph, const poplar::Tensor &data,
    const poplar::Tensor &destination, poplar::program::Sequence &prog,
    const CommGroup &group, const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {});
void allGatherToDestinationCrossReplica(
    poplar::Graph &graph, const poplar::Tensor &data,
    const poplar::Tensor &destination, poplar::program::Sequence &prog,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {});

/// Member i gets slice i of the first dimension of each member's data, which
/// has as many slices as there are members: result[j] is from member j.
poplar::Tensor
allToAllCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                     poplar::program::Sequence &prog, const CommGroup &group,
                     const poplar::DebugContext &debugContext = {},
                     const poplar::OptionFlags &options = {});
poplar::Tensor
allToAllCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                     poplar::program::Sequence &prog,
                     const poplar::DebugContext &debugContext = {},
                     const poplar::OptionFlags &options = {});

/// Every member gets the data of the first one.
poplar::Tensor
broadcastCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                      poplar::program::Sequence &prog, const CommGroup &group,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});
poplar::Tensor
broadcastCrossReplica(poplar::Graph &graph, const poplar::Tensor &data,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {});

/// A part of what several IPUs have together.
struct Chunk {
  poplar::Tensor tensor;
  /// Which part, and the IPU's place among the parts.
  unsigned index;
  unsigned offset;
};
struct Chunks {
  poplar::Tensor originalInput;
  std::vector<Chunk> chunks;
};

/// Combines the rows of \p data, [IPUs, ...], each of which is on an IPU of one
/// replica. The result is as \p data, and each row holds the combination.
poplar::Tensor
allReduceWithinReplica(poplar::Graph &graph, const poplar::Tensor &data,
                       CollectiveOperator op, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {},
                       const poplar::OptionFlags &options = {});
/// The same, but each IPU has only a part of the combination.
Chunks reduceScatterWithinReplica(poplar::Graph &graph,
                                  const poplar::Tensor &data,
                                  CollectiveOperator op,
                                  poplar::program::Sequence &prog,
                                  const poplar::DebugContext &debugContext = {},
                                  const poplar::OptionFlags &options = {});
/// All parts together on each IPU: a tensor like what was scattered.
poplar::Tensor
allGatherWithinReplica(poplar::Graph &graph, const Chunks &chunks,
                       poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {},
                       const poplar::OptionFlags &options = {});

} // namespace gcl

#endif
