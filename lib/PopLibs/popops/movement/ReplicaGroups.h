// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives in groups of replicas, for popops and gcl. All replicas run the
// same vertices. They differ in what they copy to each other, so a collective
// is a few exchanges with element-wise operations between them.
//
// Members of a group are numbered in the order of their replicas. A reduction
// gives all members the same bits, which depend on the method only:
//
//   auto, broadcast   ((0+1) + (2+3)) + ((4+5) + 6): neighbours first
//   rings             in the order of the ring, up to the member that owns the
//                     part (RingCollectives.h)

#ifndef POPULUS_LIB_POPLIBS_POPOPS_MOVEMENT_REPLICAGROUPS_H
#define POPULUS_LIB_POPLIBS_POPOPS_MOVEMENT_REPLICAGROUPS_H

#include "lib/Poplar/Graph/ReplicaCopies.h"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/Operation.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace popops {

enum class CollectiveMethod : unsigned {
  Auto,
  Broadcast,
  ClockwiseRing,
  AnticlockwiseRing,
  BidirectionalRingPair,
  MeetInMiddleRing,
  QuadDirectionalRing
};

/// Methods by the names that options give them.
std::vector<std::pair<std::string, CollectiveMethod>> collectiveMethods();

struct CollectiveOptions {
  CollectiveMethod method = CollectiveMethod::Auto;
  /// The most bytes of all members together that Auto broadcasts. Without it
  /// Auto takes the method that needs the fewest cycles.
  std::optional<std::uint64_t> mostBroadcastBytes = std::nullopt;
};

/// Replica r is member (r / stride) % size of its group.
class ReplicaGroups {
public:
  /// Throws unless the groups contain all replicas of the graph.
  ReplicaGroups(poplar::Graph &graph, unsigned size, unsigned stride,
                poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext,
                const CollectiveOptions &options = {});
  /// One group of all.
  ReplicaGroups(poplar::Graph &graph, poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext,
                const CollectiveOptions &options = {});

  unsigned size() const { return members; }

  /// Combines \p data of all members into \p result, which may be \p data.
  void allReduce(const poplar::Tensor &data, const poplar::Tensor &result,
                 Operation op) const;
  /// This member's share of the combination of \p data, which has zeros at its
  /// end where the shares have more elements than it.
  poplar::Tensor reduceScatter(const poplar::Tensor &data, Operation op) const;
  /// This member's share of its own \p data, with zeros as above.
  poplar::Tensor ownShare(const poplar::Tensor &data) const;
  /// Copies \p data of member i to \p result[i] in all members.
  void allGather(const poplar::Tensor &data,
                 const poplar::Tensor &result) const;
  /// A tensor for the result of a gathering: [size, shape of \p data...].
  poplar::Tensor gatheredLike(const poplar::Tensor &data) const;
  /// Slice i of \p data, [size, ...], goes to member i.
  poplar::Tensor allToAll(const poplar::Tensor &data) const;
  /// Copies \p data of the first member to \p result in all members.
  void broadcast(const poplar::Tensor &data,
                 const poplar::Tensor &result) const;

private:
  bool broadcastsFor(const poplar::Tensor &data) const;
  CollectiveMethod ring() const;
  std::size_t shareOf(const poplar::Tensor &data) const;
  poplar::Tensor padded(const poplar::Tensor &data, std::size_t share) const;
  poplar::Tensor squaredIf(Operation op, const poplar::Tensor &data) const;

  poplar::Graph &graph;
  poplar::program::Sequence &prog;
  const poplar::DebugContext &dc;
  unsigned replicas, members, stride;
  CollectiveOptions options;
};

/// Copies between members of each group that happen at once.
class MemberCopies {
public:
  MemberCopies(unsigned replicas, unsigned members, unsigned stride)
      : replicas(replicas), members(members), stride(stride) {}

  /// Adds a copy in each group. Nothing is added if there are no elements.
  void add(const poplar::Tensor &from, unsigned sender,
           const poplar::Tensor &to, unsigned receiver);

  /// Adds the exchange to \p prog and forgets the copies.
  void exchange(poplar::program::Sequence &prog,
                const poplar::DebugContext &debugContext);

  unsigned size() const { return members; }

private:
  unsigned replicas, members, stride;
  std::vector<poplar::core::ReplicaCopy> copies;
};

} // namespace popops

#endif
