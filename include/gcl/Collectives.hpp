// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collective operations of the replicas of a graph, and of the IPUs of one
// replica. Functions with a CommGroup work within groups of replicas; functions
// without one use a group of all replicas.
//
// Options:
//
//   method                    auto, broadcast, clockwise_ring,
//                             anticlockwise_ring, bidirectional_ring_pair,
//                             meet_in_middle_ring, quad_directional_ring
//   syncful.maxBroadcastSize  the most bytes of a group's members together for
//                             which auto broadcasts; without it auto takes the
//                             faster way
//
// Members send to each other directly with auto and broadcast, which takes one
// exchange, or two in a large reduction to all members. Rings take a step for
// each member, and less memory. They apply to reductions and gatherings;
// allToAll and broadcast have one way each.
//
// The method decides the order in which a reduction adds up, so its bits, which
// are the same in all members and on every device. auto and broadcast combine
// members pairwise, neighbours first: ((0+1)+(2+3)) + ((4+5)+6). A ring adds
// from the member behind the owner of a share up to the owner, which is the
// i-th member for the i-th share; meet_in_middle_ring does so from both sides.
//
// Checked by name, without effect: "maxBytesPerTile", "useSynclessCollectives",
// "collectiveImplementation", "syncful.useOptimisedLayout",
// "syncful.allToAll", "syncful.useForwardingToSupportStridedGroups".

#ifndef POPULUS_GCL_COLLECTIVES_HPP
#define POPULUS_GCL_COLLECTIVES_HPP

#include <gcl/CollectiveOperator.hpp>
#include <gcl/CommGroup.hpp>

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

#include <vector>

namespace gcl {

/// Returns the reduction in every member.
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

/// Returns the data of all members, [members, the shape of the data...].
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

/// Member i receives slice i of the first dimension of each member's data,
/// which has one slice per member: result[j] is from member j.
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

/// Part of data that is divided over several IPUs.
struct Chunk {
  poplar::Tensor tensor;
  /// Index of the part, and the position of its IPU.
  unsigned index;
  unsigned offset;
};
struct Chunks {
  poplar::Tensor originalInput;
  std::vector<Chunk> chunks;
};

/// Reduces the rows of \p data, [IPUs, ...]; each row is on one IPU of a
/// replica. The result is shaped like \p data, and each row holds the
/// reduction.
poplar::Tensor
allReduceWithinReplica(poplar::Graph &graph, const poplar::Tensor &data,
                       CollectiveOperator op, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {},
                       const poplar::OptionFlags &options = {});
/// The same, but each IPU gets only a part of the reduction.
Chunks reduceScatterWithinReplica(poplar::Graph &graph,
                                  const poplar::Tensor &data,
                                  CollectiveOperator op,
                                  poplar::program::Sequence &prog,
                                  const poplar::DebugContext &debugContext = {},
                                  const poplar::OptionFlags &options = {});
/// Gathers all parts on each IPU: a tensor like the one that was scattered.
poplar::Tensor
allGatherWithinReplica(poplar::Graph &graph, const Chunks &chunks,
                       poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {},
                       const poplar::OptionFlags &options = {});

} // namespace gcl

#endif
